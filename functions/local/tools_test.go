package main

import (
	"strings"
	"testing"
)

// The tool server stands on the port of the service and lints as the paid endpoint
// does.
func TestToolsAreOnTheSamePort(t *testing.T) {
	r := start(t)
	a := r.call("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint_mcp_config","arguments":{"config":`+sampleConfig+`}}}`)
	wantStatus(t, a, 200, "lint_mcp_config")
	if !strings.Contains(string(a.body), `"score":59`) {
		t.Errorf("answer %s", a.body)
	}
	if refused := r.call("POST", "/mcp", `{}`, "Origin", "https://page.example"); refused.status != 403 {
		t.Errorf("a page of another origin: %d", refused.status)
	}
	if public := r.call("GET", "/x402/products", "", "Origin", "https://page.example"); public.status != 200 {
		t.Errorf("the public routes: %d", public.status)
	}
}
