package audit_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
)

// FuzzAppendThenVerify appends what may be appended and expects a chain that
// verifies, and that encoding/json understands as what was put in.
func FuzzAppendThenVerify(f *testing.F) {
	f.Add("tester", "test.event", "id-1", `{"b":[1,-2,{"c":"\u00e9\n"}],"a":null}`, "text", int64(7))
	f.Add("\x00\"\\\u2028", "A", "a:b", `{"\u0061":"\ud83d\ude00","A":9007199254740991}`, "\xff", int64(-1)<<53)
	f.Fuzz(func(t *testing.T, actor, kind, id, raw, text string, number int64) {
		chain := makeChain(t, "test", 2, 1)
		for i, payload := range []any{json.RawMessage(raw), map[string]any{"text": text, "number": number, "list": []any{text, raw}}, struct{ Text string }{text}} {
			d, err := audit.NewDraft(audit.Event{ID: id, Actor: actor, Type: kind, Payload: payload})
			if err != nil {
				continue
			}
			line, e := headOf(t, chain).Next(nil, d, origin.Add(time.Hour))
			stream := append(join(chain), line...)
			r := verifyBytes(t, stream, audit.VerifyOptions{Strict: true})
			if !r.Valid || r.Entries != 3 || *r.Head != e.Head() || !d.Same(line) {
				t.Fatalf("payload %d: %+v of %s", i, r, line)
			}
			agrees(t, line)
			if i == 1 && !utf8.ValidString(text) {
				t.Fatalf("text that is not UTF-8 was recorded: %s", line)
			}
		}
	})
}

// FuzzVerify gives the verifier any bytes, alone and after a good chain: it must
// not panic, and say the same whatever the number of goroutines.
func FuzzVerify(f *testing.F) {
	good := makeChain(f, "test", 3, 1)
	f.Add(join(good))
	f.Add(good[2])
	f.Add([]byte("\n\n"))
	for _, change := range spellings {
		long := makeChain(f, "test", 8, 1)
		f.Add(join(change(long)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, s := range [][]byte{stream, slices.Concat(join(good), stream)} {
			before := bytes.Clone(s)
			o := audit.VerifyOptions{Now: fixedClock, Anchors: []audit.Anchor{audit.ExpectHead(3, audit.Hash{}), audit.ExpectHead(0, headOf(t, good).Hash)}}
			want := verifyBytes(t, s, o)
			o.Parallelism = 2
			if got := verifyBytes(t, s, o); !reflect.DeepEqual(got, want) {
				t.Fatalf("with two goroutines %+v, with one %+v", got, want)
			}
			if len(s)%16 == 0 { // costs a buffer of 256 KB
				got, err := audit.VerifyReader(bytes.NewReader(s), o)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("reader %+v, bytes %+v, %v", got, want, err)
				}
			}
			if want.Valid != (want.BrokenAt == nil) || !want.Valid && *want.BrokenAt != want.LastGoodSeq+1 || want.Entries < want.Rehashed.Entries {
				t.Fatalf("inconsistent report %+v", want)
			}
			o.Strict = true
			strict := verifyBytes(t, s, o)
			if strict.Valid && !want.Valid || strict.Rehashed.Entries > want.Rehashed.Entries {
				t.Fatalf("strict accepts more: %+v than %+v", strict, want)
			}
			if !bytes.Equal(s, before) {
				t.Fatal("the stream was changed")
			}
		}
	})
}

// FuzzExport: every chain that verifies strictly has a table and records, and what
// is not exported is an error, not a panic.
func FuzzExport(f *testing.F) {
	good := makeChain(f, "test", 3, 1)
	f.Add(join(good), uint8(0))
	f.Add(good[2], uint8(2))
	f.Add([]byte("\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, from uint8) {
		for _, s := range [][]byte{stream, slices.Concat(join(good), stream)} {
			valid := verifyBytes(t, s, audit.VerifyOptions{Strict: true}).Valid
			for _, format := range []audit.Format{audit.JSONL, audit.CSV, audit.AAT} {
				var out bytes.Buffer
				_, err := audit.ExportReader(bytes.NewReader(s), &out, audit.ExportOptions{Format: format, From: uint64(from)})
				if valid && err != nil {
					t.Fatalf("%s: %v", format, err)
				}
				if format == audit.JSONL && from < 2 && err == nil && !bytes.Equal(out.Bytes(), s) {
					t.Fatalf("other bytes: %q", out.Bytes())
				}
			}
		}
	})
}

// FuzzParserAgreement puts any bytes before the fixed-width end of a linked and
// hashed line. What the verifier accepts strictly, encoding/json must read the same
// way, and it must be the one canonical spelling.
func FuzzParserAgreement(f *testing.F) {
	good := makeChain(f, "test", 2, 1)
	for _, line := range good {
		f.Add(string(line[:bytes.LastIndex(line, []byte(`,"prev_hash":`))]))
	}
	f.Add(`{"actor":"a","event":"e","id":"i","payload":{"a":1,"a":2}`)
	f.Add(`{"actor":"\u0000\"","event":"e","id":"i","payload":{"\n":[true,false,null,{}],"b":"\\"}`)
	f.Add(`{"actor":"a","event":"e","id":"i","payload":{"x":",\"prev_hash\":\""}`)
	f.Fuzz(func(t *testing.T, prefix string) {
		if strings.Contains(prefix, "\n") || len(prefix) > 60_000 {
			return
		}
		end := good[1][bytes.LastIndex(good[1], []byte(`,"prev_hash":`)):]
		line := audittest.Rehash(append([]byte(prefix), end...))
		stream := append(bytes.Clone(good[0]), line...)
		fast := verifyBytes(t, stream, audit.VerifyOptions{})
		strict := verifyBytes(t, stream, audit.VerifyOptions{Strict: true})
		if strict.Valid && !fast.Valid {
			t.Fatalf("fast %+v, strict %+v", fast, strict)
		}
		_, err := audit.ParseEntry(line[:len(line)-1])
		if strict.Valid != (err == nil) {
			t.Fatalf("strict %v, ParseEntry %v", strict.Valid, err)
		}
		if strict.Valid {
			agrees(t, line)
		}
	})
}

// FuzzParseDraft: what is accepted as the content of an event is exactly what the
// event returns, and makes a line that verifies.
func FuzzParseDraft(f *testing.F) {
	f.Add(`{"actor":"a","event":"e","id":"i","payload":{"a":1,"b":"\n"}}`)
	f.Add(`{"actor":"a","event":"e","id":"i","payload":{"a":1,"a":2}}`)
	f.Add(`{"actor":"a","event":"e","id":"i","payload":{}},"prev_hash":""}`)
	f.Add(`}`)
	good := makeChain(f, "test", 1, 1)
	f.Fuzz(func(t *testing.T, content string) {
		d, err := audit.ParseDraft([]byte(content))
		if err != nil {
			return
		}
		line, _ := headOf(t, good).Next(nil, d, origin.Add(time.Hour))
		r := verifyBytes(t, append(join(good), line...), audit.VerifyOptions{Strict: true})
		if string(d.Content()) != content || !r.Valid || r.Entries != 2 {
			t.Fatalf("%q became %q: %+v", content, d.Content(), r)
		}
		agrees(t, line)
	})
}

// agrees compares ParseEntry and SplitLine with encoding/json, and the line with
// what the encoder writes for the values that encoding/json read.
func agrees(t *testing.T, line []byte) {
	t.Helper()
	line = bytes.TrimSuffix(line, []byte("\n"))
	var want struct {
		Actor, Event, ID string
		Payload          json.RawMessage
		PrevHash         audit.Hash `json:"prev_hash"`
		Seq              uint64
		Time             time.Time
		Hash             audit.Hash
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&want); err != nil {
		t.Fatalf("encoding/json refuses %s: %v", line, err)
	}
	e, err := audit.ParseEntry(line)
	if err != nil || e.Actor != want.Actor || e.Event != want.Event || e.ID != want.ID || !bytes.Equal(e.Payload, want.Payload) ||
		e.PrevHash != want.PrevHash || e.Seq != want.Seq || !e.Time.Equal(want.Time) || e.Hash != want.Hash {
		t.Fatalf("%s: got %+v, %v, want %+v", line, e, err, want)
	}
	if l, ok := audit.SplitLine(line); !ok || string(l.ID) != e.ID || l.Seq != e.Seq {
		t.Fatalf("%s: split into %+v", line, l)
	}
	var value map[string]any
	decoder = json.NewDecoder(bytes.NewReader(e.Payload))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	d, err := audit.NewDraft(audit.Event{ID: e.ID, Actor: e.Actor, Type: e.Event, Payload: value})
	if err != nil || !d.Same(line) {
		t.Fatalf("%s encodes differently: %v", line, err)
	}
}
