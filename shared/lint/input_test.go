package lint_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// TestInputErrors checks that a document that cannot be linted is refused with a code and a detail
// that says what to do.
func TestInputErrors(t *testing.T) {
	for _, c := range []struct{ doc, code, detail string }{
		{``, "not_json", "empty"},
		{"  \n", "not_json", "empty"},
		{`{`, "not_json", "ends too early, at 1:2"},
		{"{\n  \"mcpServers\": {\n    \"a\": }\n}", "not_json", "at 3:10"},
		{`{"mcpServers":{},}`, "not_json", "trailing comma"},
		{`{"mcpServers":[1,]}`, "not_json", "trailing comma"},
		{`{'mcpServers':{}}`, "not_json", "double quotes"},
		{`{mcpServers:{}}`, "not_json", "double quotes"},
		{`{"mcpServers":{"a":{"command":'x'}}}`, "not_json", "single quote"},
		{`{"a" 1}`, "not_json", "colon"},
		{`{"a":1 "b":2}`, "not_json", "comma"},
		{`{"a":01}`, "not_json", "number"},
		{`{"a":1.}`, "not_json", "number"},
		{`{"a":tru}`, "not_json", "unexpected text"},
		{`{"a":"C:\Users"}`, "not_json", "backslash"},
		{`{"a":"\u12x4"}`, "not_json", "escape"},
		{"{\"a\":\"x\ny\"}", "not_json", "line break"},
		{`mcpServers: {}`, "not_json", "unexpected text"},
		{"// c\n{}", "comments", "1:1"},
		{"{\n  // c\n \"servers\":{}}", "comments", "2:3"},
		{`{"servers":{} /* c */}`, "comments", "comment"},
		{"# c\n{}", "comments", "comment"},
		{`{"servers":{}} // c`, "comments", "comment"},
		{`{"servers":{}}{"servers":{}}`, "multiple_documents", "1:15"},
		{"{\"servers\":{}}\n\n[]", "multiple_documents", "3:1"},
		{`{"servers":{}} x`, "not_json", "after the document"},
		{`{"mcpServers":{},"mcpServers":{}}`, "duplicate_key", "/mcpServers"},
		{`{"mcpServers":{"a":{"env":{"X":"1"},"env":{}}}}`, "duplicate_key", "/mcpServers/a/env"},
		{`{"mcpServers":{"a/b":{"x":[{"k":1,"\u006b":2}]}}}`, "duplicate_key", "/mcpServers/a~1b/x/0/k"},
		{strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), "too_deep", "64"},
		{strings.Repeat(`[`, 60000), "too_deep", "64"},
		{"{\"a\":\"\xff\"}", "invalid_utf8", "1:7"},
		{"\xff\xfe{\x00}\x00", "invalid_utf8", "UTF-16"},
		{`[]`, "wrong_type", "an array"},
		{`"mcpServers"`, "wrong_type", "a string"},
		{`null`, "wrong_type", "null"},
		{`{"mcpServers":null}`, "wrong_type", "/mcpServers is null"},
		{`{"mcpServers":"x"}`, "wrong_type", "/mcpServers is a string"},
		{`{"mcpServers":{"a":"npx"}}`, "wrong_type", "/mcpServers/a is a string"},
		{`{"servers":["x"]}`, "wrong_type", "/servers/0 is a string"},
		{`{}`, "no_servers", "mcpServers"},
		{`{"McpServers":{}}`, "no_servers", "case-sensitive"},
		{`{"mcp":{}}`, "no_servers", "mcpServers"},
		{`{"Command":"npx"}`, "no_servers", "mcpServers"},
		{`{"theme":"dark"}`, "no_servers", "mcpServers"},
	} {
		_, err := lint.Lint([]byte(c.doc))
		var input *lint.InputError
		if !errors.As(err, &input) {
			t.Errorf("%.60s: %v", c.doc, err)
			continue
		}
		if input.Code != c.code || !strings.Contains(input.Detail, c.detail) || len(input.Detail) > 400 {
			t.Errorf("%.60s: %s: %s", c.doc, input.Code, input.Detail)
		}
	}
}

// TestDialects checks that every way of writing a server down is read, with the right names.
func TestDialects(t *testing.T) {
	const s = `{"command":"npx","args":["pkg"]}`
	for _, c := range []struct {
		doc   string
		names string
		path  string
	}{
		{`{"mcpServers":{"a":` + s + `}}`, "a", "/mcpServers/a/args/0"},
		{"\xef\xbb\xbf" + `{"mcpServers":{"a":` + s + `}}`, "a", "/mcpServers/a/args/0"},
		{`{"servers":{"a":` + s + `},"inputs":[]}`, "a", "/servers/a/args/0"},
		{`{"servers":[{"name":"a","command":"npx","args":["pkg"]}]}`, "a", "/servers/0/args/0"},
		{`{"servers":[` + s + `]}`, "server", "/servers/0/args/0"},
		{`{"mcp":{"servers":{"a":` + s + `}}}`, "a", "/mcp/servers/a/args/0"},
		{`{"mcp.servers":{"a":` + s + `}}`, "a", "/mcp.servers/a/args/0"},
		{`{"mcp_servers":{"a":` + s + `}}`, "a", "/mcp_servers/a/args/0"},
		{`{"mcp_servers":[{"type":"url","url":"http://a.tld/x","name":"a"}]}`, "a", "/mcp_servers/0/url"},
		{`{"context_servers":{"a":{"command":{"path":"npx","args":["pkg"]}}}}`, "a", "/context_servers/a/command/args/0"},
		{`{"mcp":{"a":{"type":"local","command":["npx","pkg"],"enabled":true}}}`, "a", "/mcp/a/command/1"},
		{`{"projects":{"/srv/x":{"mcpServers":{"a":` + s + `}}}}`, "a", "/projects/~1srv~1x/mcpServers/a/args/0"},
		{`{"a":` + s + `}`, "a", "/a/args/0"},
		{s, "server", "/args/0"},
		{`{"url":"http://a.tld/x"}`, "server", "/url"},
		{`{"mcpServers":{"b":` + s + `,"a":` + s + `}}`, "a b", "/mcpServers/a/args/0"},
		{`{"mcpServers":{"a":` + s + `},"servers":{"a":` + s + `}}`, "a a", "/mcpServers/a/args/0"},
		{`{"mcpServers":{"_comment":"text","//":"more","a":` + s + `}}`, "a", "/mcpServers/a/args/0"},
	} {
		result, err := lint.Lint([]byte(c.doc))
		if err != nil {
			t.Errorf("%s: %v", c.doc, err)
			continue
		}
		var names []string
		for _, f := range result.Findings {
			names = append(names, f.Server)
		}
		if got := strings.Join(names, " "); got != c.names || result.Findings[0].Path != c.path || result.Summary.Servers != len(names) {
			t.Errorf("%s: %q %q, %d servers", c.doc, got, result.Findings[0].Path, result.Summary.Servers)
		}
	}
}

func TestEmptyConfiguration(t *testing.T) {
	for _, doc := range []string{`{"mcpServers":{}}`, `{"servers":{}}`, `{"servers":[]}`, `{"mcp":{"servers":{}}}`} {
		result, err := lint.Lint([]byte(doc))
		if err != nil || result.Score != 100 || result.Summary.Servers != 0 {
			t.Errorf("%s: %+v, %v", doc, result, err)
		}
		raw, _ := json.Marshal(result)
		if want := `{"score":100,"findings":[],"summary":{"servers":0,"errors":0,"warns":0,"infos":0,"ruleset":"` + lint.Ruleset + `"}}`; string(raw) != want {
			t.Errorf("%s", raw)
		}
	}
}

// TestCount checks that a rule about anything but a secret that is broken in many places is one
// finding, and that the first place does not depend on the order of keys.
func TestCount(t *testing.T) {
	result, err := lint.Lint([]byte(`{"mcpServers":{"s":{"command":"x","env":{"Z_URL":"http://z.tld","A_SSL_VERIFY":"false","M_URL":"http://a.tld","Z_SSL_VERIFY":"0"}}}}`))
	if err != nil || len(result.Findings) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	for i, want := range []string{"/mcpServers/s/env/M_URL", "/mcpServers/s/env/A_SSL_VERIFY"} {
		if f := result.Findings[i]; f.Count != 2 || f.Path != want {
			t.Errorf("%+v, want %s", f, want)
		}
	}
}

// TestNamesAreSafe checks that no name can rewrite the line it is printed on.
func TestNamesAreSafe(t *testing.T) {
	name := "\u202egnp\nx\u200b\x1b[31m\x7f\u2066\U000e0041"
	doc, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{
		"command": "npx", "args": []string{"-y", "p\u202ek\x1bg"}, "env": map[string]string{"A\u200b\u202e_PASSWORD": "hunter2hunter"}}}})
	result, err := lint.Lint(doc)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"result": result})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(raw) {
		if r < ' ' || r > '~' {
			t.Errorf("%U in %s", r, raw)
		}
	}
	var back struct{ Result lint.Result }
	if err := json.Unmarshal(raw, &back); err != nil || back.Result.Findings[0].Server != name {
		t.Errorf("%q, %v", back.Result.Findings[0].Server, err)
	}
	for _, f := range result.Findings {
		for _, r := range f.Message + f.Hint {
			if r < ' ' || r > '~' {
				t.Errorf("%U in %q", r, f.Message)
			}
		}
	}
}

// TestNothingIsContacted checks that the package has no means to start a program, open a file or
// reach a network: it imports nothing that could.
func TestNothingIsContacted(t *testing.T) {
	for _, folder := range []string{".", "../secretscan"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range file.Imports {
				switch name := strings.Trim(spec.Path.Value, `"`); name {
				case "os", "os/exec", "net", "net/http", "net/url", "syscall", "unsafe", "plugin", "log", "log/slog", "time", "math/rand", "io/fs":
					t.Errorf("%s imports %s", path, name)
				}
			}
		}
	}
}
