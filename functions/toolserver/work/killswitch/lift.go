package killswitch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/shared/audit"
)

// Lifted says what [Switch.Lift] did.
type Lifted struct {
	Resumed   bool      `json:"resumed"` // false if nothing was halted
	Timestamp time.Time `json:"timestamp"`
	Reason    string    `json:"reason"`
	Halted    bool      `json:"halted"`
	Was       *Halt     `json:"was"`
	Entry     *EntryRef `json:"audit_entry"`
	// Restored lists the restored processes, if that was requested, and the reasons for the
	// others.
	Restored []managed.Restored `json:"restored"`
}

// ErrNoRecord means that the audit trail or the shared flag did not take the lift, so
// that the halt is still in force.
var ErrNoRecord = errors.New("the end of the halt cannot be recorded")

// ErrHalted means that a halt is in force.
var ErrHalted = errors.New("everything is halted")

// Lift ends the halt. Unlike a halt it waits for the audit trail: the entry comes
// first.
func (s *Switch) Lift(ctx context.Context, reason, source string) (Lifted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	epoch, err := s.sync(ctx)
	if err != nil {
		return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}

	out := Lifted{
		Timestamp: s.now().UTC(),
		Reason:    reason,
		Was:       s.Halted(),
		Restored:  []managed.Restored{},
	}
	if out.Was == nil {
		return out, nil
	}

	id, err := audit.NewID(s.now(), s.random)
	if err != nil {
		return Lifted{}, err
	}

	ctx = context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, trailLimit)
	defer cancel()

	entries, err := s.trail.Append(ctx, audit.Event{
		ID:    id,
		Actor: "killswitch",
		Type:  EventLifted,
		Payload: map[string]any{
			"reason": reason,
			"source": source,
			"since":  out.Was.Since.Format(time.RFC3339Nano),
		},
	})
	if err != nil {
		return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}

	out.Entry = &EntryRef{entries[0].Seq, entries[0].ID, entries[0].Hash}
	if s.shared != nil {
		if err := s.shared.Lift(ctx, epoch); err != nil {
			return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
		}
	}

	if err := s.clear(); err != nil {
		return Lifted{}, fmt.Errorf("lift: %w", err)
	}
	out.Resumed = true
	return out, nil
}

// Restore is the second stage of a lift: it restores the processes that halts ended at a
// provider, once nothing is halted. The request is recorded before and the result after.
// The error is [ErrHalted], or ErrNoRecord with nothing restored.
func (s *Switch) Restore(ctx context.Context, reason, source string) ([]managed.Restored, error) {
	ctx = context.WithoutCancel(ctx)
	if err := s.mayRestore(ctx, reason, source); err != nil {
		return nil, err
	}

	restored := s.stops.Restore(ctx) // without the lock, for which a halt would wait
	failed := 0
	for _, each := range restored {
		if !each.OK {
			failed++
		}
	}

	s.record(
		ctx,
		EventRestore,
		map[string]any{
			"phase":    "done",
			"restored": len(restored) - failed,
			"failed":   failed,
		},
	)

	return restored, nil
}

func (s *Switch) mayRestore(ctx context.Context, reason, source string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if _, err := s.sync(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	if s.Halted() != nil {
		return ErrHalted
	}

	id, err := audit.NewID(s.now(), s.random)
	if err != nil {
		return err
	}

	err = s.append(ctx, audit.Event{
		ID:    id,
		Actor: "killswitch",
		Type:  EventRestore,
		Payload: map[string]any{
			"phase":  "asked",
			"reason": reason,
			"source": source,
		},
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoRecord, err)
	}

	return nil
}
