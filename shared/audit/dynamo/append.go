package dynamo

import (
	"context"
	"errors"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/awsapi/dynamo"
)

// Append implements [audit.Store].
func (s *Store) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	drafts, err := audit.NewDrafts(events)
	if err != nil {
		return nil, err
	}

	groups, err := split(drafts)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()

	if err := s.begin(ctx); err != nil || len(groups) == 0 {
		return nil, err
	}
	if len(groups) > 1 {
		if err := s.refuse(ctx, groups); err != nil {
			return nil, err
		}
	}

	byID := make(map[string]audit.Entry, len(drafts))
	for i, g := range groups {
		entries, err := s.record(ctx, g.drafts)
		if err != nil && i > 0 && !errors.As(err, new(audit.Unknown)) {
			err = audit.Unknown{ID: drafts[0].ID(), Err: err} // a part was recorded
		}
		if err != nil {
			return nil, err
		}

		for _, e := range entries {
			byID[e.ID] = e
		}
	}

	entries := make([]audit.Entry, len(drafts))
	for i, d := range drafts {
		entries[i] = byID[d.ID()]
	}

	return entries, nil
}

// split makes groups of the different drafts. The same id for two events is
// [audit.ErrIDReused].
func split(drafts []audit.Draft) ([]group, error) {
	var groups []group
	fresh := make(map[string]audit.Draft, len(drafts))
	size := 0
	for _, d := range drafts {
		if other, ok := fresh[d.ID()]; ok {
			if !d.Equal(other) {
				return nil, audit.ReusedID(d.ID())
			}
			continue
		}

		fresh[d.ID()] = d
		size += d.Size()
		n := len(groups) - 1
		if n >= 0 &&
			len(groups[n].drafts) < maxEvents &&
			size <= maxBytes {
			groups[n].drafts = append(groups[n].drafts, d)
			continue
		}

		groups = append(groups, group{drafts: []audit.Draft{d}})
		size = d.Size()
	}

	return groups, nil
}

// refuse finds ids that stand for other events before the first group is recorded.
func (s *Store) refuse(ctx context.Context, groups []group) error {
	for _, g := range groups {
		known, _, err := s.look(ctx, g.drafts)
		if err != nil {
			return err
		}
		if _, err := remaining(g.drafts, known); err != nil {
			return err
		}
	}
	return nil
}

// remaining returns the drafts that are not recorded. An id that stands for another
// event is [audit.ErrIDReused].
func remaining(drafts []audit.Draft, known map[string]recorded) ([]audit.Draft, error) {
	var rest []audit.Draft
	for _, d := range drafts {
		r, ok := known[d.ID()]
		if !ok {
			rest = append(rest, d)
		} else if _, same := r.entry(d); !same {
			return nil, audit.ReusedID(d.ID())
		}
	}
	return rest, nil
}

// entriesOf returns the entries of drafts that are all recorded.
func entriesOf(drafts []audit.Draft, known map[string]recorded) []audit.Entry {
	entries := make([]audit.Entry, len(drafts))
	for i, d := range drafts {
		entries[i], _ = known[d.ID()].entry(d)
	}
	return entries
}

// record records a group, directly without contention, else through the inbox. An id
// that stands for another event proves that nothing of the group was or will be
// written, because all its ids are written at once.
func (s *Store) record(ctx context.Context, drafts []audit.Draft) ([]audit.Entry, error) {
	w := waiter{store: s, drafts: drafts}
	if !s.isCrowded() {
		entries, err := s.direct(ctx, drafts)
		isUnknown := errors.As(err, new(audit.Unknown))
		if !isUnknown && !isCanceled(err) {
			return entries, err
		}
		w.sent = !isRefused(err)
	}

	entries, err := w.wait(ctx)
	if err == nil || errors.Is(err, audit.ErrIDReused) || !w.sent {
		return entries, err
	}
	return nil, audit.Unknown{ID: drafts[0].ID(), Err: err}
}

// direct tries once to commit a group without the inbox.
func (s *Store) direct(ctx context.Context, drafts []audit.Draft) ([]audit.Entry, error) {
	head, err := s.expect(ctx)
	if err != nil {
		return nil, err
	}

	b := newBatch(head, []group{{drafts: drafts}}, s.now())
	err = s.commit(ctx, b)
	switch {
	case err == nil:
		return b.entries, nil
	case isCanceled(err):
		r := new(refused)
		if !errors.As(err, &r) || len(r.known) == 0 {
			s.crowd()
		}
	case !errors.Is(err, audit.ErrTampered):
		err = audit.Unknown{ID: drafts[0].ID(), Err: err}
	}

	return nil, err
}

// waiter waits until any writer has recorded its events.
type waiter struct {
	store  *Store
	drafts []audit.Draft
	posted bool // in the inbox
	sent   bool // a request with unknown outcome may still record them
}

func (w *waiter) wait(ctx context.Context) ([]audit.Entry, error) {
	for try := 0; ; try++ {
		known, leased, err := w.store.look(ctx, w.drafts)
		if err != nil {
			return nil, err
		}

		rest, err := remaining(w.drafts, known)
		if err != nil {
			return nil, err
		}
		if len(rest) == 0 {
			return entriesOf(w.drafts, known), nil
		}

		if !w.posted {
			w.posted = true
			w.sent = true
			if err := w.store.post(ctx, w.drafts); err != nil {
				return nil, err
			}
			continue // another writer may have the lease
		}

		if !w.store.now().Before(leased) {
			combined, err := w.store.combine(ctx)
			if err != nil {
				return nil, err
			}
			if combined {
				continue
			}
		}

		err = dynamo.Sleep(ctx, 16*time.Millisecond+dynamo.Jitter(try, 16*time.Millisecond, 128*time.Millisecond))
		if err != nil {
			return nil, err
		}
	}
}

func isTampered(err error) bool { return errors.Is(err, audit.ErrTampered) }
