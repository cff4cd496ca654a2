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

	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

func open(t *testing.T, dir string) (*killswitch.Switch, audit.Store) {
	t.Helper()
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return killswitch.Open(dir, nil, store, time.Now, rand.Reader, nothing), store
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

// A crash can cut off the last entry that waits; those before it are kept.
func TestLateEntriesSurviveACrash(t *testing.T) {
	dir := t.TempDir()
	_, store := open(t, dir)
	var is atomic.Bool
	s := killswitch.Open(dir, nil, down{store, &is}, time.Now, rand.Reader, nothing)
	waiting := `{"ID":"late-1","Actor":"killswitch","Type":"KILL_SWITCH","Payload":{"n":1}}` + "\n" + `{"ID":"late-2","Act`
	if err := os.WriteFile(filepath.Join(dir, "HALT.audit"), []byte(waiting), 0o600); err != nil {
		t.Fatal(err)
	}
	is.Store(true)
	if out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"}); out.Audit != "deferred" {
		t.Fatalf("%+v", out)
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

// nothing runs.
var nothing killswitch.Stops

// flag is a shared flag that is out of reach while err is set.
type flag struct {
	halt  *killswitch.Halt
	epoch uint64
	err   error
}

func (f *flag) Read(context.Context) (*killswitch.Halt, uint64, error) { return f.halt, f.epoch, f.err }

func (f *flag) Raise(_ context.Context, h killswitch.Halt) error {
	if f.err == nil && f.halt == nil {
		f.halt, f.epoch = &h, f.epoch+1
	}
	return f.err
}

func (f *flag) Lift(_ context.Context, epoch uint64) error {
	if f.err == nil && epoch == f.epoch {
		f.halt, f.epoch = nil, f.epoch+1
	}
	return f.err
}

// A halt is in force here at once, and elsewhere as soon as the shared flag can be written;
// it is lifted nowhere before it is lifted for all.
func TestAHaltReachesTheOthersWhenTheyCanBeTold(t *testing.T) {
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shared := &flag{err: errors.New("out of reach")}
	task := func() *killswitch.Switch {
		return killswitch.Open(t.TempDir(), shared, store, time.Now, rand.Reader, nothing)
	}
	here, there := task(), task()
	out := here.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"})
	if !out.Halted || out.Complete || here.Halted() == nil {
		t.Fatalf("%+v (%v)", out, err)
	}
	if _, err := here.Check(t.Context()); err == nil {
		t.Error("no error for an unreadable shared flag")
	}
	if _, err := here.Lift(t.Context(), "test", "http"); !errors.Is(err, killswitch.ErrNoRecord) || here.Halted() == nil {
		t.Errorf("lifted without the others: %v", err)
	}
	shared.err = nil
	if err := here.Sync(t.Context()); err != nil || shared.halt == nil {
		t.Fatalf("the others are not told (%v)", err)
	}
	if halt, err := there.Check(t.Context()); err != nil || halt == nil || halt.Reason != "test" {
		t.Errorf("there: %+v (%v)", halt, err)
	}
	if lifted, err := there.Lift(t.Context(), "test", "http"); err != nil || !lifted.Resumed {
		t.Errorf("%+v (%v)", lifted, err)
	}
	if halt, err := here.Check(t.Context()); err != nil || halt != nil {
		t.Errorf("lifted elsewhere: %+v (%v)", halt, err)
	}
}
