package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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

// The builders below make documents of about size bytes, 64 KB in all.
const size = 64<<10 - 200

func repeat(s string) string { return strings.Repeat(s, size/len(s)) }

// quoted is a JSON string of size bytes at most.
func quoted(s string) string {
	for {
		raw, _ := json.Marshal(s)
		if len(raw) <= size {
			return string(raw)
		}
		s = s[:len(s)-(len(raw)-size)/6-1]
	}
}

func serverDoc(body string) []byte { return []byte(`{"mcpServers":{"s":{` + body + `}}}`) }

func scriptDoc(s string) []byte {
	return serverDoc(`"command":"sh","args":["-c",` + quoted(repeat(s)) + `]`)
}

func valueDoc(s string) []byte {
	return serverDoc(`"command":"x","env":{"API_KEY":` + quoted(repeat(s)) + `}`)
}

// adversarial are documents of 64 KB, each built to make one part of the lint work hard.
func adversarial() map[string][]byte {
	docs := adversarialParts()
	maps.Copy(docs, adversarialWholes())
	return docs
}

func adversarialParts() map[string][]byte {
	return map[string][]byte{
		"arguments":        serverDoc(`"command":"npx","args":[` + strings.TrimSuffix(repeat(`"a",`), ",") + `]`),
		"flags":            serverDoc(`"command":"docker","args":["run",` + strings.TrimSuffix(repeat(`"-e","A=b",`), ",") + `]`),
		"urls":             serverDoc(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"http://a@b?k=v",`), ",") + `]`),
		"servers":          []byte(`{"mcpServers":{` + strings.TrimSuffix(numbered(size, `"%d":{"command":"npx a"},`), ",") + `}}`),
		"variables":        serverDoc(`"command":"x","env":{` + strings.TrimSuffix(numbered(size, `"K%d_KEY":"k4Xz9",`), ",") + `}`),
		"commands":         scriptDoc("a;"),
		"substitutions":    scriptDoc("$("),
		"closed":           scriptDoc("$(a)"),
		"backticks":        scriptDoc("`a` "),
		"nested shells":    scriptDoc("sh -c 'npx a' ; "),
		"pipes":            scriptDoc("curl a|"),
		"quotes":           scriptDoc(`'a"b`),
		"references":       valueDoc("${A:-"),
		"dollars":          valueDoc("$A "),
		"braces":           valueDoc("{{"),
		"angles":           valueDoc("<a "),
		"connections":      valueDoc("a://b:c@d "),
		"schemes":          valueDoc("://"),
		"token prefixes":   valueDoc("sk-ghp_eyJAKIAxoxb-"),
		"near tokens":      valueDoc("eyJaaaaaaaaaaa.eyJ"),
		"web tokens":       valueDoc(strings.Repeat("eyJ", 1200) + ".eyJ-"),
		"tokens":           valueDoc(fakes["@GITHUB@"] + " "),
		"pem":              valueDoc("-----BEGIN PRIVATE KEY-----"),
		"words":            valueDoc("your key "),
		"command field":    serverDoc(`"command":` + quoted(repeat("a ")) + ``),
		"query":            serverDoc(`"url":` + quoted("https://a.tld/?"+repeat("token=x4Yz&"))),
		"path":             serverDoc(`"url":` + quoted("https://infura.io/"+repeat("q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1JsD5fG0pA/"))),
		"depth":            []byte(strings.Repeat("[", size)),
		"keys":             []byte(`{"mcpServers":{},` + strings.TrimSuffix(numbered(size, `"%d":1,`), ",") + `}`),
		"tails":            serverDoc(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"npx a b",`), ",") + `]`),
		"bare runners":     serverDoc(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"npx","-y",`), ",") + `]`),
		"nested JSON":      serverDoc(`"command":"x","env":{"H":` + quoted(`{"a":`+strings.Repeat(`"{}",`+`"b":`, 900)+`1}`) + `}`),
		"approvals":        serverDoc(`"command":"x","autoApprove":[` + strings.TrimSuffix(repeat(`"*",`), ",") + `]`),
		"unicode":          serverDoc(`"command":` + quoted(repeat("ｎ\u200b"))),
		"secrets as names": []byte(`{"mcpServers":{` + strings.TrimSuffix(numbered(size, `"q7Zt2Xw9Lk4Vn8%d":{"command":"npx a","env":{"A_KEY":"q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J"}},`), ",") + `}}`),
	}
}

func adversarialWholes() map[string][]byte {
	return map[string][]byte{
		"used inputs":      []byte(`{"servers":{` + strings.TrimSuffix(numbered(size/2, `"%d":{"command":"a","args":["${input:1}"]},`), ",") + `},"inputs":[` + strings.TrimSuffix(numbered(size/2, `{"id":"%d","default":"x"},`), ",") + `]}`),
		"mentions":         []byte(`{"servers":{"s":{"command":` + quoted(strings.Repeat("${input:", size/16)) + `}},"inputs":[` + strings.TrimSuffix(numbered(size/2, `{"id":"%d","default":"x"},`), ",") + `]}`),
		"same names":       []byte(`{"servers":[` + strings.TrimSuffix(repeat(`{"command":"a"},`), ",") + `]}`),
		"long key":         []byte(`{"mcpServers":{"s":{"command":"x","` + strings.Repeat("k", size/2) + `":[` + strings.TrimSuffix(strings.Repeat(`["a"],`, size/12), ",") + `]}}}`),
		"long key, tokens": []byte(`{"mcpServers":{"s":{"command":"x","` + strings.Repeat("k", size/2) + `":[` + strings.TrimSuffix(strings.Repeat(`"`+fakes["@AWS@"]+`",`, size/2/24), ",") + `]}}}`),
		"long project":     []byte(`{"projects":{"` + strings.Repeat("k", size/2) + `":{"mcpServers":{` + strings.TrimSuffix(numbered(size/2, `"%d":{"command":"npx a"},`), ",") + `}}}}`),
		"long name":        []byte(`{"mcpServers":{"` + strings.Repeat("sk-ghp_eyJAKIAxoxb-", size/20) + `":{"command":"sudo sh -c 'npx a / ~ ~/.ssh --yolo'","url":"http://a.tld/sse","trust":true}}}`),
		"compatibility":    serverDoc(`"command":` + quoted(strings.Repeat("\ufdfa", size/4)+strings.Repeat(" a", 40))),
		"keyed arguments":  serverDoc(`"command":"x","args":[` + strings.TrimSuffix(repeat(`"--api-key=k4Xz9q",`), ",") + `]`),
		"two words":        scriptDoc("a b;"),
		"assignments":      scriptDoc("A=b "),
		"words and flags":  scriptDoc("a -b=c "),
		"curls":            scriptDoc("curl -k a;"),
		"evals":            scriptDoc("eval $(curl a);"),
		"nested evals":     scriptDoc("eval `eval $(b) c`;"),
		"open, closed":     serverDoc(`"command":"sh","args":["-c",` + quoted(strings.Repeat("$(", size/3)+strings.Repeat(")", size/3)) + `]`),
		"shell in shell":   serverDoc(`"command":"sh -c sh -c sh -c","args":["sh -c",` + quoted(repeat("sh -c a;")) + `]`),
		"look-alikes":      scriptDoc("npx @m0delcontextprotoco/a;"),
		"images":           scriptDoc("docker run -v /:/a b:1;"),
		"secrets":          serverDoc(`"command":"x","env":{` + strings.TrimSuffix(numbered(size, `"K%d_KEY":"q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J%[1]d",`), ",") + `}`),
		"passwords":        valueDoc("a://bcd:e4Xz9q@f "),
		"authorities":      valueDoc("a://b:c/" + strings.Repeat("x", 20)),
		"placeholder keys": valueDoc("-----BEGIN PRIVATE KEY-----...-----END PRIVATE KEY-----"),
		"base64":           valueDoc("q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1JsD5fG0pA+/"),
		"backslashes":      scriptDoc(`\`),
		"double quotes":    scriptDoc(`"`),
		"escaped quotes":   scriptDoc(`""$a`),
		"single quotes":    scriptDoc(`'a'`),
		"brackets":         valueDoc("[A"),
		"underscores":      valueDoc("__a"),
		"percents":         valueDoc("%A%"),
		"nested JSON keys": serverDoc(`"command":"x","env":{"H":` + quoted(`{`+strings.TrimSuffix(numbered(size/2, `"K%d_KEY":"q7Zt",`), ",")+`}`) + `}`),
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
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
