//go:build linux

package killswitch_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/processes"
)

// Agents may run as the same user. Whatever they put into the data directory, everything
// ends, and is halted.
func TestNothingInTheDataDirectorySavesAnAgent(t *testing.T) {
	for name, put := range map[string]func(dir string) error{
		"a pipe as the flag": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "HALT"), 0o600) },
		"a folder as the flag": func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "HALT", "x"), 0o700)
		},
		"a flag without end": func(dir string) error { return os.Symlink("/dev/zero", filepath.Join(dir, "HALT")) },
		"a folder where the flag is made": func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "HALT.new", "x"), 0o700)
		},
		"a pipe where the flag is made": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "HALT.new"), 0o600) },
		"a pipe as the spool":           func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "HALT.audit"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, dir := &reach{}, t.TempDir()
			if err := put(dir); err != nil {
				t.Fatal(err)
			}
			s, _ := reaching(t, r, dir, nil)
			_ = s.Flush(t.Context()) // what is no spool is an error for the log
			out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"})
			if !slices.Equal(r.all(), []string{"dispatches", "everywhere"}) || !out.Kept || s.Halted() == nil {
				t.Errorf("told %v, %+v", r.all(), out)
			}
		})
	}
}

// A halt that cannot be written ends all the same, holds as long as the server lives,
// says so, and is written as soon as that is possible.
func TestAHaltThatCannotBeWrittenStillEnds(t *testing.T) {
	dir, r := filepath.Join(t.TempDir(), "missing"), &reach{}
	s, _ := reaching(t, r, dir, nil)
	out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"})
	if len(r.all()) != 2 || !out.Halted || out.Kept || out.Complete || s.Halted() == nil || s.Halted().Reason != "test" {
		t.Errorf("told %v, %+v", r.all(), out)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if another, _ := reaching(t, r, dir, nil); another.Halted() == nil {
		t.Error("the halt was not written later")
	}
	if _, err := s.Lift(t.Context(), "test", "http"); err != nil || s.Halted() != nil {
		t.Errorf("not lifted (%v)", err)
	}
}

// A stop that hangs is reported as a survivor and does not delay the answer.
func TestAStopThatHangsDelaysNoAnswer(t *testing.T) {
	r := &reach{}
	stops := r.stops()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	stops.Dispatches = func(context.Context) ([]processes.Outcome, []processes.Survivor) { <-release; return nil, nil }
	s := killswitch.Open(t.TempDir(), nil, sticks{}, time.Now, rand.Reader, stops)
	out := s.Activate(t.Context(), killswitch.Order{Reason: "test", Scope: "all"})
	if out.Complete || len(out.Stopped.Processes) != 1 || !slices.ContainsFunc(out.Survivors, func(s killswitch.Survivor) bool {
		return s.Name == "dispatches" && strings.Contains(s.Why, "waits no longer")
	}) {
		t.Errorf("%+v", out)
	}
}

// A flag that a person writes holds for all tasks: none takes it for one that was lifted.
func TestAFlagWrittenByHandHoldsForAllTasks(t *testing.T) {
	shared, r, dir := &flag{}, &reach{}, t.TempDir()
	s, _ := reaching(t, r, dir, shared)
	if err := os.WriteFile(filepath.Join(dir, "HALT"), []byte(`{"reason":"by hand","scope":"all"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.Halted() == nil || shared.halt == nil || shared.halt.Reason != "by hand" {
		t.Fatalf("here %+v, shared %+v", s.Halted(), shared.halt)
	}
	if err := shared.Lift(t.Context(), shared.epoch); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Sync(t.Context()), s.Sync(t.Context())); err != nil || s.Halted() != nil || shared.halt != nil {
		t.Errorf("lifted by another, and halted here: %+v (%v)", s.Halted(), err)
	}
}
