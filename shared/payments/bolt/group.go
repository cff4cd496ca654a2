package bolt

import (
	"errors"
	"sync"

	"go.etcd.io/bbolt"

	"governance.internal/shared/payments"
)

// group collects the writes that arrive while an earlier transaction is being synced, and
// commits them together, because the sync is the slowest part of a payment.
type group struct {
	mu    sync.Mutex
	queue []*write
	busy  bool // a transaction is running
}

// write is one caller's change. It must refuse before it changes anything.
type write struct {
	change func(*bbolt.Tx) error
	err    error
	done   chan error
}

// commit makes a change durable. A refusal affects only that change.
func (s *Store) commit(change func(*bbolt.Tx) error) error {
	w := &write{change: change, done: make(chan error, 1)}
	s.group.mu.Lock()
	s.group.queue = append(s.group.queue, w)
	if !s.group.busy {
		s.group.busy = true
		go s.commitAll()
	}

	s.group.mu.Unlock()
	return <-w.done
}

// commitAll runs transactions until no write waits.
func (s *Store) commitAll() {
	for {
		s.group.mu.Lock()
		writes := s.group.queue
		s.group.queue = nil
		s.group.busy = len(writes) > 0
		s.group.mu.Unlock()
		if len(writes) == 0 {
			return
		}

		err := s.db.Update(func(tx *bbolt.Tx) error { return applyAll(tx, writes) })
		for _, w := range writes {
			if err != nil {
				w.err = err
			}
			w.done <- w.err
		}
	}
}

// applyAll makes all changes in one transaction. An error other than a refusal may leave a
// partial change, so it rolls all of them back.
func applyAll(tx *bbolt.Tx, writes []*write) error {
	for _, w := range writes {
		w.err = w.change(tx)
		if w.err != nil && !refusal(w.err) {
			return w.err
		}
	}
	return nil
}

func refusal(err error) bool {
	for _, refused := range []error{payments.ErrConflict, payments.ErrNonceTaken, payments.ErrIdentifierUsed, payments.ErrFunds, payments.ErrPaused} {
		if errors.Is(err, refused) {
			return true
		}
	}
	return false
}
