package sessions

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
)

// hub runs a hub with one tool that works until it is let go.
func hub(t *testing.T, letGo <-chan struct{}) (*Hub, string) {
	t.Helper()
	wait := &tool.Tool{Name: "wait", Input: []byte(`{"type":"object"}`), Run: func(ctx context.Context, _ *tool.Call) tool.Result {
		select {
		case <-letGo:
		case <-ctx.Done():
		}
		return tool.Result{Content: []any{tool.Text{Type: "text", Text: "done"}}}
	}}
	server := Server(stateless.Server{Name: "t", Version: "1"}, "", stateless.Table{Tools: []*tool.Tool{wait}}, "sse")
	h := New("/message", rand.Reader, func(*http.Request) (*mcp.Server, error) { return server, nil })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", h.Open)
	mux.HandleFunc("POST /message", h.Message)
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return h, s.URL
}

type client struct {
	*testing.T
	url, endpoint string
	lines         *bufio.Scanner
	body          io.Closer
}

func open(t *testing.T, url string) *client {
	t.Helper()
	answer, err := http.Get(url + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{T: t, url: url, lines: bufio.NewScanner(answer.Body), body: answer.Body}
	t.Cleanup(func() { _ = answer.Body.Close() })
	c.endpoint = c.next("data: ")
	return c
}

// next is the rest of the next line with a beginning.
func (c *client) next(prefix string) string {
	c.Helper()
	for c.lines.Scan() {
		if rest, ok := strings.CutPrefix(c.lines.Text(), prefix); ok {
			return rest
		}
	}
	c.Fatalf("the stream ended before %q: %v", prefix, c.lines.Err())
	return ""
}

func (c *client) post(body string) int {
	c.Helper()
	answer, err := http.Post(c.url+c.endpoint, "application/json", strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func (c *client) initialize() {
	c.Helper()
	if status := c.post(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`); status != 202 {
		c.Fatal(status)
	}
	c.next("data: ")
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func TestASilentSessionIsKeptAliveByComments(t *testing.T) {
	h, url := hub(t, nil)
	h.interval = time.Millisecond
	c := open(t, url)
	for range 3 {
		c.next(": ")
	}
}

// A client that asks faster than it is answered is stopped, and may go on when it
// was answered.
func TestCallsWithoutAnAnswerAreBounded(t *testing.T) {
	letGo := make(chan struct{})
	_, url := hub(t, letGo)
	c := open(t, url)
	c.initialize()
	accepted := 0
	for i := range maxWaiting + 10 {
		switch status := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, i)); status {
		case 202:
			accepted++
		case 429:
		default:
			t.Fatalf("status %d", status)
		}
	}
	if accepted != maxWaiting {
		t.Errorf("%d calls accepted, the bound is %d", accepted, maxWaiting)
	}
	close(letGo)
	for range accepted {
		if data := c.next("data: "); !strings.Contains(data, "done") {
			t.Fatal(data)
		}
	}
	if status := c.post(`{"jsonrpc":"2.0","id":"last","method":"ping"}`); status != 202 || !strings.Contains(c.next("data: "), "last") {
		t.Errorf("after the answers: %d", status)
	}
}

// The end waits for what was accepted, takes no more sessions and closes the rest.
func TestDrainAnswersFirst(t *testing.T) {
	letGo := make(chan struct{})
	h, url := hub(t, letGo)
	busy, idle := open(t, url), open(t, url)
	busy.initialize()
	if status := busy.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`); status != 202 {
		t.Fatal(status)
	}
	drained := make(chan struct{})
	go func() { h.Drain(context.Background()); close(drained) }()
	for { // until the drain has begun
		answer, err := http.Get(url + "/sse")
		if err != nil {
			t.Fatal(err)
		}
		status := answer.StatusCode
		_ = answer.Body.Close()
		if status == 503 {
			if answer.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			break
		}
	}
	select {
	case <-drained:
		t.Fatal("drained before the answer")
	default:
	}
	close(letGo)
	if data := busy.next("data: "); !strings.Contains(data, "done") {
		t.Errorf("answer %s", data)
	}
	<-drained
	for _, c := range []*client{busy, idle} {
		for c.lines.Scan() { // ends
		}
	}
	if h.Count() != 0 {
		t.Errorf("%d sessions", h.Count())
	}
}

// A call that never ends does not hold up the end for ever.
func TestDrainEndsWithItsTime(t *testing.T) {
	h, url := hub(t, nil)
	c := open(t, url)
	c.initialize()
	c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.Drain(ctx)
	for c.lines.Scan() { // ends
	}
}

// The SDK never answers a call whose id is in use, and counting it as waiting would
// hold up the session, and a drain, for good.
func TestAnIdInUseIsRefusedAndHoldsUpNothing(t *testing.T) {
	letGo := make(chan struct{})
	h, url := hub(t, letGo)
	ended := sync.OnceFunc(func() { close(letGo) })
	t.Cleanup(ended)
	c := open(t, url)
	c.initialize()
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}`
	if status := c.post(call); status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	for range 2 * maxWaiting {
		if status := c.post(call); status != http.StatusBadRequest {
			t.Fatalf("the same id again: status %d", status)
		}
	}
	if status := c.post(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"wait"}}`); status != http.StatusAccepted {
		t.Fatalf("another id: status %d", status)
	}
	if status := c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`); status != http.StatusAccepted {
		t.Fatalf("cancellation: status %d", status)
	}
	ended()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h.Drain(ctx)
	if ctx.Err() != nil {
		t.Error("the drain waited for a call that never returns")
	}
}

// A client that disconnects ends its running calls.
func TestAClientThatGoesEndsItsCalls(t *testing.T) {
	letGo := make(chan struct{})
	h, url := hub(t, letGo)
	c := open(t, url)
	c.initialize()
	if status := c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`); status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	_ = c.body.Close()
	for deadline := time.Now().Add(time.Minute); h.Count() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			close(letGo)
			t.Fatal("the session of a client that is gone is still there")
		}
	}
}
