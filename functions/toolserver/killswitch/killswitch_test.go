package killswitch_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/killswitch"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

func open(t *testing.T, dir string) (*killswitch.Switch, audit.Store) {
	t.Helper()
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return killswitch.Open(dir, store, time.Now, rand.Reader), store
}

// down is a trail that takes no entries while it is down.
type down struct {
	audit.Store
	is *atomic.Bool
}

func (d down) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	if d.is.Load() {
		return nil, errors.New("the store is down")
	}
	return d.Store.Append(ctx, events...)
}

// A flag that was damaged still halts.
func TestADamagedFlagHalts(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	if s.Halted() != nil {
		t.Fatal("halted from the start")
	}
	for _, text := range []string{"", "{", "resume"} {
		if err := os.WriteFile(filepath.Join(dir, "HALT"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s.Halted() == nil {
			t.Errorf("%q lifts the halt", text)
		}
	}
}

// A halt that cannot be kept is not reported as one.
func TestAHaltThatCannotBeWrittenIsAnError(t *testing.T) {
	s, _ := open(t, filepath.Join(t.TempDir(), "missing"))
	if out, err := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"}); err == nil || out.Activated {
		t.Errorf("%+v (%v)", out, err)
	}
}

// A crash can cut off the last entry that waits; those before it are kept.
func TestLateEntriesSurviveACrash(t *testing.T) {
	dir := t.TempDir()
	_, store := open(t, dir)
	var is atomic.Bool
	s := killswitch.Open(dir, down{store, &is}, time.Now, rand.Reader)
	waiting := `{"ID":"late-1","Actor":"killswitch","Type":"KILL_SWITCH","Payload":{"n":1}}` + "\n" + `{"ID":"late-2","Act`
	if err := os.WriteFile(filepath.Join(dir, "HALT.audit"), []byte(waiting), 0o600); err != nil {
		t.Fatal(err)
	}
	is.Store(true)
	if out, err := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"}); err != nil || out.Audit != "deferred" {
		t.Fatalf("%+v (%v)", out, err)
	}
	is.Store(false)
	for range 2 {
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if head, err := store.Head(t.Context()); err != nil || head.Seq != 4 {
		t.Errorf("head %d (%v)", head.Seq, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "HALT.audit")); !os.IsNotExist(err) {
		t.Errorf("the spool is still there (%v)", err)
	}
}
