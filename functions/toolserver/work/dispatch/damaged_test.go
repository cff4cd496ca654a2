//go:build linux

package dispatch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/statefile"
	"governance.internal/shared/audit"
)

// rebuilt counts the entries that tell of damaged leases.
func (f fixture) rebuilt() (n int) {
	f.Helper()
	head, err := f.trail.Head(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for b, err := range f.trail.Blocks(f.Context(), 1, head.Seq) {
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(b.Lines)) {
			if e, err := audit.ParseEntry([]byte(strings.TrimSuffix(line, "\n"))); err == nil && e.Event == EventSlots {
				n++
			}
		}
	}
	return n
}

func within(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what + ": not within a minute")
		}
	}
}

// Unreadable leases are rebuilt from the running dispatches: none is refused, none is
// ended, and at most two run.
func TestDamagedLeasesAreRebuiltFromRunningDispatches(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"no JSON":   func(path string) error { return os.WriteFile(path, []byte("{{{"), 0o600) },
		"no leases": func(path string) error { return os.WriteFile(path, []byte(`{"slot":1}`), 0o600) },
		"no places": func(path string) error { return os.WriteFile(path, []byte(`[{"slot":7},{"slot":-1}]`), 0o600) },
		"too many": func(path string) error {
			return os.WriteFile(path, []byte(`[{"slot":1},{"slot":2},{"slot":3}]`), 0o600)
		},
		"large":      func(path string) error { return os.Truncate(path, 1<<30) },
		"removed":    os.Remove,
		"a pipe":     func(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
		"a folder":   func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a bad link": func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, t.TempDir(), func(_ *Settings, d *Deps) { d.Renewal = 20 * time.Millisecond })
			path := filepath.Join(f.dir, "dispatches", "slots.json")
			first := f.start("wait")
			for range 2 { // what was put aside before is no hindrance
				unlock, err := statefile.Lock(path+".lock", time.Minute) // a renewal under way would mend it
				if err != nil {
					t.Fatal(err)
				}
				before := f.rebuilt()
				err = damage(path)
				unlock()
				if err != nil {
					t.Fatal(err)
				}
				within(t, "the leases are rebuilt", func() bool { return f.rebuilt() > before })
			}
			f.start("wait")
			f.refused("limit_exceeded")
			if !f.alive(first) {
				t.Error("the first agent was ended")
			}
		})
	}
}

// Forged leases without an owner, even unexpiring ones, refuse no dispatch.
func TestForgedLeasesRefuseNoDispatch(t *testing.T) {
	for name, until := range map[string]time.Time{"for ever": time.Now().AddDate(100, 0, 0), "for a while": time.Now().Add(time.Minute)} {
		t.Run(name, func(t *testing.T) {
			f := open(t, t.TempDir(), nil)
			forged, err := json.Marshal([]Lease{{1, "x", 1 << 63, until}, {2, "y", 9, until}})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(f.dir, "dispatches", "slots.json")
			if err := os.WriteFile(path, forged, 0o600); err != nil {
				t.Fatal(err)
			}
			if n, err := f.Used(t.Context()); n != 0 || err != nil {
				t.Errorf("%d run (%v)", n, err)
			}
			f.start("wait")
			f.start("wait")
			f.refused("limit_exceeded")
		})
	}
}

// An agent that removes its record and the leases is counted all the same.
func TestAnAgentCannotHideByRemovingItsRecord(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	first := f.start("wait")
	f.start("wait")
	for _, file := range []string{"slots.json", filepath.Join(first.ID, "record.json")} {
		if err := os.Remove(filepath.Join(f.dir, "dispatches", file)); err != nil {
			t.Fatal(err)
		}
	}
	f.refused("limit_exceeded")
	if active, _, err := f.List(10); err != nil || len(active) != 2 {
		t.Errorf("%d are listed (%v)", len(active), err)
	}
}

// Leases are foreign bytes: whatever the file holds, a slot is given or refused.
func FuzzLeases(f *testing.F) {
	f.Add([]byte(`[{"slot":1,"owner":"a","fence":1,"expires":"2027-01-15T08:00:00Z"},{"slot":2}]`))
	f.Add([]byte(`[{"slot":1,"owner":"a","fence":18446744073709551615,"expires":"9999-01-15T08:00:00Z"}]`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "slots.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		now := time.Unix(1_800_000_000, 0)
		l, err := NewFileSlots(path).Take(t.Context(), "me", MostAtOnce, now, now.Add(leaseLife))
		if err != nil && !errors.Is(err, ErrNoSlot) || err == nil && !l.taken() {
			t.Errorf("%+v, %v", l, err)
		}
	})
}
