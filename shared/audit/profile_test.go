package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/audit"
)

// payloadText returns the canonical text of a payload.
func payloadText(payload any) (string, error) {
	d, err := audit.NewDraft(audit.Event{ID: "id", Actor: "a", Type: "t", Payload: payload})
	if err != nil {
		return "", err
	}
	_, e := audit.Head{}.Next(nil, d, origin)
	return string(e.Payload), nil
}

func TestCanonicalPayload(t *testing.T) {
	type point struct {
		Y int `json:"y"`
		X int `json:"x,omitempty"`
	}
	cases := map[string]struct {
		payload any
		want    string
	}{
		"nil":             {nil, `{}`},
		"nil map":         {map[string]any(nil), `{}`},
		"nil pointer":     {(*point)(nil), `{}`},
		"sorted":          {map[string]any{"b": 1, "a": true, "": nil, "B": "x"}, `{"":null,"B":"x","a":true,"b":1}`},
		"raw":             {json.RawMessage(" { \"b\" : [ 1 , -2 ] ,\n\"a\":{}, \"c\":[ ] } "), `{"a":{},"b":[1,-2],"c":[]}`},
		"struct":          {point{Y: 1}, `{"y":1}`},
		"nested types":    {map[string]any{"p": []point{{1, 2}}, "m": map[string]int{"z": 1, "a": 2}, "d": time.Second, "n": json.Number("7")}, `{"d":1000000000,"m":{"a":2,"z":1},"n":7,"p":[{"x":2,"y":1}]}`},
		"nil slice":       {map[string]any{"s": []any(nil), "t": []string(nil)}, `{"s":null,"t":null}`},
		"integral float":  {map[string]any{"f": float64(3)}, `{"f":3}`},
		"limits":          {map[string]any{"a": int64(1<<53 - 1), "b": -int64(1<<53 - 1), "c": uint8(255)}, `{"a":9007199254740991,"b":-9007199254740991,"c":255}`},
		"escapes":         {map[string]any{"s": "\x00\x1f\b\t\n\f\r\"\\/<>&\x7f\u2028é€😀\ufffd"}, `{"s":"\u0000\u001f\b\t\n\f\r\"\\/<>&` + "\x7f\u2028é€😀\ufffd" + `"}`},
		"escaped keys":    {map[string]any{"\n": 1, "\"": 2, "A": 3}, `{"\n":1,"\"":2,"A":3}`},
		"escapes in raw":  {json.RawMessage(`{"\u0061":"\/\u00e9\ud83d\ude00\u000A\ufffd"}`), `{"a":"/é😀\n` + "\ufffd" + `"}`},
		"a struct's text": {struct{ T string }{"<\ufffd\\ufffd\u2029>"}, `{"T":"<` + "\ufffd" + `\\ufffd` + "\u2029" + `>"}`},
		"depth 16":        {json.RawMessage(strings.Repeat(`{"x":`, 15) + "[]" + strings.Repeat("}", 15)), strings.Repeat(`{"x":`, 15) + "[]" + strings.Repeat("}", 15)},
	}
	for name, c := range cases {
		got, err := payloadText(c.payload)
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
		again, err := payloadText(json.RawMessage(got))
		if err != nil || again != got {
			t.Errorf("%s: canonicalized again: %s, %v", name, again, err)
		}
	}
}

func TestProfileRefusals(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	nested := any(1)
	for range 17 {
		nested = map[string]any{"x": nested}
	}
	payloads := map[string]any{
		"float": map[string]any{"x": 0.1}, "infinity": map[string]any{"x": math.Inf(1)}, "large float": map[string]any{"x": 1e21},
		"minus zero float": map[string]any{"x": math.Copysign(0, -1)}, "beyond 2^53-1": map[string]any{"x": 1 << 53},
		"below": map[string]any{"x": -1 << 53}, "large unsigned": map[string]any{"x": uint64(math.MaxUint64)},
		"1.0": json.RawMessage(`{"x":1.0}`), "1e2": json.RawMessage(`{"x":1e2}`), "-0": json.RawMessage(`{"x":-0}`),
		"huge":  json.RawMessage(`{"x":123456789012345678901234567890}`),
		"value": map[string]any{"x": "\xff"}, "surrogate": map[string]any{"x": "\xed\xa0\x80"}, "key": map[string]any{"\xff": 1},
		"in a slice": map[string]any{"x": []string{"\xff"}}, "in a struct": struct{ X string }{"a\xffb"}, "raw value": json.RawMessage("{\"x\":\"\xff\"}"),
		"lone high": json.RawMessage(`{"x":"\ud800"}`), "lone low": json.RawMessage(`{"x":"\udc00"}`),
		"two high": json.RawMessage(`{"x":"\ud800\ud800"}`), "high and text": json.RawMessage(`{"x":"\ud800aaaaaa"}`),
		"duplicate": json.RawMessage(`{"x":1,"x":2}`), "duplicate by escape": json.RawMessage(`{"a":1,"\u0061":2}`),
		"key beyond ASCII": map[string]any{"é": 1}, "raw key beyond ASCII": json.RawMessage(`{"\u00e9":1}`),
		"array": []any{1}, "string": "x", "number": 1, "raw array": json.RawMessage(`[]`),
		"no JSON": json.RawMessage(`{`), "two values": json.RawMessage(`{} {}`), "empty raw": json.RawMessage(``),
		"cyclic": cyclic, "channel": map[string]any{"x": make(chan int)}, "nested": nested,
		"deep raw": json.RawMessage(strings.Repeat(`[`, 17) + strings.Repeat(`]`, 17)), "deep struct": struct{ X any }{nested},
	}
	for name, p := range payloads {
		if text, err := payloadText(p); !errors.Is(err, audit.ErrProfile) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	good := audit.Event{ID: "id", Actor: "a", Type: "t"}
	for name, change := range map[string]func(*audit.Event){
		"no id": func(e *audit.Event) { e.ID = "" }, "long id": func(e *audit.Event) { e.ID = strings.Repeat("x", 129) },
		"id with quote": func(e *audit.Event) { e.ID = `a"b` }, "no type": func(e *audit.Event) { e.Type = "" },
		"type with space": func(e *audit.Event) { e.Type = "a b" }, "no actor": func(e *audit.Event) { e.Actor = "" },
		"long actor": func(e *audit.Event) { e.Actor = strings.Repeat("x", 257) }, "actor not UTF-8": func(e *audit.Event) { e.Actor = "\xff" },
	} {
		e := good
		change(&e)
		if _, err := audit.NewDraft(e); !errors.Is(err, audit.ErrProfile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLargestLine(t *testing.T) {
	event := func(n int) audit.Event {
		return audit.Event{ID: "id", Actor: strings.Repeat("\x01", 256), Type: "t", Payload: map[string]any{"x": strings.Repeat("x", n)}}
	}
	largest := 0
	for n := audit.MaxLine - 3000; n < audit.MaxLine; n++ {
		if _, err := audit.NewDraft(event(n)); err == nil {
			largest = n
		} else if !errors.Is(err, audit.ErrTooLarge) {
			t.Fatal(err)
		}
	}
	d, err := audit.NewDraft(event(largest))
	if err != nil {
		t.Fatal(err)
	}
	line, e := audit.Head{Seq: 1<<53 - 2}.Next(nil, d, origin)
	if len(line) != audit.MaxLine+1 {
		t.Errorf("the largest line has %d bytes with its newline", len(line))
	}
	if parsed, reason := (audit.Head{Seq: 1<<53 - 2}).Check(line[:len(line)-1]); reason != "" || parsed.Hash != e.Hash {
		t.Errorf("reason %q", reason)
	}
}

func TestEntryRoundTrip(t *testing.T) {
	for _, line := range makeChain(t, "test", 20, 1) {
		line = line[:len(line)-1]
		e, err := audit.ParseEntry(line)
		if err != nil || !bytes.Equal(e.AppendLine(nil), line) {
			t.Errorf("%s became %s, %v", line, e.AppendLine(nil), err)
		}
		l, ok := audit.SplitLine(line)
		if !ok || string(l.ID) != e.ID || l.Seq != e.Seq || string(l.Hash) != e.Hash.String() || string(l.PrevHash) != e.PrevHash.String() {
			t.Errorf("split into %+v", l)
		}
		text, err := json.Marshal(e)
		if err != nil || !bytes.Equal(text, line) {
			t.Errorf("marshalled to %s, %v", text, err)
		}
	}
}

func TestImpossibleDatesAreNotCanonical(t *testing.T) {
	lines := makeChain(t, "test", 3, 1)
	for _, date := range []string{"2026-13-21", "2026-02-29", "2026-00-10", "2026-01-00", "2026-04-31", "0000-01-01"} {
		forged := relink(edit(lines, 1, "2026-11-21", date), 1)
		if r := verifyBytes(t, join(forged), audit.VerifyOptions{Strict: true}); r.Valid || r.LastGoodSeq != 1 {
			t.Errorf("%s: %+v", date, r)
		}
	}
	leap := relink(edit(lines, 2, "2026-11-21", "2028-02-29"), 2)
	expectBreak(t, verifyBytes(t, join(leap), audit.VerifyOptions{Strict: true}), "", 0)
}

func TestNewID(t *testing.T) {
	a, err := audit.NewID(time.UnixMilli(0), bytes.NewReader(make([]byte, 10)))
	if err != nil || a != strings.Repeat("0", 26) {
		t.Errorf("%s, %v", a, err)
	}
	// 2016-07-30T23:54:10.259Z is the time of the example of the ULID specification.
	b, err := audit.NewID(time.UnixMilli(1469922850259), bytes.NewReader(bytes.Repeat([]byte{0xff}, 10)))
	if err != nil || b != "01ARZ3NDEK"+strings.Repeat("Z", 16) {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := audit.NewID(origin, bytes.NewReader(nil)); err == nil {
		t.Error("no randomness was accepted")
	}
}

// python runs a program over input, or skips the test where there is no Python.
func python(t *testing.T, program, input string) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed; it is the independent reference of this test")
	}
	c := exec.CommandContext(t.Context(), path, "-c", program)
	c.Stdin = strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
