// Package slotstest is the contract of slots, for every adapter.
package slotstest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/dispatch"
)

// life is how long leases of the suite hold. An adapter may let them hold a little longer,
// for clocks differ.
const (
	life   = time.Minute
	longer = 30 * time.Second
)

type suite struct {
	*testing.T
	slots dispatch.Slots
	now   time.Time
}

// Run runs the suite; open makes empty slots.
func Run(t *testing.T, open func(t *testing.T) dispatch.Slots) {
	for name, test := range map[string]func(suite){
		"two hold and the third is refused":      suite.full,
		"a slot that is released is free":        suite.released,
		"a lease that is not renewed ends":       suite.expired,
		"a lease that is renewed holds":          suite.renewed,
		"who takes again gets what is his":       suite.again,
		"of many at once two get a slot":         suite.crowd,
		"fewer slots leave the others untouched": suite.fewer,
	} {
		t.Run(name, func(t *testing.T) {
			test(suite{t, open(t), time.Unix(1_800_000_000, 0)})
		})
	}
}

func (s suite) take(owner string, most int) (dispatch.Lease, error) {
	return s.slots.Take(s.Context(), owner, most, s.now, s.now.Add(life))
}

func (s suite) must(owner string) dispatch.Lease {
	s.Helper()
	l, err := s.take(owner, 2)
	if err != nil ||
		l.Owner != owner ||
		l.Fence == 0 ||
		l.Slot < 1 ||
		l.Slot > 2 ||
		!l.Expires.Equal(s.now.Add(life)) {
		s.Fatalf("%s: %+v, %v", owner, l, err)
	}
	return l
}

func (s suite) refused(owner string) {
	s.Helper()
	if l, err := s.take(owner, 2); !errors.Is(err, dispatch.ErrNoSlot) {
		s.Errorf("%s: %+v, %v", owner, l, err)
	}
}

// held are the owners of the slots, in their order.
func (s suite) held(want ...string) {
	s.Helper()
	leases, err := s.slots.Held(s.Context(), 2, s.now)
	if err != nil {
		s.Fatal(err)
	}

	owners := []string{}
	for _, l := range leases {
		owners = append(owners, l.Owner)
	}

	if fmt.Sprint(owners) != fmt.Sprint(want) {
		s.Errorf("held by %v, want %v", owners, want)
	}
}

func (s suite) release(l dispatch.Lease) {
	s.Helper()
	if err := s.slots.Release(s.Context(), l); err != nil {
		s.Error(err)
	}
}

func (s suite) lost(l dispatch.Lease) {
	s.Helper()
	if err := s.slots.Renew(s.Context(), l, s.now.Add(life)); !errors.Is(err, dispatch.ErrLost) {
		s.Errorf("%s renews: %v", l.Owner, err)
	}
}

func (s suite) full() {
	s.held()
	if one, two := s.must("one"), s.must("two"); one.Slot == two.Slot {
		s.Errorf("both have slot %d", one.Slot)
	}
	s.refused("three")
	s.held("one", "two")
}

func (s suite) released() {
	one := s.must("one")
	s.must("two")
	s.release(one)
	three := s.must("three")
	if three.Slot != one.Slot || three.Fence <= one.Fence {
		s.Errorf("%+v after %+v", three, one)
	}
	s.lost(one)

	s.release(one) // again, and late: it is another's
	s.held("three", "two")
	s.refused("four")
}

func (s suite) expired() {
	one := s.must("one")
	s.must("two")
	s.now = s.now.Add(life - time.Millisecond)
	s.refused("three")
	s.now = s.now.Add(longer)
	s.held()
	three := s.must("three")
	if three.Slot != one.Slot || three.Fence <= one.Fence {
		s.Errorf("%+v after %+v", three, one)
	}

	s.lost(one)
	s.release(one)
	s.held("three")
}

func (s suite) renewed() {
	one := s.must("one")
	s.now = s.now.Add(life / 2)
	if err := s.slots.Renew(s.Context(), one, s.now.Add(life)); err != nil {
		s.Fatal(err)
	}
	s.must("two")
	s.now = s.now.Add(life - time.Millisecond)
	s.refused("three")

	s.held("one", "two")
}

func (s suite) again() {
	one := s.must("one")
	two := s.must("two")
	s.release(one)
	if again := s.must("two"); again.Slot != two.Slot {
		s.Errorf("%+v has two slots after %+v", again, two)
	}
	s.held("two")
}

func (s suite) crowd() {
	var group sync.WaitGroup
	var mu sync.Mutex
	taken := map[int]string{}
	for i := range 12 {
		group.Go(func() {
			owner := fmt.Sprint("owner", i)
			l, err := s.take(owner, 2)
			mu.Lock()
			defer mu.Unlock()

			switch {
			case errors.Is(err, dispatch.ErrNoSlot):
			case err != nil:
				s.Error(err)
			case taken[l.Slot] != "":
				s.Errorf("slot %d is of %s and %s", l.Slot, taken[l.Slot], owner)
			default:
				taken[l.Slot] = owner
			}
		})
	}

	group.Wait()
	if len(taken) != 2 {
		s.Errorf("%v", taken)
	}
}

func (s suite) fewer() {
	if _, err := s.take("one", 1); err != nil {
		s.Fatal(err)
	}
	if l, err := s.take("two", 1); !errors.Is(err, dispatch.ErrNoSlot) {
		s.Errorf("%+v, %v", l, err)
	}
	s.must("two")

	s.held("one", "two")
}
