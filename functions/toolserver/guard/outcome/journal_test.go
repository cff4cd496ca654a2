package outcome_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/workspace"
)

const segment = ".governance/journal/000001.jsonl"

// journalOf opens the journal as a process of its own does.
func journalOf(t testing.TB, w *guardtest.World) outcome.Journal {
	t.Helper()
	files, err := workspace.Open(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return outcome.Journal{
		Workspace: files,
		Now:       w.Now,
		Random:    rand.Reader,
	}
}

func read(t testing.TB, j outcome.Journal) outcome.Reading {
	t.Helper()
	reading, err := j.Read()
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

func add(t testing.TB, j outcome.Journal, r outcome.Record) outcome.Record {
	t.Helper()
	if r.Boundary == "" {
		r.Boundary, r.Session = "claude-code", "s"
	}
	added, err := j.Append(r, false)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func intent(call string) outcome.Record {
	return outcome.Record{Kind: outcome.Intent, Call: call, Decision: outcome.Allowed}
}

func result(call, result string) outcome.Record {
	return outcome.Record{Kind: outcome.Outcome, Call: call, Result: result}
}

// Eight agents make a thousand calls at once. No record is lost or stands twice, each call
// has its pair, and the order of the journal is the order in which each agent did things.
func TestAThousandCallsOfEightAgentsAtOnceArePairs(t *testing.T) {
	w := guardtest.New(t, nil)
	const agents, calls = 8, 125

	var group sync.WaitGroup
	for agent := range agents {
		j := journalOf(t, w)
		group.Go(func() {
			session := fmt.Sprint("session ", agent)
			for call := range calls {
				id := fmt.Sprint("call ", call)
				for _, r := range []outcome.Record{intent(id), result(id, outcome.Succeeded)} {
					r.Boundary, r.Session = "claude-code", session
					if _, err := j.Append(r, false); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()

	reading := read(t, journalOf(t, w))
	if len(reading.Damages) > 0 || len(reading.Records) != 2*agents*calls {
		t.Fatalf("%d records, damages %v", len(reading.Records), reading.Damages)
	}

	next := map[string]int{}
	for _, p := range outcome.Join(reading.Records, w.Time) {
		if p.State != outcome.Succeeded || p.Intent.Seq >= p.Outcome.Seq || p.Intent.Session != p.Outcome.Session {
			t.Errorf("%+v", p)
		}
		if want := fmt.Sprint("call ", next[p.Session()]); p.Intent.Call != want {
			t.Errorf("%s: %s comes before %s", p.Session(), p.Intent.Call, want)
		}
		next[p.Session()]++
	}
	if len(next) != agents {
		t.Errorf("%d sessions", len(next))
	}
}

// A writer that was killed leaves a line without an end. It is reported, it is no record, and
// what comes after it stands.
func TestALineThatWasNotFinishedIsReportedAndNoRecord(t *testing.T) {
	w := guardtest.New(t, nil)
	j := journalOf(t, w)
	add(t, j, intent("a"))
	whole := w.Read(segment)
	add(t, j, result("a", outcome.Succeeded))
	both := w.Read(segment)

	for end := len(whole) + 1; end < len(both)-1; end += 7 {
		w.Write(segment, both[:end])
		reading := read(t, j)
		if len(reading.Records) != 1 || len(reading.Damages) != 1 {
			t.Fatalf("cut at %d: %d records, damages %v", end, len(reading.Records), reading.Damages)
		}
		if pairs := outcome.Join(reading.Records, w.Time.Add(24*time.Hour)); pairs[0].State != outcome.Unknown {
			t.Fatalf("cut at %d: %s", end, pairs[0].State)
		}

		add(t, j, intent("b"))
		reading = read(t, j)
		if len(reading.Records) != 2 || reading.Records[1].Call != "b" || len(reading.Damages) != 1 {
			t.Fatalf("cut at %d, then written: %d records, damages %v", end, len(reading.Records), reading.Damages)
		}
	}
}

// Whatever is done to a line that others follow is found.
func TestAJournalThatWasChangedIsFound(t *testing.T) {
	w := guardtest.New(t, nil)
	j := journalOf(t, w)
	for _, call := range []string{"a", "b", "c", "d"} {
		add(t, j, intent(call))
	}
	text := w.Read(segment)
	lines := strings.SplitAfter(text, "\n")

	for name, changed := range map[string]string{
		"a line changed":   strings.Replace(text, `"call":"b"`, `"call":"x"`, 1),
		"a line gone":      lines[0] + lines[2] + lines[3],
		"the first gone":   lines[1] + lines[2] + lines[3],
		"lines exchanged":  lines[0] + lines[2] + lines[1] + lines[3],
		"a line twice":     lines[0] + lines[1] + lines[1] + lines[2] + lines[3],
		"no JSON":          lines[0] + "hello\n" + lines[2] + lines[3],
		"a line put first": strings.Replace(lines[0], `"call":"a"`, `"call":"z"`, 1) + text,
	} {
		w.Write(segment, changed)
		if reading := read(t, j); len(reading.Damages) == 0 {
			t.Errorf("%s: not found", name)
		}
	}

	w.Write(segment, text)
	if reading := read(t, j); len(reading.Damages) > 0 || reading.Head.Seq != 4 {
		t.Errorf("as written: %+v", reading.Head)
	}
}

// A segment that is full is followed by another one, and the places count on.
func TestSegmentsContinueEachOther(t *testing.T) {
	w := guardtest.New(t, nil)
	j := journalOf(t, w)
	first := add(t, j, intent("a"))

	file := filepath.Join(w.Dir, segment)
	padding := strings.Repeat(" ", 9<<20) + "\n"
	if err := os.WriteFile(file, []byte(w.Read(segment)+padding), 0o600); err != nil {
		t.Fatal(err)
	}
	second := add(t, j, intent("b"))
	third := add(t, j, intent("c"))

	if second.Seq != first.Seq+1 || third.Seq != second.Seq+1 {
		t.Errorf("%d %d %d", first.Seq, second.Seq, third.Seq)
	}
	if ignored := w.Read(".governance/journal/.gitignore"); ignored != "*\n" {
		t.Errorf("git ignores %q", ignored)
	}
	if reading := read(t, j); len(reading.Damages) > 0 || len(reading.Records) != 3 {
		t.Errorf("%d records, %v", len(reading.Records), reading.Damages)
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if reading := read(t, j); len(reading.Damages) == 0 {
		t.Error("a missing segment is not found")
	}
}

// A process that holds the lock and does not go on is waited for, but not for ever.
func TestAWriterGivesUpWaiting(t *testing.T) {
	w := guardtest.New(t, nil)
	j := journalOf(t, w)
	add(t, j, intent("a"))

	outcome.Impatient(t)
	release := outcome.Hold(t, j)
	if _, err := j.Append(intent("b"), false); err == nil || !strings.Contains(err.Error(), "holds it") {
		t.Errorf("%v", err)
	}
	release()
	add(t, j, intent("c"))
}

// What happened lately is read without the segments before.
func TestTheLastSegmentsAreReadAlone(t *testing.T) {
	w := guardtest.New(t, nil)
	j := journalOf(t, w)
	for n := range 5 {
		add(t, j, intent(fmt.Sprint(n)))
		name := filepath.Join(w.Dir, fmt.Sprintf(".governance/journal/%06d.jsonl", n+1))
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(text, []byte(strings.Repeat(" ", 9<<20)+"\n")...), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	records, err := j.Recent()
	if err != nil || len(records) != 2 || records[1].Call != "4" {
		t.Errorf("%d records, %v", len(records), err)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"seq":1,"prev":"","id":"x","at":"2026-11-22T12:00:00Z","kind":"intent","boundary":"codex","actor":{"kind":"agent"}}`))
	f.Add([]byte(`{"seq":-1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := outcome.ParseRecord(line)
		if err == nil && (r.Seq == 0 || r.ID == "" || r.Kind == "") {
			t.Errorf("%q is %+v", line, r)
		}
	})
}
