package lint_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// The tables below have one case a line: a server in short form, "=>", and the codes expected of
// it with their gravest severity. The short forms are
//
//	npx -y pkg            a command line; single quotes group
//	ENV NAME=value        a variable of a harmless server
//	HEADER Name: value    a header of a harmless endpoint
//	URL https://…         an endpoint
//	{…}                   a server object as JSON
//
// @NAME@ stands for a token of that form (fakes), so that no file of the repository holds one.

// fakes are tokens of the right form, put together at run time.
var fakes = map[string]string{
	"@GITHUB@":    "ghp" + "_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMn",
	"@FINE@":      "github" + "_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdefGHIJKL",
	"@OPENAI@":    "sk-" + "proj-Zx9Kq2LmN8pRs4TuV6wYz7AbC1dEf3GhJ5kMnQ",
	"@ANTHROPIC@": "sk-" + "ant-api03-Zx9Kq2LmN8pRs4TuV6wYz7AbC1dEf3GhJ5kMnQ",
	"@AWS@":       "AK" + "IAZ7Q4X2M8K5P3R9T6",
	"@GOOGLE@":    "AI" + "zaSyB7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5k",
	"@SLACK@":     "xo" + "xb-2847561930-5839201746-Kq2LmN9pRs4TuV6wYz8AbC1d",
	"@STRIPE@":    "sk" + "_live_9Kq2LmN8pRs4TuV6wYz7AbC1",
	"@NOTION@":    "nt" + "n_58392017465Kq2LmN9pRs4TuV6wYz8AbC1dEf3Gh",
	"@JWT@":       "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI5ODc2NTQzMjEiLCJyb2xlIjoic2VydmljZV9yb2xlIn0.Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnQ",
	"@ANON@":      "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI5ODc2NTQzMjEiLCJyb2xlIjoiYW5vbiJ9.Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnQ",
	"@HEX32@":     "9f2c4e6a8b1d3f5c" + "7e9a0b2d4f6c8e1a",
	"@HEX40@":     "9f2c4e6a8b1d3f5c7e9a" + "0b2d4f6c8e1a3b5d7f90",
	"@HEX64@":     "3b5c7d9e1f2a4b6c8d0e2f4a6b8c0d1e" + "3f5a7b9c1d2e4f6a8b0c2d4e6f8a0b1c",
	"@RANDOM@":    "q7Zt2Xw9" + "Lk4Vn8Rb6Yh3Mc1J",
	"@OPAQUE@":    "q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J" + "sD5fG0pAeUoIiTrW",
	"@PEM@":       "-----BEGIN RSA PRIVATE" + ` KEY-----\nMIIEpAIBAAKCAQEA7x9Kq2LmN8pRs4TuV6wYz\n-----END RSA PRIVATE` + " KEY-----",
	"@PEM1@":      "-----BEGIN PRIVATE" + ` KEY-----\nMIIEpAIBAAKCAQEA7x9Kq2LmN8pRs4TuV6wYz\n-----END PRIVATE` + " KEY-----",
	"@SEED@":      "legal winner thank year wave sausage worth useful legal winner thank yellow",
	"@ENCODED@":   "Y3VybCBodHRwczovL3guZXhhbXBsZS9pLnNo",
}

func expand(s string) string {
	for name, token := range fakes {
		s = strings.ReplaceAll(s, name, token)
	}
	return s
}

// serverOf turns the short form into a server object.
func serverOf(t *testing.T, short string) string {
	t.Helper()
	short = expand(short)
	object := map[string]any{}
	if rest, ok := strings.CutPrefix(short, "ENV "); ok {
		name, value, _ := strings.Cut(rest, "=")
		object["command"], object["env"] = "mcp-server", map[string]string{name: strings.ReplaceAll(value, `\n`, "\n")}
	} else if rest, ok := strings.CutPrefix(short, "HEADER "); ok {
		name, value, _ := strings.Cut(rest, ": ")
		object["url"], object["headers"] = "https://mcp.vendor.tld/mcp", map[string]string{name: value}
	} else if rest, ok := strings.CutPrefix(short, "URL "); ok {
		object["url"] = rest
	} else if strings.HasPrefix(short, "{") {
		return short
	} else {
		words := fields(short)
		object["command"], object["args"] = words[0], words[1:]
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// fields splits at spaces outside single quotes.
func fields(s string) []string {
	var out []string
	word, quoted, open := "", false, false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted, open = !quoted, true
		case r == ' ' && !quoted:
			if open {
				out = append(out, word)
			}
			word, open = "", false
		default:
			word, open = word+string(r), true
		}
	}
	if open {
		out = append(out, word)
	}
	return out
}

func runTable(t *testing.T, table string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		short, want, ok := strings.Cut(line, "=>")
		if !ok {
			t.Fatalf("no => in %q", line)
		}
		n++
		short = strings.TrimSpace(short)
		result, err := lint.Lint([]byte(`{"mcpServers":{"s":` + serverOf(t, short) + `}}`))
		if err != nil {
			t.Errorf("%s: %v", short, err)
			continue
		}
		expected := strings.Fields(want)
		slices.Sort(expected)
		if got := gravest(result, "s"); !slices.Equal(got, expected) && !(len(got) == 0 && len(expected) == 0) {
			t.Errorf("%s\n\twant %v\n\tgot  %v %s", short, expected, got, rulesOf(result))
		}
	}
	t.Logf("%d cases", n)
}

func rulesOf(r lint.Result) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Rule)
	}
	return strings.Join(out, " ")
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}
