package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// proxy stands before a server of HTTP and fails as networks and servers do.
type proxy struct {
	url    string
	target atomic.Pointer[string] // base URL of the server
	fault  atomic.Pointer[fault]
}

// fault decides what becomes of a request.
type fault func(*hop)

// hop is a request on its way through a proxy.
type hop struct {
	http.ResponseWriter
	request *http.Request
	name    string // method of JSON-RPC, operation of DynamoDB, or the last part of the path
	body    []byte
	target  string
}

func newProxy(t *testing.T, target string) *proxy {
	p := &proxy{}
	p.target.Store(&target)
	p.heal()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// breaks makes every request from now on meet a fault.
func (p *proxy) breaks(f fault) { p.fault.Store(&f) }

func (p *proxy) heal() { p.breaks((*hop).pass) }

// leadsTo exchanges the server behind.
func (p *proxy) leadsTo(target string) { p.target.Store(&target) }

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	h := &hop{ResponseWriter: w, request: r, name: path.Base(r.URL.Path), body: body, target: *p.target.Load()}
	if _, operation, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		h.name = operation
	}
	var call struct{ Method string }
	if json.Unmarshal(body, &call) == nil && call.Method != "" {
		h.name = call.Method
	}
	(*p.fault.Load())(h)
}

// forward lets the server do the work and gives its answer, which the client does
// not see.
func (h *hop) forward() answer {
	r, err := http.NewRequest(h.request.Method, h.target+h.request.URL.Path, bytes.NewReader(h.body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Header = h.request.Header.Clone()
	a, err := (&buyer{client: http.DefaultClient}).send(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return a
}

// Faults.

func (h *hop) pass() { h.answered() }

// answered passes the request and returns the answer.
func (h *hop) answered() []byte {
	a := h.forward()
	for name, values := range a.header {
		h.Header()[name] = values
	}
	h.reply(a.status, string(a.body))
	return a.body
}

func (h *hop) reply(status int, body string) {
	h.WriteHeader(status)
	_, _ = io.WriteString(h, body) // a client that is gone wants none
}

// drop closes the connection before the server gets the request.
func (h *hop) drop() { panic(http.ErrAbortHandler) }

// lose ends the connection after the server did the work.
func (h *hop) lose() {
	h.forward()
	h.drop()
}

// sleep forwards the request when its client has lost patience.
func (h *hop) sleep() {
	<-h.request.Context().Done()
	h.forward()
}

// says answers instead of the server.
func says(status int, kind, body string) fault {
	return func(h *hop) {
		h.Header().Set("Content-Type", kind)
		h.reply(status, body)
	}
}

// result answers a call of JSON-RPC instead of the node.
func result(value string) fault {
	return func(h *hop) {
		var call struct{ ID json.RawMessage }
		_ = json.Unmarshal(h.body, &call) // the node's clients send JSON
		says(200, "application/json", `{"jsonrpc":"2.0","id":`+string(call.ID)+`,"result":`+value+`}`)(h)
	}
}

// on limits a fault to some calls.
func on(f fault, names ...string) fault {
	return func(h *hop) {
		if slices.Contains(names, h.name) {
			f(h)
			return
		}
		h.pass()
	}
}

// everyOther limits a fault to the second of each two requests.
func everyOther(f fault) fault {
	var count atomic.Int64
	return func(h *hop) {
		if count.Add(1)%2 == 0 {
			f(h)
			return
		}
		h.pass()
	}
}

// first limits a fault to the first n requests.
func first(n int64, f fault) fault {
	var count atomic.Int64
	return func(h *hop) {
		if count.Add(1) <= n {
			f(h)
			return
		}
		h.pass()
	}
}
