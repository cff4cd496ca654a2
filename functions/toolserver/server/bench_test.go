package server_test

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit/memory"
)

const overviewCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_governance_system_info","arguments":{"topic":"overview"}}}`

// benchServer has a clock that moves on at each look, so that the rate is no limit.
func benchServer(tb testing.TB) *server.Server {
	tb.Helper()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(io.Discard, nil)))
	tb.Cleanup(func() { slog.SetDefault(before) })
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	began, clock := time.Now(), new(atomic.Int64)
	s, err := server.New(server.Deps{
		BaseURL: "http://tools.example", KillSecret: killSecret, DataDir: tb.TempDir(), Audit: store, Random: rand.Reader, Host: machine(),
		Now: func() time.Time { return began.Add(time.Duration(clock.Add(int64(time.Second)))) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// harness is what a measurement of a handler itself costs.
var harness = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })

// callOnce calls a tool without the network.
func callOnce(tb testing.TB, handler http.Handler) {
	r := httptest.NewRequest("POST", "http://tools.example/mcp", strings.NewReader(overviewCall))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != 200 || strings.Contains(w.Body.String(), "isError") {
		tb.Fatal(w.Code, w.Body)
	}
}

// A call through access, engine and validation, without the network, beside what
// the harness itself costs.
func BenchmarkToolsCall(b *testing.B) {
	for name, handler := range map[string]http.Handler{"server": benchServer(b), "harness": harness} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				callOnce(b, handler)
			}
		})
	}
}

// The garbage of a call limits how many calls a small task can serve.
func TestACallAllocatesAtMostTenKilobytes(t *testing.T) {
	const calls, most = 2000, 10 << 10
	each := func(handler http.Handler) uint64 {
		callOnce(t, handler) // what is made once is made now
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			callOnce(t, handler)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / calls
	}
	n := each(benchServer(t)) - each(harness)
	t.Logf("figure: %d bytes allocated for each tools/call", n)
	if n > most && !raceDetector {
		t.Errorf("%d bytes for each call, the bound is %d", n, most)
	}
}
