package main

import (
	"strings"
	"testing"

	"governance.internal/shared/dynamotest"
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

// With a state table the laptop is a task among others: it has a lease, and gives it up.
func TestALaptopIsATaskAmongOthers(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	settings := map[string]string{"STATE_TABLE": table, "DYNAMODB_ENDPOINT": endpoint}
	leases := func() (addresses []any) {
		for _, item := range dynamotest.Scan(t, endpoint, table) {
			if strings.HasPrefix(item["pk"]["S"].(string), "TASK#") {
				addresses = append(addresses, item["addr"]["S"])
			}
		}
		return addresses
	}
	t.Run("running", func(t *testing.T) {
		r := startWith(t, t.TempDir(), func(name string) (string, bool) { value, ok := settings[name]; return value, ok })
		if got := leases(); len(got) != 1 || got[0] != r.addr {
			t.Errorf("leases of %v, want %s", got, r.addr)
		}
	})
	if got := leases(); len(got) != 0 {
		t.Errorf("leases of %v after the end", got)
	}
}
