package server_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/audit/memory"
)

// running is a tool server on a loopback port.
// depsOf shortens the signatures of tests.
type depsOf = server.Deps

type running struct {
	*testing.T
	url    string
	deps   server.Deps
	server *server.Server
	http   *httptest.Server
	clock  *atomic.Int64 // nanoseconds that the server's clock was moved on
}

const killSecret = "correct-horse-battery-staple-and-more"

// machine has 2 GiB, of which the container may use 1 GiB and uses a quarter.
func machine() host.Reader {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return host.Reader{
		Files: fstest.MapFS{
			"proc/meminfo":                 file("MemTotal:       2097152 kB\nMemFree:         100000 kB\nMemAvailable:   1572864 kB\n"),
			"proc/loadavg":                 file("0.50 0.40 0.30 1/100 1234\n"),
			"proc/stat":                    file("cpu  100 0 100 800 0 0 0 0 0 0\n"),
			"sys/fs/cgroup/memory.max":     file("1073741824\n"),
			"sys/fs/cgroup/memory.current": file("301989888\n"),
			"sys/fs/cgroup/memory.stat":    file("anon 1\ninactive_file 33554432\n"),
		},
		Disk:  func(string) (uint64, uint64, error) { return 100_000_000_000, 40_000_000_000, nil },
		Sleep: func(context.Context, time.Duration) {},
		Cores: 2,
	}
}

func start(t *testing.T, change func(*server.Deps)) running {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	clock := new(atomic.Int64)
	store, err := memory.New("governance", memory.Options{Now: clockOf(clock)})
	if err != nil {
		t.Fatal(err)
	}
	d := server.Deps{
		BaseURL: "http://" + front.Listener.Addr().String(), KillSecret: killSecret, Build: "test", DataDir: t.TempDir(), Workspace: t.TempDir(), Audit: store, Now: clockOf(clock), Random: rand.Reader,
		Verify: (&auditor.Auditor{Store: store, Notes: store, Chain: "governance", Now: time.Now}).Report,
		Host:   machine(),
	}
	if change != nil {
		change(&d)
	}
	s, err := server.New(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	front.Config.Handler = s
	front.Start()
	return running{t, front.URL, d, s, front, clock}
}

// send sends one request; headers in pairs, Host among them.
func (r running) send(method, path, body string, headers ...string) (*http.Response, map[string]any) {
	r.Helper()
	request, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.Fatal(err)
	}
	var object map[string]any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &object); err != nil {
			r.Fatalf("%s %s: %d %q: %v", method, path, answer.StatusCode, text, err)
		}
	}
	return answer, object
}

// rpc calls a method on POST /mcp.
func (r running) rpc(method, params string, headers ...string) map[string]any {
	r.Helper()
	_, object := r.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, headers...)
	return object
}

func TestAnAgentInitializesListsAndCalls(t *testing.T) {
	r := start(t, nil)
	greeting := r.rpc("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)["result"].(map[string]any)
	if greeting["protocolVersion"] != "2025-06-18" || greeting["serverInfo"].(map[string]any)["version"] != "1.11.0" {
		t.Errorf("initialize: %v", greeting)
	}
	list := r.rpc("tools/list", "{}")["result"].(map[string]any)["tools"].([]any)
	if len(list) == 0 || !strings.Contains(sprint(list), "lint_mcp_config") {
		t.Errorf("tools/list: %v", list)
	}
	result := r.rpc("tools/call", `{"name":"lint_mcp_config","arguments":{"config":{"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}}}}`)["result"].(map[string]any)
	if found, ok := result["structuredContent"].(map[string]any); !ok || found["score"].(float64) >= 100 || result["isError"] != nil {
		t.Errorf("tools/call: %v", result)
	}
}

func sprint(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
