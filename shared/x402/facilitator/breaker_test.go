package facilitator

import (
	"context"
	"testing"
	"time"
)

func TestBreakerLeavesAFailingFacilitatorAloneAndProbesIt(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	var b breaker
	for n := range breakerLimit {
		if !b.enter(now) {
			t.Fatalf("closed after %d failures", n)
		}
		b.leave(now, true)
	}
	if b.enter(now.Add(breakerPause - 1)) {
		t.Error("called while it is open")
	}
	if b.trusted(now) {
		t.Error("trusted right after a failure")
	}
	later := now.Add(breakerPause)
	if !b.trusted(later) || !b.enter(later) {
		t.Error("never probed")
	}
	if b.enter(later) || b.trusted(later) {
		t.Error("two probes at once")
	}
	b.leave(later, true)
	if b.enter(later.Add(breakerPause - 1)) {
		t.Error("called right after a failed probe")
	}
	recovered := later.Add(breakerPause)
	if !b.enter(recovered) {
		t.Error("never probed again")
	}
	b.leave(recovered, false)
	if !b.trusted(recovered) || !b.enter(recovered) || !b.enter(recovered) {
		t.Error("not closed by a success")
	}
}

func TestBreakerCountsFailuresInARowOnly(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	var b breaker
	for range 10 * breakerLimit {
		if !b.enter(now) {
			t.Fatal("opened by failures that were not in a row")
		}
		b.leave(now, true)
		b.leave(now, false)
	}
}

// Callers who hang up while a facilitator hangs say nothing about it: neither may
// they open the breaker, nor keep it closed, nor end a probe as a success.
func TestBreakerLearnsNothingFromACallerWhoLeft(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := &server{now: func() time.Time { return now }}
	fails := func(context.Context) error { return errNoAnswer }
	left, leave := context.WithCancel(t.Context())
	leave()
	for range breakerLimit {
		_ = s.guarded(left, time.Second, fails)
		_ = s.guarded(t.Context(), time.Second, fails)
		_ = s.guarded(left, time.Second, fails)
	}
	if s.breaker.enter(now) {
		t.Error("kept closed by callers who left")
	}
	now = now.Add(breakerPause)
	_ = s.guarded(left, time.Second, fails)
	if !s.breaker.enter(now) || s.breaker.enter(now) {
		t.Error("a probe whose caller left was its last, or closed it")
	}
	s.breaker.leave(now, false)
	for range 2 {
		if !s.breaker.enter(now) {
			t.Error("not closed by a success")
		}
	}
}
