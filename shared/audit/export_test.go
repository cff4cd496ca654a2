package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/memory"
)

func exported(t *testing.T, stream []byte, o audit.ExportOptions) string {
	t.Helper()
	var out bytes.Buffer
	n, err := audit.ExportReader(bytes.NewReader(stream), &out, o)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); o.Format != audit.CSV && n != uint64(lines) {
		t.Errorf("%d entries in %d lines", n, lines)
	}
	return out.String()
}

func TestAnExportAsLinesIsWhatIsStored(t *testing.T) {
	lines := makeChain(t, "test", 2000, 1) // several reads
	damaged := edit(lines, 1200, "6200", "6201")
	for from := range []int{0, 1, 7} {
		o := audit.ExportOptions{From: uint64(from)}
		if got := exported(t, join(damaged), o); got != string(join(damaged[max(from, 1)-1:])) {
			t.Errorf("from %d: other bytes", from)
		}
	}
	if got := exported(t, join(lines), audit.ExportOptions{Format: audit.JSONL, From: 3, To: 5}); got != string(join(lines[2:5])) {
		t.Errorf("3 to 5: %s", got)
	}
	r, err := audit.VerifyReader(strings.NewReader(exported(t, join(lines), audit.ExportOptions{To: 9})), audit.VerifyOptions{})
	if err != nil || !r.Valid || r.Entries != 9 {
		t.Errorf("%+v (%v)", r, err)
	}
}

func TestAStoreIsExportedUpToItsHead(t *testing.T) {
	s, err := memory.New("test", memory.Options{Random: randomReader(1)})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		if _, err := s.Append(t.Context(), fixtureEvent(t, n, origin, randomReader(uint64(n+2)))); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		o    audit.ExportOptions
		want uint64
	}{{audit.ExportOptions{}, 6}, {audit.ExportOptions{Format: audit.CSV, From: 3}, 4}, {audit.ExportOptions{Format: audit.AAT, From: 2, To: 99}, 5}} {
		if n, err := audit.Export(t.Context(), s, io.Discard, c.o); err != nil || n != c.want {
			t.Errorf("%+v: %d entries (%v)", c.o, n, err)
		}
	}
	if _, err := audit.Export(t.Context(), s, io.Discard, audit.ExportOptions{From: 7}); err == nil {
		t.Error("exports what is not there")
	}
	broken := errors.New("throttled")
	if _, err := audit.Export(t.Context(), fakeStore{headErr: broken}, io.Discard, audit.ExportOptions{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// Python reads back from CSV what was recorded, formulas aside.
func TestATableIsReadBackAndRunsNoFormula(t *testing.T) {
	actors := []string{"plain", `with "quotes", and commas`, "two\nlines\r\nand\rmore", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "é☃"}
	s, err := memory.New("test", memory.Options{Random: randomReader(1)})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]string
	for i, actor := range actors {
		e := fixtureEvent(t, i, origin, randomReader(uint64(i+2)))
		e.Actor = actor
		entries, err := s.Append(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if i >= 3 && i < 10 {
			actor = "'" + actor
		}
		want = append(want, []string{actor, string(entries[0].Payload), entries[0].Hash.String()})
	}
	var out strings.Builder
	if _, err := audit.Export(t.Context(), s, &out, audit.ExportOptions{Format: audit.CSV, From: 2}); err != nil {
		t.Fatal(err)
	}
	read := python(t, `import csv,io,json,sys
rows=list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(),newline="")))
assert rows[0]==["seq","time","id","actor","event","payload","prev_hash","hash"],rows[0]
print(json.dumps([[r[3],r[5],r[7]] for r in rows[1:]]))
`, out.String())
	var got [][]string
	if err := json.Unmarshal([]byte(read), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %q\nwant %q (%v)", got, want, err)
	}
}

// record is one of draft-sharif-agent-audit-trail.
type record struct {
	RecordID       string          `json:"record_id"`
	ParentRecordID *string         `json:"parent_record_id"`
	PrevHash       *string         `json:"prev_hash"`
	Timestamp      string          `json:"timestamp"`
	AgentID        string          `json:"agent_id"`
	AgentVersion   string          `json:"agent_version"`
	SessionID      string          `json:"session_id"`
	ActionType     string          `json:"action_type"`
	ActionDetail   json.RawMessage `json:"action_detail"`
	Outcome        string          `json:"outcome"`
	RecordPhase    string          `json:"record_phase"`
	TrustLevel     string          `json:"trust_level"`
}

func TestAgentAuditTrailRecordsAreLinkedAndCanonical(t *testing.T) {
	lines := makeChain(t, "test", 6, 1)
	text := exported(t, join(lines), audit.ExportOptions{Format: audit.AAT})
	same := python(t, `import json,sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(json.dumps(json.loads(line),sort_keys=True,ensure_ascii=False,separators=(",",":")).encode()+b"\n")
`, text)
	if same != text {
		t.Errorf("not canonical:\n%s", text)
	}
	var before string
	var parent record
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var r record
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if r.ParentRecordID != nil || r.PrevHash != nil || r.ActionType != "lifecycle" || !strings.Contains(string(r.ActionDetail), `"event":"session_start"`) {
				t.Errorf("genesis %s", line)
			}
		} else {
			sum := sha256.Sum256([]byte(before))
			if *r.PrevHash != hex.EncodeToString(sum[:]) || *r.ParentRecordID != parent.RecordID || r.ActionType != "tool_call" {
				t.Errorf("record %d: %s", i, line)
			}
		}
		if r.SessionID != "test" || r.Outcome != "success" || r.TrustLevel != "L0" || r.RecordPhase != "post_execution" || len(r.RecordID) != 36 || r.RecordID[14] != '8' {
			t.Errorf("record %d: %s", i, line)
		}
		before, parent = line, r
	}
	later := exported(t, join(lines), audit.ExportOptions{Format: audit.AAT, From: 3, To: 3})
	var r record
	if err := json.Unmarshal([]byte(later), &r); err != nil || r.PrevHash != nil || r.ParentRecordID == nil || r.SessionID != "unknown" {
		t.Errorf("begun later: %s (%v)", later, err)
	}
}

func TestADamagedChainIsNotExportedAsATable(t *testing.T) {
	lines := makeChain(t, "test", 6, 1)
	for name, stream := range map[string][]byte{
		"an edit":      join(edit(lines, 3, "5003", "5004")),
		"a gap":        join(append(clone(lines[:3]), lines[4:]...)),
		"a forged end": append(join(lines[:3]), audittest.Rehash(edit(lines, 3, `"prev_hash":"`, `"prev_hash":"0`)[3])...),
		"half a line":  join(lines)[:len(join(lines[:3]))+50],
		"a long line":  append(join(lines[:3]), strings.Repeat("x", audit.MaxLine+1)...),
	} {
		for _, format := range []audit.Format{audit.CSV, audit.AAT} {
			n, err := audit.ExportReader(bytes.NewReader(stream), io.Discard, audit.ExportOptions{Format: format})
			if err == nil || n != 3 || !strings.Contains(err.Error(), "entry 4") {
				t.Errorf("%s as %s: %d entries, %v", name, format, n, err)
			}
		}
	}
}

func TestWhatCannotBeExportedIsAnError(t *testing.T) {
	stream := join(makeChain(t, "test", 3, 1))
	for name, o := range map[string]audit.ExportOptions{"format": {Format: "xml"}, "range": {From: 3, To: 2}} {
		if _, err := audit.ExportReader(bytes.NewReader(stream), io.Discard, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := audit.ExportReader(iotest.ErrReader(broken), io.Discard, audit.ExportOptions{}); !errors.Is(err, broken) {
		t.Errorf("reading: %v", err)
	}
	if _, err := audit.ExportReader(bytes.NewReader(stream), failingWriter{broken}, audit.ExportOptions{Format: audit.CSV}); !errors.Is(err, broken) {
		t.Errorf("writing: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
