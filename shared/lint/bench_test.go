package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/lint"
)

// ordinary builds a realistic configuration of at least size bytes.
func ordinary(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"mcpServers":{`)
	for i := 0; b.Len() < size-700; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, expand(`"server-%d":{"command":"npx","args":["-y","@scope/server-%d","--root","/srv/data","--header","Authorization: Bearer ${TOKEN}"],"env":{"API_KEY":"@RANDOM@","LOG_LEVEL":"debug","DATABASE_URL":"postgres://app:S3cr3tPw9@db.tld/app","URL":"http://api.vendor.tld/x"}},`), i, i)
		fmt.Fprintf(&b, `"box-%d":{"command":"docker","args":["run","-i","--rm","-v","/srv/x:/x:ro","-e","API_KEY","ghcr.io/o/r:1.2.%d"],"description":"A server that does something useful for somebody."}`, i, i)
	}
	b.WriteString("}}")
	return b.Bytes()
}

// adversarial are documents of 64 KB, each built to make one part of the lint work hard.
func adversarial() map[string][]byte {
	const size = 64<<10 - 200
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	quoted := func(s string) string {
		for {
			raw, _ := json.Marshal(s)
			if len(raw) <= size {
				return string(raw)
			}
			s = s[:len(s)-(len(raw)-size)/6-1]
		}
	}
	server := func(body string) []byte { return []byte(`{"mcpServers":{"s":{` + body + `}}}`) }
	script := func(s string) []byte { return server(`"command":"sh","args":["-c",` + quoted(repeat(s)) + `]`) }
	value := func(s string) []byte { return server(`"command":"x","env":{"API_KEY":` + quoted(repeat(s)) + `}`) }
	return map[string][]byte{
		"arguments":        server(`"command":"npx","args":[` + strings.TrimSuffix(repeat(`"a",`), ",") + `]`),
		"flags":            server(`"command":"docker","args":["run",` + strings.TrimSuffix(repeat(`"-e","A=b",`), ",") + `]`),
		"urls":             server(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"http://a@b?k=v",`), ",") + `]`),
		"servers":          []byte(`{"mcpServers":{` + strings.TrimSuffix(numbered(size, `"%d":{"command":"npx a"},`), ",") + `}}`),
		"variables":        server(`"command":"x","env":{` + strings.TrimSuffix(numbered(size, `"K%d_KEY":"k4Xz9",`), ",") + `}`),
		"commands":         script("a;"),
		"substitutions":    script("$("),
		"closed":           script("$(a)"),
		"backticks":        script("`a` "),
		"nested shells":    script("sh -c 'npx a' ; "),
		"pipes":            script("curl a|"),
		"quotes":           script(`'a"b`),
		"references":       value("${A:-"),
		"dollars":          value("$A "),
		"braces":           value("{{"),
		"angles":           value("<a "),
		"connections":      value("a://b:c@d "),
		"schemes":          value("://"),
		"token prefixes":   value("sk-ghp_eyJAKIAxoxb-"),
		"near tokens":      value("eyJaaaaaaaaaaa.eyJ"),
		"web tokens":       value(strings.Repeat("eyJ", 1200) + ".eyJ-"),
		"tokens":           value(fakes["@GITHUB@"] + " "),
		"pem":              value("-----BEGIN PRIVATE KEY-----"),
		"words":            value("your key "),
		"command field":    server(`"command":` + quoted(repeat("a ")) + ``),
		"query":            server(`"url":` + quoted("https://a.tld/?"+repeat("token=x4Yz&"))),
		"path":             server(`"url":` + quoted("https://infura.io/"+repeat("q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1JsD5fG0pA/"))),
		"depth":            []byte(strings.Repeat("[", size)),
		"keys":             []byte(`{"mcpServers":{},` + strings.TrimSuffix(numbered(size, `"%d":1,`), ",") + `}`),
		"tails":            server(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"npx a b",`), ",") + `]`),
		"bare runners":     server(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"npx","-y",`), ",") + `]`),
		"nested JSON":      server(`"command":"x","env":{"H":` + quoted(`{"a":`+strings.Repeat(`"{}",`+`"b":`, 900)+`1}`) + `}`),
		"approvals":        server(`"command":"x","autoApprove":[` + strings.TrimSuffix(repeat(`"*",`), ",") + `]`),
		"unicode":          server(`"command":` + quoted(repeat("ｎ​"))),
		"secrets as names": []byte(`{"mcpServers":{` + strings.TrimSuffix(numbered(size, `"q7Zt2Xw9Lk4Vn8%d":{"command":"npx a","env":{"A_KEY":"q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J"}},`), ",") + `}}`),
		"inputs":           []byte(`{"mcpServers":{` + strings.TrimSuffix(numbered(size/2, `"%d":{"command":"a"},`), ",") + `},"inputs":[` + strings.TrimSuffix(numbered(size/2, `{"id":"%d","default":"x"},`), ",") + `]}`),
	}
}

func numbered(size int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < size-len(format)-8; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func BenchmarkLint10KB(b *testing.B) { bench(b, ordinary(10<<10)) }
func BenchmarkLint64KB(b *testing.B) { bench(b, ordinary(64<<10)) }

func BenchmarkLintAdversarial(b *testing.B) {
	for name, doc := range adversarial() {
		b.Run(name, func(b *testing.B) { bench(b, doc) })
	}
}

// bench reports the 99th percentile beside the mean.
func bench(b *testing.B, doc []byte) {
	b.SetBytes(int64(len(doc)))
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		_, _ = lint.Lint(doc)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// slow is set under the race detector.
var slow bool

// TestTimeBound catches what is worse than linear; the goals themselves are for the benchmarks.
func TestTimeBound(t *testing.T) {
	if slow {
		t.Skip("times mean nothing under the race detector")
	}
	for name, doc := range adversarial() {
		best := time.Hour
		for range 3 {
			start := time.Now()
			_, _ = lint.Lint(doc)
			best = min(best, time.Since(start))
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: %v for %d bytes", name, best, len(doc))
		}
	}
}
