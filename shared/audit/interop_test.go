package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/audit"
)

// randomValue returns a JSON value of the profile.
func randomValue(random *rand.Rand, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch random.IntN(kinds) {
	case 0:
		return random.Int64N(1<<54-1) - (1<<53 - 1)
	case 1:
		return []any{nil, true, false, 0, -1}[random.IntN(5)]
	case 2, 3:
		return randomText(random, 0x10FFFF)
	case 4:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	default:
		m := map[string]any{}
		for range random.IntN(5) {
			m[randomText(random, 0x7F)] = randomValue(random, depth-1)
		}
		return m
	}
}

func randomText(random *rand.Rand, limit int) string {
	var b strings.Builder
	for range random.IntN(12) {
		top := []int{0x20, 0x7F, 0xFF, 0xFFFF, 0x10FFFF}[random.IntN(5)]
		r := rune(random.IntN(min(top, limit) + 1))
		if r < 0xD800 || r > 0xDFFF {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TestCanonicalAgreesWithPython compares 2,000 random payloads, given as Go values
// and as JSON in another spelling, with what Python's json writes for them.
func TestCanonicalAgreesWithPython(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var ours, input []string
	for range 2000 {
		payload := map[string]any{"a": randomValue(random, 4), randomText(random, 0x7F): randomValue(random, 2)}
		direct, err := payloadText(payload)
		if err != nil {
			t.Fatal(err)
		}
		respelled, err := json.MarshalIndent(payload, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := payloadText(json.RawMessage(respelled))
		if err != nil || raw != direct {
			t.Fatalf("direct %s, raw %s, %v", direct, raw, err)
		}
		compact := new(bytes.Buffer)
		if err := json.Compact(compact, respelled); err != nil {
			t.Fatal(err)
		}
		ours, input = append(ours, direct), append(input, compact.String())
	}
	theirs := python(t, `import json,sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(json.dumps(json.loads(line),sort_keys=True,ensure_ascii=False,separators=(",",":")).encode()+b"\n")
`, strings.Join(input, "\n")+"\n")
	for i, line := range strings.Split(strings.TrimSuffix(theirs, "\n"), "\n") {
		if line != ours[i] {
			t.Fatalf("ours   %q\npython %q", ours[i], line)
		}
	}
}

// thirdParty is a complete verifier without this package.
const thirdParty = `import hashlib,json,sys
prev,seq="0"*64,0
for line in sys.stdin.buffer:
    line=line.decode("utf-8").rstrip("\n")
    e=json.loads(line)
    seq+=1
    body=line[:-75]+"}"
    digest=hashlib.sha256(body.encode()).hexdigest()
    assert e["hash"]==digest==line[-66:-2],("hash",seq)
    assert e["prev_hash"]==prev,("prev",seq)
    assert e["seq"]==seq,("seq",seq)
    del e["hash"]
    assert json.dumps(e,sort_keys=True,ensure_ascii=False,separators=(",",":"))==body,("canonical",seq)
    prev=digest
print(seq,prev)
`

func TestThirdPartyVerifier(t *testing.T) {
	lines := makeChain(t, "test", 300, 1)
	head := headOf(t, lines)
	if got, want := python(t, thirdParty, string(join(lines))), fmt.Sprintf("300 %s\n", head.Hash); got != want {
		t.Errorf("Python says %s, want %s", got, want)
	}
}

// TestSedOneLiner runs the command of the package comment.
func TestSedOneLiner(t *testing.T) {
	for _, tool := range []string{"sh", "sed", "tr", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed; the documented one-liner needs it", tool)
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := bytes.Cut(doc, []byte("//\tsed"))
	command, _, _ = bytes.Cut(command, []byte("\n"))
	lines := makeChain(t, "test", 5, 1)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one-line.jsonl"), lines[4], 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", "sed"+string(command))
	c.Dir = dir
	out, err := c.Output()
	if err != nil || !strings.HasPrefix(string(out), headOf(t, lines).Hash.String()) {
		t.Errorf("%s, %v", out, err)
	}
}

// TestJQ checks that jq, deleting the hash member, gives the body too.
func TestJQ(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed; it is one of the public tools that can check a line")
	}
	lines := makeChain(t, "test", 5, 1)
	c := exec.CommandContext(t.Context(), "jq", "-jcS", "del(.hash)")
	c.Stdin = bytes.NewReader(lines[4])
	out, err := c.Output()
	if body := string(lines[4][:len(lines[4])-76]) + "}"; err != nil || string(out) != body {
		t.Errorf("jq %s, want %s, %v", out, body, err)
	}
	if got := audit.HashLine(bytes.TrimSuffix(lines[4], []byte("\n"))); got != headOf(t, lines).Hash {
		t.Errorf("HashLine %s", got)
	}
}
