package paymentstest

import (
	"context"
	"testing"
	"time"

	"governance.internal/shared/payments"
)

// dueRecords: a record is left alone while it is young, and found when it is old.
func dueRecords(t *testing.T, s payments.Store) {
	start := time.UnixMilli(1_800_000_000_000).UTC()
	states := []payments.State{payments.Reserved, payments.Ready, payments.Settling, payments.Settled, payments.Released, payments.Failed}
	open := map[payments.Key]bool{}
	for i, state := range states {
		r := record(i)
		r.CreatedAt = start
		r.LeaseUntil = start.Add(payments.Lease)
		r.Payment.ValidBefore = uint64(start.Add(time.Minute).Unix())
		r = save(t, s, r)
		r.State = state
		if state == payments.Settled {
			r.SettledAt = start.Add(20 * time.Second)
			r.Watched = true
		}
		r = save(t, s, r)
		open[r.Key()] = r.Open()
	}

	due := func(after time.Duration) []payments.Key {
		t.Helper()
		keys, err := s.Due(context.Background(), start.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if young := due(10 * time.Second); len(young) > 0 {
		t.Errorf("after ten seconds %v are due", young)
	}

	old := due(time.Hour)
	if len(old) != 4 {
		t.Errorf("after an hour %d are due, want 4", len(old))
	}

	for _, key := range old {
		if !open[key] {
			t.Errorf("%s is not open and due", key)
		}
	}
}

// stoppedSettlement: a settlement that stopped is due when its lease expires, although its
// authorization is valid for an hour and there was no write since.
func stoppedSettlement(t *testing.T, s payments.Store) {
	start := time.UnixMilli(1_800_000_000_000).UTC()
	r := record(1)
	r.CreatedAt = start
	r.LeaseUntil = start.Add(payments.Lease)
	r.Payment.ValidBefore = uint64(start.Add(time.Hour).Unix())
	r = save(t, s, r)

	r.State = payments.Ready
	r = save(t, s, r)

	r.State = payments.Settling
	r.Attempt = attempt(1)
	if _, err := s.Submit(context.Background(), r); err != nil {
		t.Fatal(err)
	}

	for after, want := range map[time.Duration]int{10 * time.Second: 0, time.Minute: 1} {
		keys, err := s.Due(context.Background(), start.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) != want {
			t.Errorf("after %s %d are due, want %d", after, len(keys), want)
		}
	}
}
