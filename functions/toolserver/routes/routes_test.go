package routes

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// draining is a server that takes no more work.
type draining struct{}

func (draining) Halted() *killswitch.Halt { return nil }
func (draining) Draining() bool           { return true }
func (draining) Sessions() int            { return 3 }
func (draining) Chain() string            { return "valid" }
func (draining) Now() time.Time           { return time.Now() }

func routesOf(t *testing.T) http.Handler {
	t.Helper()
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}

	unused := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}
	return New(Deps{
		About:    About{Base: &url.URL{Scheme: "http", Host: "localhost"}},
		MCP:      MCP{Stateless: http.HandlerFunc(unused), Open: unused, Message: unused},
		Health:   draining{},
		Trail:    trail,
		Metadata: unused,
		Leaving:  context.Background(),
	})
}

func ask(t *testing.T, handler http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// The program that serves everything asks Serves before it hands on a request, so both
// must know the same paths.
func TestServesKnowsThePathsThatAreBound(t *testing.T) {
	handler := routesOf(t)
	for _, path := range append([]string{"/dispatches/one/log", "/dispatches/one/end"}, paths...) {
		if !Serves(path) {
			t.Errorf("%s is not served", path)
		}
		if path == "/mcp" {
			continue // answers every method itself
		}

		answer := ask(t, handler, http.MethodDelete, path)
		allowed := answer.Header().Get("Allow")
		if answer.Code != http.StatusMethodNotAllowed || allowed == "" {
			t.Errorf("DELETE %s: %d, allowed %q", path, answer.Code, allowed)
		}
	}

	for _, path := range []string{"/dispatches/one", "/kill/now", "/x402/audit-mcp"} {
		if Serves(path) {
			t.Errorf("%s is no path of the server", path)
		}
		if answer := ask(t, handler, http.MethodGet, path); answer.Code != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, answer.Code)
		}
	}
}

func TestADrainingServerTakesNoMoreWork(t *testing.T) {
	answer := ask(t, routesOf(t), http.MethodGet, "/health")
	text := answer.Body.String()
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(text, `"status": "draining"`) {
		t.Errorf("%d %s", answer.Code, text)
	}
}

func TestAPageOfEntriesBeginsAfterTheOneThatIsAskedFor(t *testing.T) {
	for _, tc := range []struct {
		asked string
		last  uint64
		want  uint64
	}{
		{"", 0, 0},
		{"", 10, 0},
		{"", 70, 20},
		{"7", 70, 7},
	} {
		got, err := firstOf(tc.asked, tc.last)
		if err != nil || got != tc.want {
			t.Errorf("after %q of %d: %d %v, want %d", tc.asked, tc.last, got, err, tc.want)
		}
	}

	for _, asked := range []string{"-1", "1.5", "x", "99999999999999999999"} {
		if _, err := firstOf(asked, 70); err == nil {
			t.Errorf("after %q is taken", asked)
		}
	}
}

var _ Trail = audit.Store(nil)
