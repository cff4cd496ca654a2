package endpoint

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/agent/chat"
)

// post sends a request with a key to a handler.
func post(t *testing.T, handler http.HandlerFunc) ([]byte, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	return Post(t.Context(), Client(), server.URL, http.Header{"X-Api-Key": {"the key"}}, map[string]int{"a": 1})
}

// A redirect would send the key to another host.
func TestNoRedirectIsFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server is asked, with %v", r.Header)
	}))
	defer other.Close()
	_, err := post(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if err == nil || !strings.Contains(err.Error(), "307") {
		t.Error(err)
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	_, err := post(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, 2*MostAnswer))
	})
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
	_, err = post(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"error":{"type":"invalid","message":"`+strings.Repeat("é", 1000)+`"}}`)
	})
	if err == nil || len(err.Error()) > 400 || !strings.Contains(err.Error(), "invalid: é") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// Only errors that a retry may fix are retried, and no error contains the key.
func TestWhatIsAskedAgain(t *testing.T) {
	for status, again := range map[int]bool{400: false, 401: false, 403: false, 404: false, 413: false, 408: true, 429: true, 500: true, 503: true, 529: true /* Anthropic: overloaded */} {
		_, err := post(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		})
		busy := new(chat.Busy)
		if errors.As(err, &busy) != again || again && busy.After != 7*time.Second || strings.Contains(err.Error(), "the key") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if _, err := Post(t.Context(), Client(), "http://127.0.0.1:1", http.Header{}, 1); !errors.As(err, new(*chat.Busy)) {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "3": 3 * time.Second, "-3": 0, "soon": 0, "Sat, 21 Nov 2026 12:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
