package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the answers of the transcripts")

// The transcripts in testdata/http and testdata/mcp are sessions with a fresh service:
// requests, and the answers to them. testdata/http/README.md explains the format, so that
// another service can be compared with them.
func TestTranscripts(t *testing.T) {
	var files []string
	for _, pattern := range []string{"http", "mcp"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern, "*.txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) == 0 || len(archive.Files)%2 != 0 {
				t.Fatalf("requests and answers by turns: %v", err)
			}
			s := &transcript{running: start(t)}
			for i := 0; i < len(archive.Files); i += 2 {
				request, answer := archive.Files[i], &archive.Files[i+1]
				got := s.exchange(string(request.Data))
				if !*update && string(answer.Data) != got {
					t.Errorf("%s is\n%s\nwant\n%s", answer.Name, got, answer.Data)
				}
				answer.Data = []byte(got)
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// transcript is a session under way.
type transcript struct {
	*running
	payment string // the last one
}

// exchange sends a request as it is written, and gives the answer as it is to be written.
func (s *transcript) exchange(text string) string {
	s.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	first, rest, _ := strings.Cut(head, "\n")
	method, path, ok := strings.Cut(first, " ")
	if !ok {
		s.Fatalf("no request: %q", first)
	}
	var header []string
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch value {
		case "{payment}":
			s.payment = s.running.payment(method, path)
			value = s.payment
		case "{same payment}":
			value = s.payment
		}
		header = append(header, name, value)
	}
	return s.written(s.call(method, path, strings.TrimSuffix(body, "\n"), header...))
}

// writtenHeaders are those that clients rely on.
var writtenHeaders = []string{"Content-Type", "Cache-Control", "Retry-After", "Allow", "WWW-Authenticate"}

func (s *transcript) written(a answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", a.status, http.StatusText(a.status))
	for _, name := range writtenHeaders {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	for _, name := range []string{"Payment-Required", "Payment-Response"} {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, s.decoded(value, a.body))
		}
	}
	return b.String() + "\n" + s.plain(a.body)
}

// decoded is the value of a header of base64: its own JSON in one line, or that it says what the body says.
func (s *transcript) decoded(value string, body []byte) string {
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		s.Errorf("%q is no base64", value)
	}
	if same(raw, body) {
		return "{the body, in base64}"
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s.plain(raw))); err != nil {
		s.Error(err)
	}
	return "{in base64} " + b.String()
}

func same(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// changing are parts of answers that differ from one run to the next.
var changing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`0x[0-9a-f]{130}`), "{signature}"},
	{regexp.MustCompile(`0x[0-9a-f]{64}`), "{hash}"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "{hash}"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "{time}"},
	{regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`), "{id}"},
	{regexp.MustCompile(`"(request_id|requestId)": "[^"]*"`), `"$1": "{id}"`},
	{regexp.MustCompile(`"(duration_ms|durationMs|issuedAt|validUntil|uptime_s|build|vkey|checkpoint|free_ram_mb)": ("[^"]*"|\d+|null)`), `"$1": "{varies}"`},
	{regexp.MustCompile(`"(head_proof)": \[[^\]]*\]`), `"$1": "{varies}"`},
	{regexp.MustCompile(`"(bytes)": \d+`), `"$1": "{varies}"`},
	{regexp.MustCompile(`"(nonce|signer|address)": "[^"{]*"`), `"$1": "{varies}"`},
}

// plain is a body with fixed names for what changes. JSON is indented; a text of more
// than 12 lines is cut.
func (s *transcript) plain(body []byte) string {
	var indented bytes.Buffer
	text := string(body)
	if json.Indent(&indented, bytes.TrimSpace(body), "", "  ") == nil {
		text = indented.String() + "\n"
	} else if lines := strings.SplitAfter(text, "\n"); len(lines) > 12 {
		text = strings.Join(slices.Clip(lines[:12]), "") + "{and so on}\n"
	}
	text = strings.ReplaceAll(text, s.url, "{base_url}")
	text = strings.ReplaceAll(text, strings.TrimPrefix(s.url, "http://"), "{host}")
	text = within.ReplaceAllStringFunc(text, s.within)
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.name)
	}
	return text
}

// within finds a text that is JSON itself, as a tool's answer has one.
var within = regexp.MustCompile(`"\{(?:[^"\\]|\\.)*"`)

// within is such a text with the fixed names in it.
func (s *transcript) within(quoted string) string {
	var text string
	var compact bytes.Buffer
	if json.Unmarshal([]byte(quoted), &text) != nil || !json.Valid([]byte(text)) {
		return quoted
	}
	if err := json.Compact(&compact, []byte(s.plain([]byte(text)))); err != nil {
		s.Error(err)
	}
	again, err := json.Marshal(compact.String())
	if err != nil {
		s.Error(err)
	}
	return string(again)
}
