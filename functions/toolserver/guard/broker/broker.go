// Package broker lets what runs behind a fence ask a process outside for what the fence forbids:
// to record, to see the kill switch and the approvals, and to write a protected file that a person
// approved.
//
// Behind a fence the state folder of the workspace holds nothing but a socket. The process that
// built the fence listens there. It judges and writes itself, so whoever asks gains nothing that
// the rules do not give.
package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

// socket is its name in the state folder.
const socket = "broker"

// Kinds of requests.
const (
	Hook  = "hook"  // Arguments and Input are those of a hook
	Write = "write" // Input is the new content of the file that Arguments name
)

// Bounds of one request.
const (
	mostInput  = 32 << 20 // bytes
	mostBytes  = 64 << 20 // of a message
	mostTime   = 2 * time.Minute
	mostAtOnce = 32
)

// Request is what somebody behind the fence asks for.
type Request struct {
	Kind      string   `json:"kind"`
	Arguments []string `json:"arguments"`
	Folder    string   `json:"folder"` // working directory
	Input     []byte   `json:"input"`

	Process int `json:"process"` // that asks, as the kernel says; what a request says about it is ignored
}

// Answer is what the process that asked says in turn.
type Answer struct {
	Output []byte `json:"output"`
	Errors []byte `json:"errors"`
	Status int    `json:"status"`
}

// Handler answers requests, several at once.
type Handler = func(ctx context.Context, r Request) Answer

// Broker listens for one fence. Close it.
type Broker struct {
	folder   string
	listener net.Listener
	stop     context.CancelFunc
}

// Serve listens in a new folder, which a fence shows in the place of the state folder.
func Serve(handle Handler) (*Broker, error) {
	folder, err := os.MkdirTemp("", "governance-broker-")
	if err != nil {
		return nil, err
	}

	listener, err := listen(folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}

	ctx, stop := context.WithCancel(context.Background())
	b := &Broker{folder, listener, stop}
	go b.accept(ctx, handle)
	return b, nil
}

// Folder is what the fence shows.
func (b *Broker) Folder() string { return b.folder }

// Close ends it.
func (b *Broker) Close() error {
	b.stop()
	return errors.Join(b.listener.Close(), os.RemoveAll(b.folder))
}

func (b *Broker) accept(ctx context.Context, handle Handler) {
	places := make(chan struct{}, mostAtOnce)
	for {
		connection, err := b.listener.Accept()
		if err != nil {
			return // it is closed
		}

		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			defer connection.Close()
			answer(ctx, connection, handle)
		}()
	}
}

// answer answers one request of a connection.
func answer(ctx context.Context, connection net.Conn, handle Handler) {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	_ = connection.SetDeadline(time.Now().Add(mostTime)) // a socket takes one

	var r Request
	if err := json.NewDecoder(io.LimitReader(connection, mostBytes)).Decode(&r); err != nil {
		refusal := Answer{Errors: []byte("the request cannot be read\n"), Status: 2}
		_ = json.NewEncoder(connection).Encode(refusal) // who asked may be gone
		return
	}
	r.Process = peer(connection)
	_ = json.NewEncoder(connection).Encode(handle(ctx, r))
}

// ask sends a request over a connection and returns the answer.
func ask(connection net.Conn, r Request) (a Answer, err error) {
	if err := connection.SetDeadline(time.Now().Add(mostTime)); err != nil {
		return a, err
	}
	if err := json.NewEncoder(connection).Encode(r); err != nil {
		return a, fmt.Errorf("the process outside the fence does not listen: %w", err)
	}
	if err := json.NewDecoder(io.LimitReader(connection, mostBytes)).Decode(&a); err != nil {
		return a, fmt.Errorf("the process outside the fence does not answer: %w", err)
	}
	return a, nil
}

// Pass asks for what a program was started for, from behind a fence, and says what the answer
// says. A request that fails is refused with status 2.
func (d *Door) Pass(kind string, arguments []string, in io.Reader, out, errs io.Writer) int {
	return pass(d.ask, kind, arguments, in, out, errs)
}

// Ask asks from behind a fence around the governed folder, and where there is none the handler of
// the folder itself.
func Ask(outside func(folder string) Handler, kind string, arguments []string, in io.Reader, out, errs io.Writer) int {
	folder, err := filepath.Abs(workspace.Governed())
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", kind, err)
		return 2
	}
	if door := Find(folder); door != nil {
		return door.Pass(kind, arguments, in, out, errs)
	}
	return Do(outside(folder), kind, arguments, in, out, errs)
}

// Do is Pass where there is no fence: it calls the handler.
func Do(handle Handler, kind string, arguments []string, in io.Reader, out, errs io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	direct := func(r Request) (Answer, error) { return handle(ctx, r), nil }
	return pass(direct, kind, arguments, in, out, errs)
}

func pass(ask func(Request) (Answer, error), kind string, arguments []string, in io.Reader, out, errs io.Writer) int {
	const refused = 2
	r, err := requestOf(kind, arguments, in)
	var a Answer
	if err == nil {
		a, err = ask(r)
	}
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", kind, err)
		return refused
	}

	_, outErr := out.Write(a.Output)
	_, errsErr := errs.Write(a.Errors)
	if errors.Join(outErr, errsErr) != nil {
		return refused
	}
	return a.Status
}

func requestOf(kind string, arguments []string, in io.Reader) (r Request, err error) {
	r = Request{Kind: kind, Arguments: arguments}
	if r.Folder, err = os.Getwd(); err != nil {
		return r, err
	}
	if r.Input, err = io.ReadAll(io.LimitReader(in, mostInput+1)); err != nil {
		return r, err
	}
	if len(r.Input) > mostInput {
		return r, fmt.Errorf("the input has more than %d bytes", mostInput)
	}
	return r, nil
}

func (d *Door) ask(r Request) (Answer, error) {
	connection, err := d.dial()
	if err != nil {
		return Answer{}, fmt.Errorf("the process outside the fence cannot be reached: %w", err)
	}
	defer connection.Close()
	return ask(connection, r)
}
