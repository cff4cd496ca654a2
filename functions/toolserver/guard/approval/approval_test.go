package approval_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/workspace"
)

// book is a book of approvals over a folder, with a clock of its own.
type book struct {
	*approval.Book
	now      time.Time
	recorded []string
}

func bookOf(t *testing.T, dir string) *book {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	b := &book{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	b.Book = &approval.Book{Workspace: w, Now: func() time.Time { return b.now }, Random: rand.Reader, Record: func(_ context.Context, _, event string, _ map[string]any) error {
		b.recorded = append(b.recorded, event)
		return nil
	}}
	return b
}

var edit = approval.Action{Agent: "codex", Operation: "edit", Paths: []string{"go.mod"}}

const lists = "version-of-the-lists"

func (b *book) granted(t *testing.T, a approval.Action) approval.Approval {
	t.Helper()
	asked, err := b.Request(t.Context(), a, lists, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if asked, err = b.Decide(t.Context(), asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}
	return asked
}

// An approval is for one action of one caller under one version of the lists. A difference
// in any of these makes it another action.
func TestAnApprovalBindsAllThatWasAsked(t *testing.T) {
	for what, c := range map[string]struct {
		action approval.Action
		policy string
		after  time.Duration
		want   bool
	}{
		"the same":            {edit, lists, 0, true},
		"just before it ends": {edit, lists, time.Hour - time.Nanosecond, true},
		"another caller":      {approval.Action{Agent: "claude-code", Operation: "edit", Paths: []string{"go.mod"}}, lists, 0, false},
		"another operation":   {approval.Action{Agent: "codex", Operation: "delete", Paths: []string{"go.mod"}}, lists, 0, false},
		"another file":        {approval.Action{Agent: "codex", Operation: "edit", Paths: []string{"go.sum"}}, lists, 0, false},
		"one more file":       {approval.Action{Agent: "codex", Operation: "edit", Paths: []string{"go.mod", "go.sum"}}, lists, 0, false},
		"a command":           {approval.Action{Agent: "codex", Operation: "command", Command: "go.mod"}, lists, 0, false},
		"other lists":         {edit, "another-version", 0, false},
		"after it ended":      {edit, lists, time.Hour, false},
	} {
		t.Run(what, func(t *testing.T) {
			b := bookOf(t, t.TempDir())
			b.granted(t, edit)
			b.now = b.now.Add(c.after)
			used, err := b.Use(t.Context(), c.action, c.policy)
			if err != nil || (used != nil) != c.want {
				t.Errorf("%+v %v", used, err)
			}
			if again, err := b.Use(t.Context(), c.action, c.policy); again != nil || err != nil {
				t.Errorf("used twice: %+v %v", again, err)
			}
		})
	}
}

func TestOnlyAnOpenRequestIsDecided(t *testing.T) {
	b := bookOf(t, t.TempDir())
	asked, err := b.Request(t.Context(), edit, lists, "why", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := b.Find(edit, lists); found != nil || err != nil {
		t.Errorf("a request lets something pass: %+v %v", found, err)
	}
	if _, err := b.Decide(t.Context(), asked.ID, "a person", false); err != nil {
		t.Fatal(err)
	}
	if used, err := b.Use(t.Context(), edit, lists); used != nil || err != nil {
		t.Errorf("what was denied lets something pass: %+v %v", used, err)
	}
	if _, err := b.Decide(t.Context(), asked.ID, "a person", true); !errors.Is(err, approval.ErrNotOpen) {
		t.Errorf("decided twice: %v", err)
	}
	late, err := b.Request(t.Context(), edit, lists, "why", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(time.Minute)
	if _, err := b.Decide(t.Context(), late.ID, "a person", true); !errors.Is(err, approval.ErrNotOpen) {
		t.Errorf("decided after its end: %v", err)
	}
	for _, ttl := range []time.Duration{0, time.Second - 1, approval.MaxTTL + 1} {
		if _, err := b.Request(t.Context(), edit, lists, "why", ttl); !errors.Is(err, approval.ErrDuration) {
			t.Errorf("%s: %v", ttl, err)
		}
	}
}

// A grant that cannot be written into the audit trail does not hold.
func TestAGrantThatIsNotOnRecordDoesNotHold(t *testing.T) {
	b := bookOf(t, t.TempDir())
	asked, err := b.Request(t.Context(), edit, lists, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b.Record = func(context.Context, string, string, map[string]any) error { return errors.New("the trail is gone") }
	if _, err := b.Decide(t.Context(), asked.ID, "a person", true); err == nil {
		t.Error("granted without a record")
	}
	if used, err := b.Use(t.Context(), edit, lists); used != nil || err != nil {
		t.Errorf("%+v %v", used, err)
	}
}

// Hooks are processes of their own. Of several that use an approval at the same time one
// succeeds.
func TestOfSeveralProcessesOneUsesAnApproval(t *testing.T) {
	dir := t.TempDir()
	bookOf(t, dir).granted(t, edit)
	var used atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		other := bookOf(t, dir)
		all.Go(func() {
			for range 3 {
				found, err := other.Use(context.Background(), edit, lists)
				if err != nil { // the file was locked for too long; the caller is refused then
					continue
				}
				if found != nil {
					used.Add(1)
				}
			}
		})
	}
	all.Wait()
	if used.Load() != 1 {
		t.Errorf("used %d times", used.Load())
	}
}

func TestRequestsThatWaitAreBounded(t *testing.T) {
	b := bookOf(t, t.TempDir())
	for i := range 101 {
		_, err := b.Request(t.Context(), approval.Action{Agent: "a", Operation: "command", Command: string(rune('a' + i))}, lists, "why", time.Hour)
		if (err != nil) != (i == 100) || i == 100 && !errors.Is(err, approval.ErrTooMany) {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}
