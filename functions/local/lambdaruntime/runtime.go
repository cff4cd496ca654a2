// Package lambdaruntime runs a compiled Lambda function without AWS: it is the
// Runtime API that the function's bootstrap polls (AWS Lambda, "Using the Lambda
// runtime API", version 2018-06-01), and it starts the bootstrap as a process.
package lambdaruntime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Function is a running bootstrap.
type Function struct {
	Init time.Duration // from process start to the first poll

	process *exec.Cmd
	server  *http.Server
	polled  chan struct{} // closed at the first poll
	first   sync.Once
	events  chan invocation
	ended   chan error

	mu      sync.Mutex
	pending map[string]chan<- outcome
	count   int
}

type invocation struct {
	id       string
	deadline time.Time
	event    []byte
}

type outcome struct {
	answer []byte
	err    error
}

// limit is the function timeout that the deployment sets.
const limit = 28 * time.Second

// Start runs a bootstrap with an environment and waits for its first poll. The
// process inherits nothing else. Stop it with Stop.
func Start(ctx context.Context, bootstrap string, environment []string, log io.Writer) (*Function, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	f := &Function{
		polled:  make(chan struct{}),
		events:  make(chan invocation),
		ended:   make(chan error, 1),
		pending: map[string]chan<- outcome{},
	}
	f.server = &http.Server{Handler: f.api(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = f.server.Serve(listener) }() // ends with Stop

	f.process = exec.Command(bootstrap)
	f.process.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String()}, environment...)
	f.process.Stdout, f.process.Stderr = log, log
	started := time.Now()
	if err := f.process.Start(); err != nil {
		return nil, errors.Join(err, f.server.Close())
	}

	go func() { f.ended <- f.process.Wait() }()
	select {
	case <-f.polled:
		f.Init = time.Since(started)
		return f, nil
	case err := <-f.ended:
		f.ended <- err
		return nil, errors.Join(fmt.Errorf("%s ended before its first poll: %v", bootstrap, err), f.server.Close())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), f.Stop())
	}
}

// api is the Runtime API.
func (f *Function) api() http.Handler {
	const prefix = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"invocation/next", f.next)
	mux.HandleFunc("POST "+prefix+"invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) {
		f.finish(w, r, nil)
	})
	mux.HandleFunc("POST "+prefix+"invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) {
		f.finish(w, r, errors.New("the function failed"))
	})

	mux.HandleFunc("POST "+prefix+"init/error", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
	})
	return mux
}

func (f *Function) next(w http.ResponseWriter, r *http.Request) {
	f.first.Do(func() { close(f.polled) })
	select {
	case <-r.Context().Done():
	case i := <-f.events:
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Lambda-Runtime-Aws-Request-Id", i.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-west-1:000000000000:function:local")
		_, _ = w.Write(i.event) // a process that is gone is noticed by Invoke
	}
}

func (f *Function) finish(w http.ResponseWriter, r *http.Request, failure error) {
	body, err := io.ReadAll(r.Body)
	if failure != nil {
		failure = fmt.Errorf("%w: %s", failure, body)
	}

	f.mu.Lock()
	waiting := f.pending[r.PathValue("id")]
	delete(f.pending, r.PathValue("id"))
	f.mu.Unlock()
	if waiting != nil {
		waiting <- outcome{body, errors.Join(err, failure)}
	}

	w.WriteHeader(http.StatusAccepted)
}

// Invoke gives the function one event and returns its answer, both JSON.
func (f *Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	if !json.Valid(event) {
		return nil, errors.New("the event is not JSON")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	done := make(chan outcome, 1)
	f.mu.Lock()
	f.count++
	i := invocation{fmt.Sprintf("00000000-0000-4000-8000-%012d", f.count), time.Now().Add(limit), event}
	f.pending[i.id] = done
	f.mu.Unlock()

	select {
	case f.events <- i:
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	select {
	case o := <-done:
		return o.answer, o.err
	case err := <-f.ended:
		f.ended <- err
		return nil, fmt.Errorf("the function ended: %v", err)
	case <-ctx.Done():
		return nil, fmt.Errorf("no answer within %s", limit)
	}
}

// Stop ends the process.
func (f *Function) Stop() error {
	_ = f.process.Process.Signal(os.Kill) // gone already is as good
	err := f.server.Close()
	<-f.ended
	return err
}
