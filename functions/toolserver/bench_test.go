package toolserver_test

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver"
	"governance.internal/shared/audit/memory"
)

// A call through guard, dispatcher and validation, without the network, beside what
// the harness itself costs. The clock moves on at each look, so that the rate is no
// limit.
func BenchmarkToolsCall(b *testing.B) {
	slog.SetDefault(slog.New(slog.NewJSONHandler(io.Discard, nil)))
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	s, err := toolserver.New(toolserver.Deps{
		BaseURL: "http://tools.example", KillSecret: killSecret, DataDir: b.TempDir(), Audit: store, Random: rand.Reader, Host: machine(),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_governance_system_info","arguments":{"topic":"overview"}}}`
	for name, handler := range map[string]http.Handler{"server": s, "harness": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("POST", "http://tools.example/mcp", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != 200 || strings.Contains(w.Body.String(), "isError") {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
