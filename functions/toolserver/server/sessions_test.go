package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stream is an open GET /sse.
type stream struct {
	running
	endpoint string
	lines    *bufio.Scanner
	body     io.Closer
}

func (r running) open(path string, headers ...string) *stream {
	r.Helper()
	request, err := http.NewRequest("GET", r.url+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get("X-Accel-Buffering") != "no" {
		r.Fatalf("GET %s: %d %v", path, answer.StatusCode, answer.Header)
	}
	s := &stream{running: r, lines: bufio.NewScanner(answer.Body), body: answer.Body}
	s.endpoint = s.event("endpoint")
	return s
}

// event is the data of the next event, which must have this name.
func (s *stream) event(name string) string {
	s.Helper()
	got := ""
	for s.lines.Scan() {
		line := s.lines.Text()
		if value, ok := strings.CutPrefix(line, "event: "); ok {
			got = value
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if got != name {
				s.Fatalf("event %s: %s", got, data)
			}
			return data
		}
	}
	s.Fatalf("the stream ended: %v", s.lines.Err())
	return ""
}

// post sends a message of the session.
func (s *stream) post(body string) {
	s.Helper()
	if answer, object := s.send("POST", s.endpoint, body); answer.StatusCode != 202 {
		s.Fatalf("%s: %d %v", body, answer.StatusCode, object)
	}
}

func TestTheOldTransportListsAndCalls(t *testing.T) {
	r := start(t, nil)
	s := r.open("/sse")
	if !strings.HasPrefix(s.endpoint, "/message?sessionId=") || len(s.endpoint) < len("/message?sessionId=")+22 {
		t.Errorf("endpoint %s", s.endpoint)
	}
	s.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if greeting := s.event("message"); !strings.Contains(greeting, `"protocolVersion":"2024-11-05"`) || strings.Contains(greeting, "logging") {
		t.Errorf("initialize: %s", greeting)
	}
	s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lint_mcp_config","arguments":{"config":{"command":"npx","args":["x"]}}}}`)
	var over, plain map[string]any
	if err := json.Unmarshal([]byte(s.event("message")), &over); err != nil {
		t.Fatal(err)
	}
	plain = r.call("lint_mcp_config", `{"config":{"command":"npx","args":["x"]}}`)
	if sprint(over["result"]) != sprint(plain) {
		t.Errorf("the engines differ\n%s\n%s", sprint(over["result"]), sprint(plain))
	}
	s.post(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if err := json.Unmarshal([]byte(s.event("message")), &over); err != nil {
		t.Fatal(err)
	}
	if got, want := toolNames(over), toolNames(r.rpc("tools/list", "{}")); len(got) != len(want) {
		t.Errorf("tools %v, want %v", got, want)
	}
	s.post(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"emergency_kill_switch","arguments":{"reason":"a test"}}}`)
	if answer := s.event("message"); !strings.Contains(answer, "unauthorized") {
		t.Errorf("without a secret: %s", answer)
	}
	if answer, _ := s.send("POST", s.endpoint, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"emergency_kill_switch","arguments":{"reason":"a test"}}}`, "Authorization", "Bearer "+killSecret); answer.StatusCode != 202 {
		t.Fatal(answer.StatusCode)
	}
	if answer := s.event("message"); !strings.Contains(answer, `"source":"sse"`) {
		t.Errorf("with the secret in the header: %s", answer)
	}
}

func toolNames(answer map[string]any) (names []string) {
	for _, each := range answer["result"].(map[string]any)["tools"].([]any) {
		names = append(names, each.(map[string]any)["name"].(string))
	}
	return names
}

func TestASessionOffersWhatItWasOpenedFor(t *testing.T) {
	r := start(t, nil)
	s := r.open("/sse?toolsets=core&readonly=true")
	s.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.event("message")
	s.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if list := s.event("message"); !strings.Contains(list, "get_framework") || strings.Contains(list, "verify_audit_chain") {
		t.Errorf("list %s", list)
	}
	if answer, object := r.send("GET", "/sse?toolsets=none", ""); answer.StatusCode != 400 || object["error"] == nil {
		t.Errorf("a toolset that does not exist: %d", answer.StatusCode)
	}
}

func TestAMessageNeedsAnOpenSession(t *testing.T) {
	r := start(t, nil)
	s := r.open("/sse")
	for _, tc := range []struct {
		path, body string
		status     int
	}{
		{"/message?sessionId=" + strings.Repeat("A", 22), listCall, 404}, {"/message", listCall, 404},
		{s.endpoint, `{"jsonrpc":`, 400}, {s.endpoint, `[]`, 400}, {s.endpoint, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`, 413},
	} {
		if answer, object := r.send("POST", tc.path, tc.body); answer.StatusCode != tc.status || object["error"] == nil {
			t.Errorf("%s %.30s: %d", tc.path, tc.body, answer.StatusCode)
		}
	}
	if err := s.body.Close(); err != nil {
		t.Fatal(err)
	}
	r.eventually(func() bool { answer, _ := r.send("POST", s.endpoint, listCall); return answer.StatusCode == 404 })
}

// eventually waits for what another goroutine does; it fails after a long time.
func (r running) eventually(done func() bool) {
	r.Helper()
	within(r.T, "what another goroutine does", done)
}

// within waits until a condition holds; a loaded machine gets a minute.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// A leak of a session was what made operators restart such servers.
func TestClosedSessionsLeaveNothing(t *testing.T) {
	r := start(t, nil)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	cycle := func(n int) {
		for range n {
			ctx, cancel := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, "GET", r.url+"/sse", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := client.Do(request)
			if err != nil || answer.StatusCode != 200 {
				t.Fatal(err, answer)
			}
			cancel()
			_ = answer.Body.Close()
			r.clock.Add(int64(time.Second)) // the rate is not what is tested
		}
		r.eventually(func() bool { _, health := r.send("GET", "/health", ""); return health["sessions"] == 0.0 })
	}
	measure := func() (goroutines int, heap uint64) {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return runtime.NumGoroutine(), stats.HeapAlloc
	}
	cycle(100) // what is made once is made now
	before, heapBefore := measure()
	cycle(1000)
	var after int
	var heapAfter uint64
	r.eventually(func() bool {
		after, heapAfter = measure()
		return after <= before+2 && heapAfter <= heapBefore+1<<20
	})
	t.Logf("goroutines %d to %d, heap %d to %d KiB", before, after, heapBefore>>10, heapAfter>>10)
}

func TestShutdownLosesNoAcceptedAnswer(t *testing.T) {
	r := start(t, nil)
	s := r.open("/sse")
	s.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.event("message")
	s.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_health_status","arguments":{}}}`)
	ended := make(chan error, 1)
	go func() { ended <- r.server.Shutdown(context.Background(), r.http.Config) }()
	if answer := s.event("message"); !strings.Contains(answer, `"id":2`) {
		t.Errorf("answer %s", answer)
	}
	for s.lines.Scan() { // the stream ends
		if strings.HasPrefix(s.lines.Text(), "data") {
			t.Errorf("after the end: %s", s.lines.Text())
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// The official Go client works over both transports.
func TestTheOfficialGoClientListsAndCalls(t *testing.T) {
	r := start(t, nil)
	for name, transport := range map[string]mcp.Transport{
		"sse": &mcp.SSEClientTransport{Endpoint: r.url + "/sse"}, "http": &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp"},
	} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != len(r.list()) {
			t.Fatalf("%s: %v %v", name, list, err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "verify_audit_chain", Arguments: map[string]any{}})
		if err != nil || result.IsError || !strings.Contains(sprint(result.StructuredContent), `"valid":true`) {
			t.Errorf("%s: %v %v", name, result, err)
		}
		read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "governance-system://rules"})
		if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, "HAND OFF") {
			t.Errorf("%s: %v %v", name, read, err)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Five thousand idle sessions fit into a small task. The test counts the memory of the
// whole process, including the buffers of its own clients.
func TestIdleSessionsAreCheap(t *testing.T) {
	const most = 50 << 10
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	sessions := min(5000, limit.Cur/2-200) // each has a file at both ends
	if limit.Cur < 1000 {
		skip(t, "needs 1000 open files, has %d: ulimit -n", limit.Cur)
	}
	r := start(t, nil)
	address := strings.TrimPrefix(r.url, "http://")
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse + stats.StackInuse
	}
	before := used()
	request := []byte("GET /sse HTTP/1.1\r\nHost: " + address + "\r\n\r\n")
	first := make([]byte, 1<<10)
	for range sessions {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
		if _, err := connection.Write(request); err != nil {
			t.Fatal(err)
		}
		if n, err := connection.Read(first); err != nil || !strings.HasPrefix(string(first[:n]), "HTTP/1.1 200") {
			t.Fatalf("%q (%v)", first[:n], err)
		}
		r.clock.Add(int64(time.Second)) // the rate is not what is tested
	}
	r.eventually(func() bool { _, health := r.send("GET", "/health", ""); return health["sessions"] == float64(sessions) })
	each := (used() - before) / sessions
	t.Logf("figure: %d idle sessions take %d bytes each", sessions, each)
	if each > most {
		t.Errorf("%d bytes for each session, the bound is %d", each, most)
	}
}
