package toolserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/stateless"
)

// ServeStdio serves one client over a pair of streams, a message a line, until it
// goes. A line that is no message is answered with an error and goes no further: the
// SDK would end the session over it.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	answers := &lineWriter{out: out}
	messages, passed := io.Pipe()
	go func() { _ = passed.CloseWithError(s.passMessages(ctx, in, passed, answers)) }()
	return s.serverFor(filter{}, "stdio").Run(ctx, &mcp.IOTransport{
		Reader: messages,
		Writer: answers,
	})
}

// passMessages hands on the lines that are messages until in ends, and answers those that
// the SDK need not see.
func (s *Server) passMessages(ctx context.Context, in io.Reader, messages io.Writer, answers io.Writer) error {
	var answering sync.WaitGroup
	defer answering.Wait()

	lines := bufio.NewReaderSize(in, rpc.MaxBody)
	for {
		line, err := lines.ReadSlice('\n')
		var id json.RawMessage
		var problem *rpc.Error

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			problem, err = skipLine(lines)
		case len(bytes.TrimSpace(line)) > 0:
			id, problem = stateless.CheckMessage(line)
		default:
			line = nil
		}

		if problem != nil {
			line = nil
			if _, err := answers.Write(append(problem.Body(id), '\n')); err != nil {
				return err
			}
		}

		if line != nil {
			if err := s.pass(ctx, bytes.Clone(line), messages, answers, &answering); err != nil {
				return err
			}
		}

		if err != nil {
			return err
		}
	}
}

// pass answers a message, or hands it on.
func (s *Server) pass(ctx context.Context, line []byte, messages, answers io.Writer, answering *sync.WaitGroup) error {
	answer, ours := s.stateless.Own(stateless.Call{Body: line, Transport: "stdio"})
	if !ours {
		_, err := messages.Write(line)
		return err
	}

	answering.Go(func() {
		_, _ = answers.Write(append(answer(ctx), '\n'))
	}) // a client that is gone ends the session
	return nil
}

// skipLine passes over the rest of a line that is too long.
func skipLine(lines *bufio.Reader) (*rpc.Error, error) {
	for {
		if _, err := lines.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return &rpc.Error{
				Status:  http.StatusRequestEntityTooLarge,
				Code:    rpc.CodeInvalidRequest,
				Message: "The message is longer than a mebibyte.",
			}, err
		}
	}
}

// lineWriter keeps the lines of two writers apart. Closing it leaves the stream open,
// which belongs to the process.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

func (*lineWriter) Close() error { return nil }
