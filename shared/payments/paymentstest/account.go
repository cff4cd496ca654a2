package paymentstest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"governance.internal/shared/payments"
)

// numbered is a record of payer 1 with a nonce of its own.
func numbered(n int) payments.Record {
	r := record(1)
	r.Payment.Nonce = fmt.Sprint("0xnumbered", n)
	r.CreatedAt = time.UnixMilli(1_000_000).UTC()
	return r
}

func account(t *testing.T, s payments.Store) payments.Account {
	t.Helper()
	a, err := s.Account(context.Background(), "0xa", "0x1")
	if err != nil {
		t.Fatalf("Account: %v", err)
	}
	return a
}

func wantOpen(t *testing.T, s payments.Store, units int64, when string) {
	t.Helper()
	if got := account(t, s).Open(); got != units {
		t.Errorf("%s: %d units are open, want %d", when, got, units)
	}
}

// An amount is in the account from the reservation to the end, whatever happens between.
func accounts(t *testing.T, s payments.Store) {
	wantOpen(t, s, 0, "at first")
	ends := []payments.State{payments.Settled, payments.Released, payments.Failed}
	for i, end := range ends {
		r := save(t, s, numbered(i))
		wantOpen(t, s, 5000, "reserved")
		r.State = payments.Ready
		r = save(t, s, r)
		r.State = payments.Settling
		r.Attempt = attempt(uint64(i))
		r, err := s.Submit(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}

		wantOpen(t, s, 5000, "settling")
		r.State = end
		r.Watched = end == payments.Settled
		r = save(t, s, r)
		wantOpen(t, s, 0, string(end))
		r.Deliveries++
		r.Watched = false
		save(t, s, r)

		wantOpen(t, s, 0, string(end)+" and written again")
	}

	stale := save(t, s, numbered(len(ends)))
	stale.Version--
	_, err := s.Save(context.Background(), stale)
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("stale: %v", err)
	}

	wantOpen(t, s, 5000, "after a refused write")
	other, err := s.Account(context.Background(), "0xa", "0x2")
	if err != nil ||
		other != (payments.Account{}) {
		t.Errorf("another payer: %+v, %v", other, err)
	}

	other, err = s.Account(context.Background(), "0xb", "0x1")
	if err != nil ||
		other != (payments.Account{}) {
		t.Errorf("another asset: %+v, %v", other, err)
	}
}

func admission(t *testing.T, s payments.Store) {
	ctx := context.Background()
	_, err := s.Reserve(ctx, numbered(0), 4999)
	if !errors.Is(err, payments.ErrFunds) {
		t.Errorf("less than the price: %v", err)
	}

	first, err := s.Reserve(ctx, numbered(0), 5000)
	if err != nil {
		t.Fatalf("exactly the price: %v", err)
	}
	if got := load(t, s, first.Key()); !reflect.DeepEqual(got, first) {
		t.Errorf("loaded %+v\nreserved %+v", got, first)
	}

	second := numbered(1)
	_, err = s.Reserve(ctx, second, 9999)
	if !errors.Is(err, payments.ErrFunds) {
		t.Errorf("beside another: %v", err)
	}

	_, err = s.Load(ctx, second.Key())
	if !errors.Is(err, payments.ErrNotFound) {
		t.Errorf("the refused record was stored: %v", err)
	}

	wantOpen(t, s, 5000, "after a refusal")
	_, err = s.Reserve(ctx, numbered(0), 1_000_000)
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("a second creation: %v", err)
	}

	again, err := s.Reserve(ctx, first, 0) // its amount is in the account already
	if err != nil {
		t.Errorf("taken over: %v", err)
	}

	again.State = payments.Released
	again = save(t, s, again)
	wantOpen(t, s, 0, "released")
	again.State = payments.Reserved
	again, err = s.Reserve(ctx, again, 5000)
	if err != nil {
		t.Fatalf("released and reserved again: %v", err)
	}

	wantOpen(t, s, 5000, "reserved again")

	// The balance of 5000 was read before this one settled, and is spent by now.
	before := account(t, s)
	again.State = payments.Settled
	save(t, s, again)
	wantOpen(t, s, 0, "settled")
	_, err = s.Reserve(ctx, second, before.Room(5000))
	if !errors.Is(err, payments.ErrFunds) {
		t.Errorf("by a balance from before a settlement: %v", err)
	}

	_, err = s.Reserve(ctx, second, account(t, s).Room(5000))
	if err != nil {
		t.Errorf("by a balance from after it: %v", err)
	}
}

func oneBalance(t *testing.T, s payments.Store) {
	const most = 3
	wins := won(t, 12, payments.ErrFunds, func(i int) error {
		_, err := s.Reserve(context.Background(), numbered(i), most*5000)
		return err
	})
	if wins != most {
		t.Errorf("%d payments of a balance for %d were reserved", wins, most)
	}
	wantOpen(t, s, most*5000, "all at once")
}

// A revert counts once, in the account and in its hour, however often its record is
// written. One whose money came by another way is no strike.
func reverts(t *testing.T, s payments.Store) {
	ctx := context.Background()
	at := time.UnixMilli(7_200_000) // hour 2
	r := save(t, s, numbered(0))
	r.Reverts = []payments.Revert{{Transaction: "0xt", Gas: 100, At: at}}
	r = save(t, s, r)
	r.Reverts = append(r.Reverts, payments.Revert{
		Transaction: "0xu",
		Gas:         10,
		At:          at,
		Paid:        true,
	},
		payments.Revert{
			Transaction: "0xv",
			Gas:         1,
			At:          at.Add(time.Hour),
		})
	r = save(t, s, r)
	r.State = payments.Failed
	r = save(t, s, r)
	stored := load(t, s, r.Key())
	if !reflect.DeepEqual(stored.Reverts[2].Transaction, "0xv") ||
		stored.Counted != 3 {
		t.Errorf("loaded %+v", stored)
	}

	for hour, want := range map[int64]uint64{1: 0, 2: 110, 3: 1} {
		if got, err := s.WastedGas(ctx, hour); err != nil || got != want {
			t.Errorf("hour %d: %d gas, %v; want %d", hour, got, err, want)
		}
	}

	until := at.Add(time.Hour + payments.Pause)
	got := account(t, s)
	if got.Strikes != 2 ||
		!got.Paused.Equal(until) ||
		got.Open() != 0 {
		t.Errorf("account %+v, want 2 strikes and a pause until %s", got, until)
	}

	next := numbered(1)
	next.CreatedAt = until.Add(-time.Millisecond)
	_, err := s.Reserve(ctx, next, 1_000_000)
	if !errors.Is(err, payments.ErrPaused) {
		t.Errorf("during the pause: %v", err)
	}

	next.CreatedAt = until
	if _, err := s.Reserve(ctx, next, 1_000_000); err != nil {
		t.Errorf("after the pause: %v", err)
	}
}
