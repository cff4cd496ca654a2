package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/telemetry"
)

// collector keeps what is reported to it.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	text string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text += string(body)
	}))
	t.Cleanup(c.Close)
	return c
}

// A call is a part of the trace that its client names in _meta, over both transports, and
// neither its arguments nor its results are in it.
func TestACallIsAPartOfItsClientsTrace(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	call := `{"name":"preflight_check","arguments":{"path":"secret-plans.txt","action":"write"},"_meta":{"traceparent":"00-` + trace + `-b7ad6b7169203331-01"}}`
	for name, send := range map[string]func(running){
		"mcp": func(r running) { r.rpc("tools/call", call) },
		"sse": func(r running) {
			s := r.open("/sse")
			s.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			s.event("message")
			s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			s.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + call + `}`)
			s.event("message")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollector(t)
			recorder := telemetry.New(telemetry.Options{Endpoint: c.URL, Service: "tools", Ratio: 1})
			send(start(t, func(d *server.Deps) { d.Telemetry = recorder }))
			recorder.Flush(t.Context())
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, say := range []string{`"traceId":"` + trace + `"`, `"name":"tools/call preflight_check"`, `"parentSpanId":"b7ad6b7169203331"`, `"mcp.server.operation.duration"`} {
				if !strings.Contains(c.text, say) {
					t.Errorf("%s is not in %s", say, c.text)
				}
			}
			if strings.Contains(c.text, "secret-plans") {
				t.Errorf("an argument was reported: %s", c.text)
			}
		})
	}
}
