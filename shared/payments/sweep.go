package payments

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	sweepers  = 8                // records that one sweep works on at a time
	watchTime = 30 * time.Second // an older block is treated as final
	clockSkew = 60 * time.Second // a chain's clock is not further behind ours
)

// Sweep finishes the records that no request resumed: it settles records that are settling,
// releases reserved and ready ones once their authorization has expired, and checks once
// more that a recent settlement is still on the chain. It returns the number of advanced
// records. A failure does not stop the others; the error joins all failures.
func (m *Machine) Sweep(ctx context.Context) (int, error) {
	keys, err := m.Store.Due(ctx, m.Now())
	if err != nil {
		return 0, err
	}

	rand.Shuffle(len(keys), func(i, j int) {
		keys[i], keys[j] = keys[j], keys[i]
	}) // no one is always last
	var moved atomic.Int64
	var wait sync.WaitGroup
	failed := make([]error, len(keys))
	turn := make(chan struct{}, sweepers)
	for i, key := range keys {
		turn <- struct{}{}
		if !timeLeft(ctx) {
			break // the next sweep goes on
		}

		wait.Go(func() {
			defer func() { <-turn }()
			done, err := m.sweepKey(ctx, key)
			failed[i] = err
			if done {
				moved.Add(1)
			}
		})
	}

	wait.Wait()
	return int(moved.Load()), errors.Join(failed...)
}

// timeLeft reports whether a settlement can finish before ctx ends.
func timeLeft(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return ctx.Err() == nil && (!limited || time.Until(end) > settleLimit)
}

func (m *Machine) sweepKey(ctx context.Context, key Key) (bool, error) {
	r, err := m.Store.Load(ctx, key)
	if err != nil {
		return false, err
	}
	return m.sweep(ctx, r), nil
}

// sweep advances one open record and reports whether it did.
func (m *Machine) sweep(ctx context.Context, r Record) bool {
	if m.isLeased(r) || !r.Open() || !m.due(r) {
		return false
	}

	switch r.State {
	case Reserved:
		return m.sweepReserved(ctx, r)
	case Ready:
		return m.sweepReady(ctx, r)
	case Settling:
		return m.sweepSettlement(ctx, r)
	case Settled:
		return m.sweepSettled(ctx, r)
	}

	return false
}

// sweepReserved releases a payment whose authorization has expired.
func (m *Machine) sweepReserved(ctx context.Context, r Record) bool {
	if !m.expired(r) {
		return false
	}

	m.release(ctx, r)
	return true
}

// sweepReady finds the settlement of an expired authorization, or that there is none.
func (m *Machine) sweepReady(ctx context.Context, r Record) bool {
	if !m.expiredEverywhere(r) {
		return false
	}
	return m.sweepSettlement(ctx, r)
}

// sweepSettled confirms a settlement once its block is old enough.
func (m *Machine) sweepSettled(ctx context.Context, r Record) bool {
	age := m.Now().Sub(r.SettledAt)
	if age < watchTime {
		return false
	}
	return m.confirm(ctx, r)
}

// sweepSettlement finishes a settlement, or finds that it was rejected permanently.
func (m *Machine) sweepSettlement(ctx context.Context, r Record) bool {
	_, err := m.finish(ctx, r)
	var rejected *Rejected
	return err == nil || errors.As(err, &rejected)
}

// due reports whether it is time to try a record again. A record that stays open for long,
// for example with an authorization without expiry, is retried with growing intervals: each
// time its age has grown by a quarter.
func (m *Machine) due(r Record) bool {
	tried := r.LeaseUntil.Add(-m.Lease)
	age := tried.Sub(r.CreatedAt)
	next := tried.Add(age / 4)
	return m.Now().After(next)
}

// Due is the time from which a sweep may have work for an open record: its lease has
// expired by then, and its state is old enough.
func (r Record) Due() time.Time {
	end := time.Unix(int64(min(r.Payment.ValidBefore, 1<<40)), 0)
	due := end
	switch r.State {
	case Settled:
		due = r.SettledAt.Add(watchTime)
	case Settling:
		tried := r.LeaseUntil.Add(-Lease)
		due = tried.Add(tried.Sub(r.CreatedAt) / 4)
	case Ready:
		due = end.Add(clockSkew)
	}

	if r.Owner != "" && r.LeaseUntil.After(due) {
		return r.LeaseUntil
	}
	return due
}

// expiredEverywhere reports that the authorization has expired for the chain, too. The
// answer to its request said that no money moved, so a sweep must not start a settlement.
func (m *Machine) expiredEverywhere(r Record) bool {
	return uint64(m.Now().Add(-clockSkew).Unix()) >= r.Payment.ValidBefore
}

// confirm checks a settlement that was answered when its block was new. Settling again
// finds the transfer, or repeats it if the chain dropped the block; the authorization still
// works only once.
func (m *Machine) confirm(ctx context.Context, r Record) bool {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()

	settlement, err := m.Facilitator.Settle(ctx, r.Payment, journal{m, &r})
	var rejected *Rejected
	switch {
	case err == nil && settlement != *r.Settlement: // in another block: that one is young
		r.Settlement = &settlement
		r.SettledAt = m.Now()
		_, _ = m.save(ctx, r) // if that fails, the next sweep finds the same
		return false
	case err == nil:
	case errors.As(err, &rejected):
		slog.ErrorContext(ctx, "the chain dropped a settlement that was answered, and it cannot be repeated",
			"alarm", ReasonReversed, "payment", r.Key().String(), "transaction", r.Settlement.Transaction, "reason", rejected.Reason)
		if err := m.Ledger.Reversed(ctx, r); err != nil {
			return false // recorded at the next sweep
		}
		r.Reason = ReasonReversed
	default:
		return false // asked again at the next sweep
	}

	r.Watched = false
	_, err = m.save(ctx, r)
	return err == nil
}

// ReasonReversed marks a settled record whose money went back to the payer when
// the chain dropped its block.
const ReasonReversed = "settlement_reversed"
