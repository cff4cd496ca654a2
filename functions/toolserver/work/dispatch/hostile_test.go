//go:build linux

package dispatch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"governance.internal/functions/toolserver/work/processes"
)

// One server ends what another server of the same directory started, and says so.
func TestOneServerEndsWhatAnotherStarted(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	r := one.start("wait")
	outcomes, _ := two.StopAll(t.Context())
	if !slices.ContainsFunc(outcomes, func(o processes.Outcome) bool { return o.ID == r.ID && o.Ended && len(o.Signals) > 0 }) || two.alive(r) {
		t.Errorf("%+v, alive %v", outcomes, two.alive(r))
	}
	one.ended(r.ID)
}

// A record that cannot be read, or names another dispatch or a place that is not there,
// stops no server from starting; its dispatch is counted, and ended.
func TestADamagedRecordHidesNoDispatch(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"empty":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"another id":  func(path string) error { return os.WriteFile(path, []byte(`{"id":"x","state":"ended"}`), 0o600) },
		"a pipe":      func(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
		"not written": func(string) error { return nil }, // the server ended before it knew the number
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first := open(t, dir, nil)
			r := first.start("wait")
			path := filepath.Join(dir, "dispatches", r.ID, "record.json")
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			if name == "not written" {
				early := r
				early.Identity, early.TimeoutS = processes.Expected(), 0
				if err := first.write(early); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := first.Used(t.Context()); n != 1 || err != nil {
				t.Errorf("%d run (%v)", n, err)
			}
			second := open(t, dir, nil)
			second.ended(r.ID)
			if second.alive(r) {
				t.Error("it lives on")
			}
		})
	}
}

// A lease with an invalid slot number is lost, without a panic.
func TestALeaseOfNoPlaceIsLost(t *testing.T) {
	slots := NewFileSlots(filepath.Join(t.TempDir(), "slots"))
	for _, n := range []int{-1, 0, 3, 1 << 40} {
		l := Lease{Slot: n, Owner: "a"}
		if err := slots.Renew(t.Context(), l, l.Expires); !errors.Is(err, ErrLost) {
			t.Errorf("%d renewed (%v)", n, err)
		}
		if err := slots.Release(t.Context(), l); err != nil {
			t.Error(err)
		}
	}
}

// An agent that puts a pipe in the place of its log holds up nothing.
func TestALogThatIsAPipeHoldsUpNothing(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	r := f.start("wait")
	path, err := f.LogPath(r.ID)
	if err := errors.Join(err, os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	f.Cancel(t.Context(), r.ID, "test", "a test")
	f.ended(r.ID)
	for _, put := range []func() error{func() error { return nil }, func() error { return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path)) }} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Follow(t.Context(), r.ID, 0, func([]byte, int64) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Follow: %v, want a missing file", err)
		}
	}
}
