package scan

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func post(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/scan", strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func fixed() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func TestADescriptionIsScored(t *testing.T) {
	w := post(New(fixed), `{"description":"Nothing is deployed unless an engineer has approved it."}`)
	var answer struct {
		Score      int
		Dimensions []struct {
			Name  string
			Level int
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if w.Code != 200 || answer.Score == 0 || len(answer.Dimensions) != 9 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnEmptyDescriptionIsNoError(t *testing.T) {
	w := post(New(fixed), `{"description":""}`)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"score": 0`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	long := `{"description":"` + strings.Repeat("a", 20_001) + `"}`
	tests := []struct {
		name, body string
		header     []string
		status     int
		says       string
	}{
		{"no JSON", "{", nil, 400, "invalid_json"},
		{"nothing", "", nil, 400, "invalid_json"},
		{"another member", `{"text":"x"}`, nil, 400, "invalid_json"},
		{"two values", `{"description":"x"}{}`, nil, 400, "invalid_json"},
		{"not UTF-8", "{\"description\":\"\xff\"}", nil, 400, "invalid_json"},
		{"no description", `{}`, nil, 400, "invalid_description"},
		{"too long", long, nil, 400, "invalid_description"},
		{"far too long", strings.Repeat(" ", 200_000), nil, 413, "body_too_large"},
		{"a form", "description=x", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
	}
	for _, test := range tests {
		w := post(New(fixed), test.body, test.header...)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.says) {
			t.Errorf("%s: %d %s", test.name, w.Code, w.Body)
		}
	}
}

func TestEachAddressHasItsOwnRate(t *testing.T) {
	now := fixed()
	h := New(func() time.Time { return now })
	call := func(address string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/scan", strings.NewReader(`{"description":""}`))
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}

	for i := range burst {
		if w := call("192.0.2.1:1000"); w.Code != 200 {
			t.Fatalf("call %d: %d", i, w.Code)
		}
	}
	w := call("192.0.2.1:2000")
	if w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := call("192.0.2.2:1000"); w.Code != 200 {
		t.Errorf("another address: %d", w.Code)
	}

	now = now.Add(time.Second)
	if w := call("192.0.2.1:1000"); w.Code != 200 {
		t.Errorf("a second later: %d", w.Code)
	}
}
