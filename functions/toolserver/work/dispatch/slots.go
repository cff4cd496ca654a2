package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"time"
)

// Slots are the places for agents that all dispatchers share, over restarts, processes and
// machines. A place is held by a lease: it has an owner, expires unless it is renewed, and
// has a fencing token that grows with every Take, so that a former owner cannot be mistaken
// for the present one.
type Slots interface {
	// Take takes one of the first most places until a time. An owner that holds one gets
	// the same place again. Errors: [ErrNoSlot].
	Take(ctx context.Context, owner string, most int, now, until time.Time) (Lease, error)
	// Renew moves the end of a lease. Errors: [ErrLost].
	Renew(ctx context.Context, l Lease, until time.Time) error
	// Release gives a place back. A lost lease is not an error.
	Release(ctx context.Context, l Lease) error
	// Held returns the leases that are valid at a time, of the first most places.
	Held(ctx context.Context, most int, now time.Time) ([]Lease, error)
}

// Lease is a place that is held.
type Lease struct {
	Slot    int       `json:"slot"` // from 1 on
	Owner   string    `json:"owner"`
	Fence   uint64    `json:"fence"`
	Expires time.Time `json:"expires"`
}

// taken reports whether there is such a place. A record that was damaged may name any.
func (l Lease) taken() bool {
	return l.Slot >= 1 && l.Slot <= MostAtOnce
}

// Errors of slots.
var (
	ErrNoSlot = errors.New("every slot is held")
	ErrLost   = errors.New("the lease is another's now")
)

// Times of a lease. An agent whose lease cannot be renewed is ended before the lease
// expires; that takes [processes.Grace] and a second at most.
const (
	leaseLife    = 30 * time.Second
	usualRenewal = 5 * time.Second
	slotLimit    = 4 * time.Second // for one use of the slots
	margin       = 10 * time.Second
	lockLimit    = 10 * time.Second // for a lock of the directory
)

// take takes a slot for a dispatch; the lock is held. It first releases the slots of
// dispatches of this directory that are not alive, because their server is gone and cannot
// do so. Slots of this directory alone are held by this server only.
func (d *Dispatcher) take(ctx context.Context, id string, most int, records []Record) (Lease, error) {
	now := d.deps.Now()
	lease, err := d.deps.Slots.Take(ctx, id, most, now, now.Add(leaseLife))
	if !errors.Is(err, ErrNoSlot) {
		return lease, err
	}

	held, err := d.deps.Slots.Held(ctx, most, now)
	if err != nil {
		return Lease{}, err
	}

	for _, l := range held {
		at := slices.IndexFunc(records, func(r Record) bool { return r.ID == l.Owner })
		if at < 0 && d.alone || at >= 0 && !d.alive(records[at]) {
			err = errors.Join(err, d.deps.Slots.Release(ctx, l))
		}
	}

	if err != nil {
		return Lease{}, err
	}
	return d.deps.Slots.Take(ctx, id, most, now, now.Add(leaseLife))
}

// keep renews the lease of a dispatch until ctx ends, and ends the dispatch when the lease
// is lost.
func (d *Dispatcher) keep(ctx context.Context, one *run) {
	lease := one.record.Lease
	ticker := time.NewTicker(d.deps.Renewal)
	defer ticker.Stop()

	for { // at once: the server may have been away
		until := d.deps.Now().Add(leaseLife)
		trial, cancel := context.WithTimeout(ctx, slotLimit)
		err := d.deps.Slots.Renew(trial, lease, until)
		cancel()

		switch {
		case err == nil:
			lease.Expires = until
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost) || d.deps.Now().After(lease.Expires.Add(-margin)):
			slog.ErrorContext(ctx, "dispatch: its lease is lost, so it ends",
				"dispatch", one.record.ID,
				"error", err.Error())
			one.end("lease_lost")
			return
		}

		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Used counts the slots that are held, here or elsewhere.
func (d *Dispatcher) Used(ctx context.Context) (int, error) {
	records, err := d.records()
	if err != nil {
		return 0, err
	}

	n := d.aliveAmong(records)
	held, err := d.deps.Slots.Held(ctx, MostAtOnce, d.deps.Now())
	if err != nil {
		return 0, err
	}

	own := map[string]bool{}
	for _, r := range records {
		own[r.ID] = true
	}

	for _, l := range held {
		if !own[l.Owner] && !d.alone {
			n++
		}
	}

	return n, nil
}

// ownSlots are the slots of this directory alone. Their file may be damaged without
// refusing dispatches, because the process table shows what runs.
func (d *Dispatcher) ownSlots() *FileSlots {
	slots := NewFileSlots(filepath.Join(d.dir, "slots.json"))
	slots.living = d.leases
	slots.damaged = func(why string) {
		const file = "dispatches/slots.json"
		slog.Error("dispatch: the leases were damaged and were rebuilt from what runs; look at the old file and remove it",
			"file", file,
			"aside", file+".damaged",
			"why", why)
		d.note(context.Background(), EventSlots, map[string]any{"file": file, "why": why})
	}
	return slots
}

// leases returns the leases of the live dispatches, as if renewed now.
func (d *Dispatcher) leases() ([]Lease, error) {
	records, err := d.records()
	if err != nil {
		return nil, err
	}

	var living []Lease
	for _, r := range records {
		if !d.alive(r) {
			continue
		}
		d.mu.Lock()
		if one := d.running[r.ID]; one != nil { // the record may be damaged, too
			r = one.record
		}
		d.mu.Unlock()

		r.Lease.Owner, r.Lease.Expires = r.ID, d.deps.Now().Add(leaseLife)
		living = append(living, r.Lease)
	}

	return living, nil
}
