package toolserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver"
)

// running is a tool server on a loopback port.
type running struct {
	*testing.T
	url string
}

func start(t *testing.T, change func(*toolserver.Deps)) running {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	d := toolserver.Deps{BaseURL: server.URL, Now: time.Now}
	if change != nil {
		change(&d)
	}
	s, err := toolserver.New(d)
	if err != nil {
		t.Fatal(err)
	}
	handler = s
	return running{t, server.URL}
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
