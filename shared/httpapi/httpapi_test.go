package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// serve runs routes on a real server and returns a client of it.
func serve(t *testing.T, routes ...Route) func(method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(Mux(routes))
	t.Cleanup(server.Close)
	return func(method, path, body string, headers ...string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(text)
	}
}

// logged collects the log during a test.
func logged(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

func fails(err error) http.Handler {
	return Handle(func(*http.Request) (Response, error) { return Response{}, err })
}

func problem(t *testing.T, body string) map[string]any {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	return p
}

func TestAProblemSaysWhatIsWrong(t *testing.T) {
	known := &Error{Status: 409, Code: "conflict", Detail: "Taken.", RetryAfter: 1500 * time.Millisecond, Members: map[string]any{"statusUrl": "/s", "status": "mine"}}
	get := serve(t, Route{"GET", "/known", fails(fmt.Errorf("wrapped: %w", NotCharged(known)))})
	res, body := get("GET", "/known", "")
	p := problem(t, body)
	id := res.Header.Get("X-Request-Id")
	for name, want := range map[string]any{"type": "about:blank", "title": "Conflict", "status": 409.0, "code": "conflict",
		"detail": "Taken.", "statusUrl": "/s", "charged": false, "request_id": id} {
		if p[name] != want {
			t.Errorf("%s is %v, want %v", name, p[name], want)
		}
	}
	if res.StatusCode != 409 || len(p) != 8 || len(id) != 24 || !strings.HasSuffix(body, "}\n") {
		t.Errorf("status %d, %d members, request id %q", res.StatusCode, len(p), id)
	}
	for name, want := range map[string]string{"Content-Type": "application/problem+json", "Cache-Control": "no-store", "Retry-After": "2",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, changed := known.Members["charged"]; changed {
		t.Error("NotCharged changed its argument")
	}
}

func TestEveryRequestHasItsOwnID(t *testing.T) {
	var inside string
	get := serve(t, Route{"GET", "/x", Handle(func(r *http.Request) (Response, error) {
		inside = RequestID(r.Context())
		return JSON(nil)
	})})
	a, _ := get("GET", "/x", "", "X-Request-Id", "chosen-by-the-client")
	b, _ := get("GET", "/x", "")
	if first, second := a.Header.Get("X-Request-Id"), b.Header.Get("X-Request-Id"); first == second || second != inside || first == "chosen-by-the-client" {
		t.Errorf("ids %q and %q, the handler saw %q", first, second, inside)
	}
	if RequestID(t.Context()) != "" {
		t.Error("an id outside of a request")
	}
}

func TestOtherFailuresTellOnlyTheRequestID(t *testing.T) {
	log := logged(t)
	get := serve(t, Route{"GET", "/error", fails(errors.New("secret cause"))},
		Route{"GET", "/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret cause") })})
	for _, path := range []string{"/error", "/panic"} {
		log.Reset()
		res, body := get("GET", path, "")
		p := problem(t, body)
		if res.StatusCode != 500 || strings.Contains(body, "secret") || p["code"] != "internal" || p["request_id"] != res.Header.Get("X-Request-Id") {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
		if text := log.String(); !strings.Contains(text, "secret cause") || !strings.Contains(text, res.Header.Get("X-Request-Id")) {
			t.Errorf("%s: log %s", path, text)
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	get := serve(t, Route{"GET", "/a", Static(JSON("a"))}, Route{"POST", "/a", Static(JSON("b"))}, Route{"POST", "/b", Static(JSON("c"))},
		Route{"GET", "/p/{id}", Static(JSON("d"))})
	for _, tc := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/a", 200, ""}, {"POST", "/a", 200, ""}, {"GET", "/p/1", 200, ""}, {"HEAD", "/a", 200, ""},
		{"DELETE", "/a", 405, "GET, POST"}, {"GET", "/b", 405, "POST"}, {"HEAD", "/b", 405, "POST"}, {"PUT", "/p/1", 405, "GET"},
		{"GET", "/", 404, ""}, {"GET", "/a/", 404, ""}, {"GET", "/p/1/2", 404, ""}, {"DELETE", "/c", 404, ""},
	} {
		res, body := get(tc.method, tc.path, "")
		if res.StatusCode != tc.status || res.Header.Get("Allow") != allowed(tc.allow) {
			t.Errorf("%s %s: %d, Allow %q", tc.method, tc.path, res.StatusCode, res.Header.Get("Allow"))
		}
		if tc.status >= 400 && tc.method != "HEAD" && problem(t, body)["status"] != float64(tc.status) {
			t.Errorf("%s %s: %s", tc.method, tc.path, body)
		}
	}
}

func TestHEADIsGETWithoutItsBody(t *testing.T) {
	get := serve(t, Route{"GET", "/a", Static(JSON(map[string]int{"a": 1}))})
	whole, body := get("GET", "/a", "")
	head, none := get("HEAD", "/a", "")
	if body != "{\n  \"a\": 1\n}\n" || none != "" || head.ContentLength != int64(len(body)) || head.Header.Get("Content-Type") != whole.Header.Get("Content-Type") {
		t.Errorf("GET %q, HEAD %q with length %d", body, none, head.ContentLength)
	}
}

func TestBodiesAreBoundedAndJSON(t *testing.T) {
	const limit = 16
	get := serve(t, Route{"POST", "/x", Handle(func(r *http.Request) (Response, error) {
		body, err := ReadJSON(r, limit)
		return Text("text/plain", body), err
	})})
	for _, tc := range []struct {
		body, contentType, encoding, want string
		status                            int
	}{
		{`{"a":1}`, "application/json", "", `{"a":1}`, 200},
		{`{"a":1}`, "Application/JSON; charset=utf-8", "", `{"a":1}`, 200},
		{`{"a":1}`, "", "", `{"a":1}`, 200},
		{"", "", "", "", 200},
		{strings.Repeat("x", limit), "application/json", "", strings.Repeat("x", limit), 200},
		{strings.Repeat("x", limit+1), "application/json", "", "body_too_large", 413},
		{`{}`, "text/plain", "", "unsupported_media_type", 415},
		{`{}`, "application/jsonp", "", "unsupported_media_type", 415},
		{`{}`, "no/type/at all;", "", "unsupported_media_type", 415},
		{`{}`, "application/json", "gzip", "unsupported_content_encoding", 415},
	} {
		headers := []string{}
		if tc.contentType != "" {
			headers = append(headers, "Content-Type", tc.contentType)
		}
		if tc.encoding != "" {
			headers = append(headers, "Content-Encoding", tc.encoding)
		}
		res, body := get("POST", "/x", tc.body, headers...)
		if res.StatusCode == 200 && body == tc.want && tc.status == 200 {
			continue
		}
		if res.StatusCode != tc.status || tc.status == 200 || problem(t, body)["code"] != tc.want {
			t.Errorf("%q as %q: %d %s, want %d %s", tc.body, tc.contentType, res.StatusCode, body, tc.status, tc.want)
		}
	}
}

func TestABodyMayHaveFurtherMediaTypes(t *testing.T) {
	for contentType, accepted := range map[string]bool{
		"": true, "application/json": true, "text/csv; charset=utf-8": true, "multipart/form-data; boundary=x": true,
		"text/html": false, "text/csvx": false,
	} {
		r := httptest.NewRequest("POST", "/x", strings.NewReader("a,b"))
		r.Header.Set("Content-Type", contentType)
		body, err := ReadBody(r, 10, "text/csv", "multipart/form-data")
		if accepted != (err == nil) || accepted && string(body) != "a,b" {
			t.Errorf("%q: %q, %v", contentType, body, err)
		}
		if err != nil && !strings.Contains(err.Error()+err.(*Error).Detail, "text/csv") {
			t.Errorf("%q: the error does not name what is accepted: %v", contentType, err)
		}
	}
}

func TestABodyThatBreaksOffIs400(t *testing.T) {
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(`{"a"`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	_, err := ReadJSON(r, 100)
	var known *Error
	if !errors.As(err, &known) || known.Status != 400 || known.Code != "body_incomplete" {
		t.Errorf("error %v", err)
	}
}

func TestAStaticAnswerThatCannotBeMadeStopsTheStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it started")
		}
	}()
	Static(JSON(func() {}))
}

func TestAnswersCarryTheirLengthAndType(t *testing.T) {
	w := httptest.NewRecorder()
	Text("text/markdown", []byte("# ü")).Write(w)
	if w.Header().Get("Content-Length") != "4" || w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("headers %v", w.Header())
	}
}

// allowed adds OPTIONS, which every known path answers, to the methods of a path.
func allowed(methods string) string {
	if methods == "" {
		return ""
	}
	return methods + ", OPTIONS"
}
