//go:build linux

package dispatch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// shared makes dispatchers of several machines: each has a directory of its own, and all
// have the same slots.
func shared(t *testing.T, slots Slots) fixture {
	return open(t, t.TempDir(), func(_ *Settings, d *Deps) { d.Slots, d.Renewal = slots, 20*time.Millisecond })
}

// Two agents run on two machines, and a third one starts on neither until one has ended.
func TestTheLimitHoldsForTwoMachines(t *testing.T) {
	slots := NewFileSlots(filepath.Join(t.TempDir(), "slots.json"))
	one, two := shared(t, slots), shared(t, slots)
	first, second := one.start("wait"), two.start("wait")
	one.refused("limit_exceeded")
	two.refused("limit_exceeded")
	for _, f := range []fixture{one, two} {
		if n, err := f.Used(t.Context()); err != nil || n != 2 {
			t.Errorf("%d used, %v", n, err)
		}
	}
	if err := syscall.Kill(first.Identity.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	one.ended(first.ID)
	third := eventuallyStarts(two)
	one.refused("limit_exceeded")
	two.Cancel(t.Context(), second.ID, "test", "a test")
	two.ended(second.ID)
	eventuallyStarts(one)
	two.Cancel(t.Context(), third.ID, "test", "a test")
}

// eventuallyStarts starts an agent as soon as there is a slot.
func eventuallyStarts(f fixture) Record {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		r, err := f.Start(f.Context(), Task{Text: "wait", MaxTurns: 1})
		if err == nil {
			return r
		}
		if refused := new(Refused); !errors.As(err, &refused) || refused.Code != "limit_exceeded" || time.Now().After(deadline) {
			f.Fatal(err)
		}
	}
}

// thief gives the leases to another owner, or makes the slots unavailable.
type thief struct {
	Slots
	lost atomic.Bool
	away atomic.Bool
}

var errAway = errors.New("out of reach")

func (s *thief) Renew(ctx context.Context, l Lease, until time.Time) error {
	if s.lost.Load() {
		return ErrLost
	}
	if s.away.Load() {
		return errAway
	}
	return s.Slots.Renew(ctx, l, until)
}

func (s *thief) Take(ctx context.Context, owner string, most int, now, until time.Time) (Lease, error) {
	if s.away.Load() {
		return Lease{}, errAway
	}
	return s.Slots.Take(ctx, owner, most, now, until)
}

// A dispatch ends when another holder takes its lease, and before the expiry of a lease
// that cannot be renewed. Until then it continues.
func TestALostLeaseEndsTheAgent(t *testing.T) {
	slots := &thief{Slots: NewFileSlots(filepath.Join(t.TempDir(), "slots.json"))}
	var later atomic.Int64
	f := open(t, t.TempDir(), func(_ *Settings, d *Deps) {
		d.Slots, d.Renewal = slots, 20*time.Millisecond
		d.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	r := f.start("wait")
	slots.lost.Store(true)
	if r = f.ended(r.ID); r.Reason != "lease_lost" {
		t.Errorf("%+v", r)
	}
	slots.lost.Store(false)
	r = f.start("wait")
	slots.away.Store(true)
	f.refused("unavailable")
	if !f.alive(r) {
		t.Error("ended at once")
	}
	later.Store(int64(leaseLife - margin + time.Second))
	if r = f.ended(r.ID); r.Reason != "lease_lost" {
		t.Errorf("%+v", r)
	}
	slots.away.Store(false)
}

// A server that goes on after another one gives back the slots of what died meanwhile, and
// keeps those of what lives.
func TestSlotsOfAServerThatIsGone(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		server := exec.Command("/proc/self/exe")
		server.Env = append(os.Environ(), "TEST_ACT=server", "TEST_DIR="+dir)
		if out, err := server.CombinedOutput(); err != nil {
			t.Fatalf("%s %v", out, err)
		}
	}
	f := open(t, dir, nil)
	f.refused("limit_exceeded")
	active, _, err := f.List(10)
	if err != nil || len(active) != 2 {
		t.Fatalf("%v, %v", active, err)
	}
	if err := syscall.Kill(-active[0].Identity.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventuallyStarts(f)
	f.refused("limit_exceeded")
}
