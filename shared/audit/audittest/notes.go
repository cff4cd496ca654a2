package audittest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"governance.internal/shared/audit"
)

// RunNotes runs the contract of [audit.Notes] on notes that are fresh and on the
// same ones opened again.
func RunNotes(t *testing.T, fresh, again audit.Notes) {
	set := func(n audit.Notes, name, old, next string) error {
		var before []byte
		if old != "" {
			before = []byte(old)
		}
		return n.SetNote(t.Context(), name, before, []byte(next))
	}

	want := func(n audit.Notes, name, text string) {
		t.Helper()
		if got, err := n.Note(t.Context(), name); err != nil || string(got) != text {
			t.Errorf("%s is %q (%v), want %q", name, got, err, text)
		}
	}
	want(fresh, "checkpoint", "")

	steps := []struct {
		old, next string
		err       error
	}{
		{"x", "one", audit.ErrNoteChanged},
		{"", "one", nil},
		{"", "two", audit.ErrNoteChanged},
		{"one", "two\nlines\n", nil},
		{"one", "three", audit.ErrNoteChanged},
	}
	for _, step := range steps {
		err := set(fresh, "checkpoint", step.old, step.next)
		if !errors.Is(err, step.err) {
			t.Errorf("from %q to %q: %v, want %v", step.old, step.next, err, step.err)
		}
	}

	want(again, "checkpoint", "two\nlines\n")
	want(again, "full-walk", "")
	for _, bad := range []string{"", "A", "../x", "a/b", strings.Repeat("a", 65)} {
		if err := set(fresh, bad, "", "x"); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}

	oneOfManyWins(t, fresh, again)
}

// oneOfManyWins lets many replace a note at once, repeatedly.
func oneOfManyWins(t *testing.T, stores ...audit.Notes) {
	var wins atomic.Int64
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			for n := 0; n < 10; {
				s := stores[i%len(stores)]
				old, err := s.Note(t.Context(), "race")
				if err == nil {
					err = s.SetNote(t.Context(), "race", old, fmt.Appendf(nil, "%s%d ", old, i))
				}

				switch {
				case err == nil:
					wins.Add(1)
					n++
				case !errors.Is(err, audit.ErrNoteChanged):
					t.Error(err)
					return
				}
			}
		})
	}

	group.Wait()
	// A writer whose answer got lost may see its own text replaced before it asks again.
	text, _ := stores[0].Note(t.Context(), "race")
	n := len(strings.Fields(string(text)))
	if n < 100 || wins.Load() != 100 {
		t.Errorf("%d replacements succeeded, %d can be read", wins.Load(), n)
	}
}
