package killswitch_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// reach records what was asked to end.
type reach struct {
	mu     sync.Mutex
	told   []string
	stuck  bool // a process does not end
	failed bool // a process does not come back
}

func (r *reach) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, what)
}

func (r *reach) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.told))
}

func (r *reach) stops() killswitch.Stops {
	return killswitch.Stops{
		Dispatches: func(context.Context) ([]processes.Outcome, []processes.Survivor) {
			r.note("dispatches")
			return []processes.Outcome{{ID: "d1", PID: 7, Ended: true}}, nil
		},
		Processes: func(_ context.Context, here bool) []managed.Outcome {
			r.note(map[bool]string{true: "here", false: "everywhere"}[here])
			out := managed.Done(managed.Process{Name: "api", Provider: "docker"}, "stop")
			if r.stuck {
				out = managed.Fail(managed.Process{Name: "api", Provider: "docker"}, nil, "it does not end")
			}
			return []managed.Outcome{out}
		},
		Restore: func(context.Context) []managed.Restored {
			r.note("restore")
			return []managed.Restored{{Name: "api", Provider: "docker", OK: !r.failed}}
		},
	}
}

func reaching(t *testing.T, r *reach, dir string, shared killswitch.Flag) (*killswitch.Switch, *memory.Store) {
	t.Helper()
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return killswitch.Open(dir, shared, store, time.Now, rand.Reader, r.stops()), store
}

func TestTheScopeSaysWhatEnds(t *testing.T) {
	for scope, want := range map[string][]string{"all": {"dispatches", "everywhere"}, "dispatches": {"dispatches"}, "processes": {"everywhere"}} {
		r := &reach{stuck: true}
		s, _ := reaching(t, r, t.TempDir(), nil)
		out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: scope})
		if !slices.Equal(r.all(), want) || out.Complete != (scope == "dispatches") {
			t.Errorf("%s: told %v, %+v", scope, r.all(), out)
		}
		if scope != "dispatches" && (!slices.Equal(out.Asked.Processes, []string{"api"}) || out.Stopped.Processes[0].OK || len(out.Survivors) != 1 || out.Survivors[0].Why != "it does not end") {
			t.Errorf("%+v", out)
		}
	}
}

// The flag may be written by a person or exist from before. A running server ends what runs
// once for each halt.
func TestAFlagThatSomebodyElseWroteIsObeyedOnce(t *testing.T) {
	r, dir := &reach{}, t.TempDir()
	s, _ := reaching(t, r, dir, nil)
	for n := 1; n <= 2; n++ {
		if err := os.WriteFile(filepath.Join(dir, "HALT"), []byte(`{"reason":"by hand","scope":"processes"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for deadline := time.Now().Add(time.Minute); len(r.all()) < n && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if told := r.all(); len(told) != n || told[n-1] != "here" {
			t.Errorf("%v", told)
		}
		if err := os.Remove(filepath.Join(dir, "HALT")); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Another server's halt ends what runs here, and leaves to that one what runs elsewhere.
func TestAnotherServersHaltEndsWhatRunsHere(t *testing.T) {
	shared := &flag{}
	first, second := &reach{}, &reach{}
	one, _ := reaching(t, first, t.TempDir(), shared)
	two, _ := reaching(t, second, t.TempDir(), shared)
	one.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"})
	if err := two.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(second.all()) < 2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := second.all(); !slices.Equal(got, []string{"dispatches", "here"}) || two.Halted() == nil {
		t.Errorf("%v", got)
	}
}

// A stopped process is restored only without a halt, and the restore is recorded first.
func TestRestoreComesAfterTheLiftAndIsOnRecord(t *testing.T) {
	r, dir := &reach{failed: true}, t.TempDir()
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var is atomic.Bool
	s := killswitch.Open(dir, nil, down{store, &is}, time.Now, rand.Reader, r.stops())
	s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "dispatches"})
	if _, err := s.Restore(t.Context(), "test", "http"); !errors.Is(err, killswitch.ErrHalted) {
		t.Errorf("under a halt: %v", err)
	}
	if _, err := s.Lift(t.Context(), "test", "http"); err != nil {
		t.Fatal(err)
	}
	is.Store(true)
	if _, err := s.Restore(t.Context(), "test", "http"); !errors.Is(err, killswitch.ErrNoRecord) || slices.Contains(r.all(), "restore") {
		t.Errorf("without a record: %v", err)
	}
	is.Store(false)
	before, err := store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	restored, err := s.Restore(t.Context(), "test", "http")
	after, headErr := store.Head(t.Context())
	if err != nil || headErr != nil || len(restored) != 1 || restored[0].OK || after.Seq != before.Seq+2 {
		t.Errorf("%+v (%v), entries %d to %d", restored, err, before.Seq, after.Seq)
	}
}

// sticks does not answer for one entry until it is released, and fails for all others.
type sticks struct {
	audit.Store
	begun, release chan struct{}
}

func (s sticks) Append(_ context.Context, events ...audit.Event) ([]audit.Entry, error) {
	if events[0].ID == "late-1" {
		close(s.begun)
		<-s.release
	}
	return nil, errors.New("the store is down")
}

// While entries of an earlier halt wait for a trail that does not answer, the next halt
// does not wait for them.
func TestEntriesThatWaitHoldUpNoHalt(t *testing.T) {
	dir, trail := t.TempDir(), sticks{begun: make(chan struct{}), release: make(chan struct{})}
	if err := os.WriteFile(filepath.Join(dir, "HALT.audit"), []byte(`{"ID":"late-1","Actor":"killswitch","Type":"KILL_SWITCH","Payload":{"n":1}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &reach{}
	s := killswitch.Open(dir, nil, trail, time.Now, rand.Reader, r.stops())
	flushed := make(chan error, 1)
	go func() { flushed <- s.Flush(t.Context()) }()
	<-trail.begun
	if out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"}); len(r.all()) != 2 || out.Audit != "deferred" {
		t.Errorf("%+v", out)
	}
	close(trail.release)
	if err := <-flushed; err == nil {
		t.Error("flushed without a store")
	}
	text, err := os.ReadFile(filepath.Join(dir, "HALT.audit"))
	if n := strings.Count(string(text), "KILL_SWITCH"); err != nil || n != 3 {
		t.Errorf("%d entries wait (%v)", n, err)
	}
}
