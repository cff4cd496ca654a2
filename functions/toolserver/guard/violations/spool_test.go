package violations_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// hookOf is the log of a program without a chain.
func hookOf(w *guardtest.World) *violations.Log {
	return &violations.Log{Workspace: w.Workspace, Now: w.Now, Random: rand.Reader}
}

func put(t *testing.T, w *guardtest.World, actor, kind string, detail map[string]any) {
	t.Helper()
	if err := hookOf(w).Note(t.Context(), actor, kind, detail); err != nil {
		t.Fatal(err)
	}
}

func flush(t *testing.T, w *guardtest.World) {
	t.Helper()
	if err := w.Log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(w.Dir, workspace.StateDir, "spool", "*[^d]")); err != nil || len(left) > 0 {
		t.Errorf("left in the spool: %v (%v)", left, err)
	}
}

// A writer of the spool can write any name into it, so the chain names the spool as the
// actor and keeps the claimed name only as a claim.
func TestARecordOfTheSpoolNeverBearsTheNameThatItClaims(t *testing.T) {
	w := guardtest.New(t, nil)
	put(t, w, "operator", "WORKLOG", map[string]any{"path": "WORKLOG.md", "line": 1, "said_by": "nobody"})
	flush(t, w)
	list := w.Recorded("WORKLOG")
	if len(list) != 1 || list[0].Actor != "spool" || !strings.Contains(string(list[0].Payload), `"said_by":"operator"`) {
		t.Errorf("recorded %+v", list)
	}
}

// What tools that write record while the chain cannot be reached is no forgery: the command
// line has no chain at all.
func TestWhatToolsThatWriteRecordIsTakenFromTheSpool(t *testing.T) {
	for _, kind := range []string{
		"PROPAGATE", "PROPAGATE_FAILED", "DOC_DRIFT_FIXED", "DOC_DRIFT_FIXED_FAILED",
		"GUIDANCE_WRITTEN", "GUIDANCE_WRITTEN_FAILED", "SESSION_PERSIST",
	} {
		w := guardtest.New(t, nil)
		put(t, w, "governance drift", kind, map[string]any{"files": []string{"README.md"}})
		flush(t, w)

		taken := len(w.Recorded(kind))
		forged := len(w.Recorded(violations.ForgedRecord))
		if taken != 1 || forged != 0 {
			t.Errorf("%s: taken %d times, put aside %d times", kind, taken, forged)
		}
	}
}

// A decision about an approval is in the chain only if the book holds it.
func TestDecisionsOfTheSpoolMustBeInTheBookOfApprovals(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance})
	book := &approval.Book{Workspace: w.Workspace, Now: w.Now, Random: rand.Reader, Record: hookOf(w).Note}
	ask := func(file string) approval.Approval {
		asked, err := book.Request(t.Context(), approval.Action{Agent: "codex", Operation: "edit", Paths: []string{file}}, "v", "why", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return asked
	}
	granted, pending := ask("go.mod"), ask("docs/adr/1.md")
	if _, err := book.Decide(t.Context(), granted.ID, "command line", true); err != nil {
		t.Fatal(err)
	}
	tell := func(a approval.Approval, status string) map[string]any {
		return map[string]any{"approval": a.ID, "digest": a.Digest, "status": status}
	}
	other := granted
	other.Digest = pending.Digest
	unknown := approval.Approval{ID: "01K8ZZZZZZZZZZZZZZZZZZZZZZ", Digest: granted.Digest}
	for _, forged := range []map[string]any{tell(pending, approval.Granted), tell(granted, approval.Denied), tell(granted, approval.Used), tell(other, approval.Granted), tell(unknown, approval.Granted), {}} {
		put(t, w, "command line", approval.EventDecided, forged)
	}
	flush(t, w)
	if n := len(w.Recorded(approval.EventDecided)); n != 1 {
		t.Errorf("%d decisions in the chain, want the one of the book", n)
	}
	if n := len(w.Recorded(approval.EventRequested)); n != 2 {
		t.Errorf("%d requests in the chain, want 2", n)
	}
	if n := len(w.Recorded(violations.ForgedRecord)); n != 6 {
		t.Errorf("%d forged records told, want 6", n)
	}
}

// A book of approvals that an agent damaged lets its records wait, and no others.
func TestADamagedBookHoldsUpNoRefusal(t *testing.T) {
	w := guardtest.New(t, map[string]string{".governance/approvals.db": "no database"})
	put(t, w, "command line", approval.EventDecided, map[string]any{"approval": "x", "digest": "y", "status": approval.Granted})
	put(t, w, "guard", violations.BlockedProtected, map[string]any{"path": "c"})
	if err := w.Log.Flush(t.Context()); err == nil {
		t.Error("Flush reports no error")
	}
	if n := len(w.Recorded(violations.BlockedProtected)); n != 1 || len(w.Recorded(approval.EventDecided)) != 0 || len(w.Recorded(violations.ForgedRecord)) != 0 {
		t.Errorf("%d refusals in the chain", n)
	}
}

// A record with the id of another entry would be refused by the chain for ever, and hold
// up all that come after it.
func TestARecordWithTheIDOfAnotherEntryHoldsNothingUp(t *testing.T) {
	w := guardtest.New(t, nil)
	first, err := w.Log.Record(t.Context(), "guard", violations.BlockedUntouchable, map[string]any{"path": "a"})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := audit.NewDraft(audit.Event{ID: first.ID, Actor: "guard", Type: violations.BlockedUntouchable, Payload: map[string]any{"path": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(".governance/spool/"+first.ID, string(draft.Content()))
	put(t, w, "guard", violations.BlockedProtected, map[string]any{"path": "c"})
	flush(t, w)
	if n := len(w.Recorded(violations.BlockedUntouchable)); n != 1 || len(w.Recorded(violations.BlockedProtected)) != 1 || len(w.Recorded(violations.ForgedRecord)) != 1 {
		t.Errorf("%d entries of the id", n)
	}
}

// deaf is a chain that takes an entry and does not answer.
type deaf struct {
	audit.Store
	silent bool
}

func (d *deaf) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	entries, err := d.Store.Append(ctx, events...)
	if d.silent {
		return nil, audit.Unknown{ID: events[0].ID, Err: context.DeadlineExceeded}
	}
	return entries, err
}

// A server that does not know whether its entry was taken spools it; it is the same one.
func TestWhatTheChainTookWithoutAnAnswerIsNoForgery(t *testing.T) {
	w := guardtest.New(t, nil)
	chain := &deaf{w.Store, true}
	w.Log.Trail = chain
	if _, err := w.Log.Record(t.Context(), "guard", violations.GuardBypassed, map[string]any{"path": "a"}); err != nil {
		t.Fatal(err)
	}
	chain.silent = false
	flush(t, w)
	if list := w.Recorded(violations.GuardBypassed); len(list) != 1 || list[0].Actor != "guard" || len(w.Recorded(violations.ForgedRecord)) != 0 {
		t.Errorf("recorded %v", list)
	}
}

// Records of the spool are foreign bytes: whatever they are, the flush ends and leaves
// nothing in the way.
func FuzzSpool(f *testing.F) {
	draft, err := audit.NewDraft(audit.Event{ID: "01K8ZZZZZZZZZZZZZZZZZZZZZZ", Actor: "guard", Type: violations.BlockedProtected, Payload: map[string]any{"path": "b"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(draft.Content())
	f.Add(bytes.Replace(draft.Content(), []byte(`{"path":"b"}`), []byte(`[1]`), 1))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := guardtest.New(t, nil)
		w.Write(".governance/spool/1", string(text))
		flush(t, w)
		if _, err := os.Stat(filepath.Join(w.Dir, workspace.StateDir, "spool", "1")); !os.IsNotExist(err) {
			t.Error("the record stays in the way")
		}
	})
}
