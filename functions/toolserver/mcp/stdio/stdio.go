// Package stdio serves one client of the Model Context Protocol over a pair of streams,
// a message a line.
package stdio

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
	"governance.internal/functions/toolserver/mcp/sessions"
	"governance.internal/functions/toolserver/mcp/stateless"
)

// Serve serves one client until it disconnects: own answers what it can, the server of the
// SDK the rest. A line that is not a message gets an error and is not passed on, because
// the SDK would end the session.
func Serve(ctx context.Context, server *mcp.Server, own sessions.Own, in io.Reader, out io.Writer) error {
	answers := &lineWriter{out: out}
	messages, passed := io.Pipe()
	front := &front{
		own:      own,
		messages: passed,
		answers:  answers,
	}

	go func() { _ = passed.CloseWithError(front.pass(ctx, in)) }()
	return server.Run(ctx, &mcp.IOTransport{
		Reader: messages,
		Writer: answers,
	})
}

// front stands between the client and the SDK.
type front struct {
	own       sessions.Own
	messages  io.Writer // to the SDK
	answers   io.Writer // to the client
	answering sync.WaitGroup
}

// pass forwards the messages until in ends, and answers those that the SDK need not handle.
func (f *front) pass(ctx context.Context, in io.Reader) error {
	defer f.answering.Wait()

	lines := bufio.NewReaderSize(in, rpc.MaxBody)
	for {
		line, err := lines.ReadSlice('\n')

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			var problem *rpc.Error
			problem, err = skipLine(lines)
			if failed := f.refuse(nil, problem); failed != nil {
				return failed
			}
		case len(bytes.TrimSpace(line)) > 0:
			if failed := f.passLine(ctx, bytes.Clone(line)); failed != nil {
				return failed
			}
		}

		if err != nil {
			return err
		}
	}
}

// passLine refuses a line that is not a message, answers one that is ours, and forwards
// every other.
func (f *front) passLine(ctx context.Context, line []byte) error {
	if id, problem := stateless.CheckMessage(line); problem != nil {
		return f.refuse(id, problem)
	}

	answer, ours := f.own(stateless.Call{Body: line, Transport: "stdio"})
	if !ours {
		_, err := f.messages.Write(line)
		return err
	}

	f.answering.Go(func() {
		_, _ = f.answers.Write(append(answer(ctx), '\n')) // a client that is gone ends the session
	})
	return nil
}

func (f *front) refuse(id json.RawMessage, problem *rpc.Error) error {
	_, err := f.answers.Write(append(problem.Body(id), '\n'))
	return err
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
