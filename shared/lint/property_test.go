package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// secretForms generate secrets of the forms people have.
var secretForms = []func(*rand.Rand) string{
	func(r *rand.Rand) string { return "gh" + "p_" + random(r, alnum, 36) },
	func(r *rand.Rand) string { return "sk" + "-ant-api03-" + random(r, alnum, 40) },
	func(r *rand.Rand) string { return "AK" + "IA" + random(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16) },
	func(r *rand.Rand) string { return random(r, alnum, 40) },
	func(r *rand.Rand) string { return random(r, "0123456789abcdef", 64) },
	func(r *rand.Rand) string { return "Pw" + random(r, alnum, 10) + "!7" },
	func(r *rand.Rand) string {
		return "xo" + "xb-" + random(r, "0123456789", 11) + "-" + random(r, alnum, 24)
	},
}

const alnum = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"

func random(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// plant puts a secret into one field of a configuration. Named places are where the lint knows it
// for a secret by its name; in the others only its form gives it away.
type plant struct {
	name  string
	named bool
	make  func(secret string) any
}

func server(fields map[string]any) any {
	return map[string]any{"mcpServers": map[string]any{"s": fields}}
}

var plants = []plant{
	{"env value", true, func(s string) any { return server(map[string]any{"command": "x", "env": map[string]any{"API_KEY": s}}) }},
	{"password", true, func(s string) any {
		return server(map[string]any{"command": "x", "env": map[string]any{"DB_PASSWORD": s}})
	}},
	{"header", true, func(s string) any {
		return server(map[string]any{"url": "https://a.tld/mcp", "headers": map[string]any{"Authorization": "Bearer " + s}})
	}},
	{"flag", true, func(s string) any {
		return server(map[string]any{"command": "npx", "args": []string{"-y", "pkg", "--api-key", s}})
	}},
	{"flag with =", true, func(s string) any {
		return server(map[string]any{"command": "npx", "args": []string{"-y", "pkg", "--api-key=" + s}})
	}},
	{"docker -e", true, func(s string) any {
		return server(map[string]any{"command": "docker", "args": []string{"run", "-e", "API_KEY=" + s, "img"}})
	}},
	{"script", true, func(s string) any {
		return server(map[string]any{"command": "sh", "args": []string{"-c", "API_KEY=" + s + " npx pkg"}})
	}},
	{"URL password", true, func(s string) any { return server(map[string]any{"url": "http://user:" + s + "@a.tld/sse"}) }},
	{"URL query", true, func(s string) any { return server(map[string]any{"url": "http://a.tld/sse?token=" + s}) }},
	{"DSN in env", true, func(s string) any {
		return server(map[string]any{"command": "x", "env": map[string]any{"DATABASE_URL": "postgres://app:" + s + "@db.tld/x"}})
	}},
	{"name and value", true, func(s string) any {
		return map[string]any{"mcpServers": map[string]any{s: map[string]any{"command": "npx", "args": []string{"pkg"}, "env": map[string]any{"API_KEY": s}}}}
	}},
	{"key and value", true, func(s string) any {
		return server(map[string]any{"command": "x", "env": map[string]any{"API_KEY": s, s + "_KEY": "k4Xz9"}})
	}},
	{"package and value", true, func(s string) any {
		return server(map[string]any{"command": "npx", "args": []string{"-y", "pkg-" + s}, "env": map[string]any{"API_KEY": s}})
	}},
	{"package credentials", true, func(s string) any {
		return server(map[string]any{"command": "npx", "args": []string{"-y", "git+https://user:" + s + "@github.com/o/r.git"}})
	}},
	{"uvx credentials", true, func(s string) any {
		return server(map[string]any{"command": "uvx", "args": []string{"--from", "git+https://" + "tok:" + s + "@github.com/o/r", "cmd"}})
	}},
	{"index credentials", true, func(s string) any {
		return server(map[string]any{"command": "uvx", "args": []string{"--index-url", "https://user:" + s + "@pypi.corp.tld/simple", "pkg"}})
	}},
	{"auth", true, func(s string) any {
		return server(map[string]any{"url": "https://a.tld/mcp", "auth": map[string]any{"CLIENT_SECRET": s}})
	}},
	{"nested JSON", true, func(s string) any {
		return server(map[string]any{"command": "x", "env": map[string]any{"HEADERS": `{"Authorization":"Bearer ` + s + `"}`}})
	}},
	{"host and value", true, func(s string) any {
		return server(map[string]any{"url": "http://" + s + ".a.tld/sse", "headers": map[string]any{"X-API-Key": s}})
	}},
	{"flag of a server named after the provider", true, func(s string) any {
		return map[string]any{"mcpServers": map[string]any{"github": map[string]any{"command": "x", "args": []string{"--token", s}}}}
	}},
	{"named after the provider", true, func(s string) any {
		return map[string]any{"mcpServers": map[string]any{"github": map[string]any{"command": "x", "env": map[string]any{"GITHUB_TOKEN": s}}}}
	}},
	{"server name", false, func(s string) any {
		return map[string]any{"mcpServers": map[string]any{s: map[string]any{"command": "npx", "args": []string{"pkg"}}}}
	}},
	{"env key", false, func(s string) any {
		return server(map[string]any{"command": "x", "env": map[string]any{s + "_PASSWORD": "hunter2hunter"}})
	}},
	{"argument", false, func(s string) any { return server(map[string]any{"command": "npx", "args": []string{"pkg", s}}) }},
	{"command", false, func(s string) any { return server(map[string]any{"command": "npx " + s}) }},
	{"package", false, func(s string) any { return server(map[string]any{"command": "npx", "args": []string{"-y", s}}) }},
	{"package version", false, func(s string) any {
		return server(map[string]any{"command": "npx", "args": []string{"-y", "pkg@" + s}})
	}},
	{"image", false, func(s string) any {
		return server(map[string]any{"command": "docker", "args": []string{"run", "reg.tld/" + s}})
	}},
	{"variable as image tag", false, func(s string) any {
		return server(map[string]any{"command": "docker", "args": []string{"run", "--security-opt", "seccomp=unconfined", "--cap-add", "ALL", "img:" + s}})
	}},
	{"unknown field", false, func(s string) any { return server(map[string]any{"command": "npx", "note": s, "args": []string{"p"}}) }},
	{"flag name", false, func(s string) any {
		return server(map[string]any{"command": "x", "args": []string{"--" + s + "-token", "k4Xz9q"}})
	}},
	{"host", false, func(s string) any {
		return server(map[string]any{"url": "http://" + strings.ToLower(s) + ".ngrok.io/sse"})
	}},
}

// TestNoSecretLeaves plants secrets everywhere and searches every output for six characters of them.
func TestNoSecretLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 15 {
		for form, generate := range secretForms {
			secret := generate(r)
			for _, p := range plants {
				if !p.named && form == 5 {
					continue // nothing tells these from words where no name says what they are
				}
				doc, err := json.Marshal(p.make(secret))
				if err != nil {
					t.Fatal(err)
				}
				checkLeak(t, p.name, secret, doc)
				if round > 4 {
					continue
				}
				checkLeak(t, p.name+", duplicated", secret, bytes.Replace(doc, []byte(`{"s":`), []byte(`{"`+secret+`":{},"`+secret+`":{},"s":`), 1))
				checkLeak(t, p.name+", cut", secret, doc[:len(doc)-r.IntN(min(len(doc), 20))-1])
				checkLeak(t, p.name+", not an object", secret, []byte(`{"mcpServers":{"`+secret+`":"`+secret+`"}}`))
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func checkLeak(t *testing.T, where, secret string, doc []byte) {
	t.Helper()
	result, err := lint.Lint(doc)
	var out string
	if err != nil {
		// A key of letters and digits alone looks like a name; recognizable keys are
		// masked.
		out = err.Error()
		if (strings.HasSuffix(where, "duplicated") || strings.HasSuffix(where, "an object")) && !strings.ContainsAny(secret, "_-") {
			return
		}
	} else {
		raw, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		log, err := lint.SARIF([]lint.FileResult{{URI: "mcp.json", Result: result}})
		if err != nil {
			t.Fatal(err)
		}
		_, results, _ := strings.Cut(string(log), `"results"`) // the rules before it are the same for all
		out = string(raw) + results
		if strings.Contains(where, ", ") {
			return
		}
	}
	for i := 0; i+6 <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+6]) && !strings.Contains("api03-", secret[i:i+6]) {
			t.Errorf("%s: %q of the secret %q leaves in\n%.600s", where, secret[i:i+6], secret, out)
			return
		}
	}
}

// TestSameBytes rewrites documents without changing their meaning: the order of keys, white space
// and escapes. The answer must not change by a byte.
func TestSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, doc := range sampleDocuments(t) {
		first, err := lint.Lint(doc)
		if err != nil {
			continue
		}
		want, _ := json.Marshal(first)
		for range 200 {
			var v any
			decoder := json.NewDecoder(bytes.NewReader(doc))
			decoder.UseNumber()
			if err := decoder.Decode(&v); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			rewrite(r, &b, v)
			result, err := lint.Lint(b.Bytes())
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, b.Bytes())
			}
			if got, _ := json.Marshal(result); !bytes.Equal(got, want) {
				t.Fatalf("%s: another answer for\n%s\n%s\n%s", name, b.Bytes(), got, want)
			}
		}
	}
}

// rewrite writes v with its keys in random order, random white space and random escapes.
func rewrite(r *rand.Rand, b *bytes.Buffer, v any) {
	space := func() { b.WriteString([]string{"", "", " ", "\n", "\t ", "\r\n"}[r.IntN(6)]) }
	space()
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		keys := slices.Sorted(maps.Keys(v))
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			rewrite(r, b, k)
			b.WriteByte(':')
			rewrite(r, b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			rewrite(r, b, item)
		}
		b.WriteByte(']')
	case string:
		b.WriteByte('"')
		for _, c := range v {
			if r.IntN(4) == 0 && c < 0x10000 || c < ' ' || c == '"' || c == '\\' {
				fmt.Fprintf(b, []string{`\u%04x`, `\u%04X`}[r.IntN(2)], c)
			} else {
				b.WriteRune(c)
			}
		}
		b.WriteByte('"')
	default:
		raw, _ := json.Marshal(v)
		b.Write(raw)
	}
	space()
}

// TestScoreNeverRises adds servers to configurations: findings add up, clean servers change nothing.
func TestScoreNeverRises(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	broken := []string{
		`{"command":"npx","args":["pkg"]}`, `{"command":"sudo","args":["x"]}`, `{"url":"http://a.tld/sse"}`,
		`{"command":"x","env":{"API_KEY":"k4Xz9q"}}`, `{"command":"docker","args":["run","img:1.2"]}`, `{"command":"x","args":["/"],"trust":true}`,
	}
	clean := []string{`{"command":"x"}`, `{"url":"https://a.tld/mcp"}`, `{"command":"npx","args":["pkg@1.0.0"]}`}
	for range 2000 {
		var members []string
		last := 100
		for i := range r.IntN(8) + 1 {
			dirty := r.IntN(2) == 0
			pool := clean
			if dirty {
				pool = broken
			}
			members = append(members, fmt.Sprintf(`"s%d":%s`, i, pool[r.IntN(len(pool))]))
			result, err := lint.Lint([]byte(`{"mcpServers":{` + strings.Join(members, ",") + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			if result.Score > last || !dirty && result.Score != last {
				t.Fatalf("score %d after %d with %s", result.Score, last, members)
			}
			if result.Summary.Errors > 0 && result.Score > 59 {
				t.Fatalf("score %d with %d errors", result.Score, result.Summary.Errors)
			}
			last = result.Score
		}
	}
}
