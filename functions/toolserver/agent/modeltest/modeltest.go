// Package modeltest is a provider of models for tests. It speaks the three wire formats as
// their references describe them, answers what a script says, and complains about every
// request that a real provider would not take, or that does not fit to what was said
// before.
//
// A script is a txtar archive. The name of each part is the status, and perhaps headers;
// its text is the body. {{n}} stands for the number of the request. The last part is
// repeated. A part named "cut" breaks the connection in the middle of its text.
package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// Key is what the server expects as the key.
const Key = "test-key-that-must-stay-hidden"

// Model is the name of its model.
const Model = "model-1"

// Server is a provider.
type Server struct {
	URL string

	t      testing.TB
	format format
	parts  []txtar.File
	before func(n int) // a request is answered

	mu       sync.Mutex
	requests []Request
	answered []byte // the message that the next request must repeat
}

// Request is what the server was asked.
type Request struct {
	Body      string
	MaxTokens int
}

// said is a message of either side, as far as it is compared.
type said struct {
	role    string
	calls   []string // ids
	results []string // ids
}

// format is what a wire format demands.
type format struct {
	path  string
	judge func(header http.Header) error
	read  func(body []byte) (said []said, maxTokens int, err error)
	calls func(body []byte) []string // ids of the calls in an answer
}

var formats = map[string]format{"anthropic": anthropic, "openai": openai, "bedrock": bedrock}

// Script is a script of this package, as testdata/NAME.API.txtar.
func Script(t testing.TB, api, name string) []byte {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "testdata", name+"."+api+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Start starts a provider. Before is called with the number of each request before it is
// answered; it may be nil.
func Start(t testing.TB, api string, script []byte, before func(n int)) *Server {
	t.Helper()
	f, ok := formats[api]
	s := &Server{
		t:      t,
		format: f,
		parts:  txtar.Parse(script).Files,
		before: before,
	}
	if !ok || len(s.parts) == 0 {
		t.Fatalf("no script for %q", api)
	}

	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests are what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	s.mu.Lock()
	if err == nil {
		err = s.check(r, body)
	}

	n := len(s.requests)
	s.mu.Unlock()
	if err != nil {
		s.t.Errorf("request %d: %v\n%s", n, err, body)
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"see the test"}}`,
			http.StatusBadRequest)
		return
	}

	if s.before != nil {
		s.before(n)
	}

	part := s.parts[min(n, len(s.parts))-1]
	text := bytes.ReplaceAll(part.Data, []byte("{{n}}"), []byte(strconv.Itoa(n)))
	s.answer(w, part.Name, text)
}

// answer sends a part: "200", "429 Retry-After: 1", or "cut".
func (s *Server) answer(w http.ResponseWriter, name string, text []byte) {
	if name == "cut" {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text[:len(text)/2])
		panic(http.ErrAbortHandler)
	}

	code, header, _ := strings.Cut(name, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		s.t.Errorf("the script has a part %q", name)
	}
	if key, value, ok := strings.Cut(header, ": "); ok {
		w.Header().Set(key, value)
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)

	if status == http.StatusOK {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answered = text
	}
}

// check judges a request; the lock is held.
func (s *Server) check(r *http.Request, body []byte) error {
	conversation, most, err := s.format.read(body)
	s.requests = append(s.requests, Request{string(body), most})
	switch {
	case r.Method != http.MethodPost ||
		r.URL.Path != s.format.path ||
		r.URL.RawQuery != "":
		return fmt.Errorf("%s %s", r.Method, r.URL)
	case r.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	case err != nil:
		return err
	case most < 1:
		return fmt.Errorf("at most %d tokens", most)
	}

	if err := s.format.judge(r.Header); err != nil {
		return err
	}
	if err := alternate(conversation); err != nil {
		return err
	}
	if s.answered == nil {
		return nil
	}

	if want := s.format.calls(s.answered); len(conversation) < 3 ||
		!slices.Equal(conversation[len(conversation)-2].calls, want) {
		return fmt.Errorf("the answer with the calls %v is not repeated", want)
	}

	return nil
}

// alternate reports whether the roles take turns and every call has its result at once.
func alternate(conversation []said) error {
	if len(conversation)%2 != 1 {
		return fmt.Errorf("%d messages", len(conversation))
	}
	var open []string
	for i, m := range conversation {
		if want := []string{"user", "assistant"}[i%2]; m.role != want {
			return fmt.Errorf("message %d is of %s", i, m.role)
		}
		if !slices.Equal(m.results, open) {
			return fmt.Errorf("message %d has results for %v, and open are %v", i, m.results, open)
		}
		if open = m.calls; m.role == "user" && len(open) > 0 {
			return fmt.Errorf("message %d of the user has calls", i)
		}
	}

	return nil
}

// strict reads JSON and refuses members that the format does not have.
func strict(body []byte, into any) error {
	reader := json.NewDecoder(bytes.NewReader(body))
	reader.DisallowUnknownFields()
	return reader.Decode(into)
}

// toolSchema refuses what no provider takes as the schema of a tool.
func toolSchema(name, description string, schema json.RawMessage) error {
	var object struct {
		Type       string
		Properties map[string]any
	}
	if json.Unmarshal(schema, &object) != nil ||
		object.Type != "object" ||
		object.Properties == nil ||
		name == "" ||
		description == "" {
		return fmt.Errorf("tool %q has the schema %s", name, schema)
	}
	return nil
}
