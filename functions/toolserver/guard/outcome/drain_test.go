package outcome_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/shared/audit"
)

func drainOf(t testing.TB, w *guardtest.World) outcome.Drain {
	return outcome.Drain{Journal: journalOf(t, w), Log: w.Log}
}

func flush(t testing.TB, d outcome.Drain) {
	t.Helper()
	if err := d.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestTheChainTakesEachRecordOnceAndCountsThem(t *testing.T) {
	w := guardtest.New(t, nil)
	d := drainOf(t, w)
	for n := range 1201 { // more than two batches
		add(t, d.Journal, intent(fmt.Sprint(n)))
	}
	flush(t, d)
	flush(t, d)
	add(t, d.Journal, result("0", outcome.Succeeded))
	flush(t, d)

	if n, m := len(w.Recorded("TOOL_INTENT")), len(w.Recorded("TOOL_OUTCOME")); n != 1201 || m != 1 {
		t.Errorf("%d intents, %d outcomes", n, m)
	}
	counted := w.Recorded(outcome.EventCounted)
	var last struct {
		Records    uint64
		Boundaries map[string]outcome.Count
	}
	if err := json.Unmarshal(counted[len(counted)-1].Payload, &last); err != nil {
		t.Fatal(err)
	}
	if want := (outcome.Count{Intents: 1201, Outcomes: 1}); last.Records != 1202 || last.Boundaries["claude-code"] != want {
		t.Errorf("%+v", last)
	}
}

// The server may be killed after the chain took the records and before it wrote that down.
func TestRecordsAreTakenOnceAlsoAfterACrash(t *testing.T) {
	w := guardtest.New(t, nil)
	d := drainOf(t, w)
	for n := range 10 {
		add(t, d.Journal, intent(fmt.Sprint(n)))
		flush(t, d)
		if n%3 == 0 {
			if err := os.Remove(filepath.Join(w.Dir, ".governance/journal/taken.json")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(w.Recorded("TOOL_INTENT")); n != 10 {
		t.Errorf("%d entries for 10 records", n)
	}
}

// A journal that was rewritten after the chain took it is recorded as forged, and what follows
// is taken all the same.
func TestAJournalThatWasRewrittenIsAViolation(t *testing.T) {
	for name, rewrite := range map[string]func(string) string{
		"cut":      func(text string) string { return text[:strings.Index(text, "\n")+1] },
		"emptied":  func(string) string { return "" },
		"replaced": func(text string) string { return strings.ReplaceAll(text, "allowed", "denied!") },
	} {
		w := guardtest.New(t, nil)
		d := drainOf(t, w)
		add(t, d.Journal, intent("a"))
		add(t, d.Journal, intent("b"))
		flush(t, d)

		w.Write(segment, rewrite(w.Read(segment)))
		add(t, d.Journal, intent("c"))
		flush(t, d)
		flush(t, d)

		if len(w.Recorded("FORGED_RECORD")) == 0 {
			t.Errorf("%s: not in the chain", name)
		}
		found := false
		for _, e := range w.Recorded("TOOL_INTENT") {
			found = found || strings.Contains(string(e.Payload), `"call":"c"`)
		}
		if !found {
			t.Errorf("%s: the record after it is not in the chain", name)
		}
	}
}

// A line that a crash left unfinished is taken when it is known to be damaged, and holds up
// nothing.
func TestAnUnfinishedLineHoldsUpNothing(t *testing.T) {
	w := guardtest.New(t, nil)
	d := drainOf(t, w)
	add(t, d.Journal, intent("a"))
	w.Write(segment, w.Read(segment)+`{"seq":2,"prev`)
	flush(t, d)
	if n := len(w.Recorded("FORGED_RECORD")); n != 0 {
		t.Errorf("%d violations while the writer may still write", n)
	}

	add(t, d.Journal, intent("b"))
	for range 3 {
		flush(t, d)
	}
	if n, m := len(w.Recorded("TOOL_INTENT")), len(w.Recorded("FORGED_RECORD")); n != 2 || m != 1 {
		t.Errorf("%d intents, %d violations", n, m)
	}
}

// failing is a chain that takes nothing.
type failing struct{ audit.Store }

func (failing) Append(context.Context, ...audit.Event) ([]audit.Entry, error) {
	return nil, errors.New("the disk is full")
}

func TestRecordsWaitWhileTheChainTakesNothing(t *testing.T) {
	w := guardtest.New(t, nil)
	d := drainOf(t, w)
	add(t, d.Journal, intent("a"))

	trail := w.Log.Trail
	w.Log.Trail = failing{trail}
	if err := d.Flush(t.Context()); err == nil {
		t.Error("no error")
	}
	w.Log.Trail = trail
	flush(t, d)
	if n := len(w.Recorded("TOOL_INTENT")); n != 1 {
		t.Errorf("%d entries", n)
	}
}
