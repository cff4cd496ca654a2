package killswitch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Flag is the halt that several tasks share. Its epoch grows with every change, so that a
// person can only lift the halt that the person has seen.
type Flag interface {
	// Read gives the halt that is in force, nil if there is none, and the epoch.
	Read(ctx context.Context) (*Halt, uint64, error)
	// Raise halts; a halt that is in force stays as it is.
	Raise(ctx context.Context, h Halt) error
	// Lift ends the halt of an epoch. A halt that is lifted already is not an error.
	Lift(ctx context.Context, epoch uint64) error
}

// Check is [Switch.Halted] after reading the shared flag, for a caller that is about to do
// something irreversible. An error counts as a halt.
func (s *Switch) Check(ctx context.Context) (*Halt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.sync(ctx); err != nil {
		return nil, err
	}
	return s.Halted(), nil
}

// Sync synchronizes the file with the shared flag, and ends what runs here under a halt
// that another server, an earlier one or a person wrote.
func (s *Switch) Sync(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	_, err := s.sync(ctx)
	err = errors.Join(err, s.writeLate())
	halt := s.Halted()
	if halt != nil && !s.obeyed {
		go s.obey(context.WithoutCancel(ctx), halt.Scope)
	}
	s.obeyed = halt != nil

	return err
}

// sync publishes a halt that the other tasks do not know yet, and adopts their state. The
// caller holds the lock.
func (s *Switch) sync(ctx context.Context) (epoch uint64, err error) {
	if s.shared == nil {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sharedBudget)
	defer cancel()

	own := s.Halted()
	if own != nil && !own.Told {
		if err := s.tell(ctx, *own); err != nil {
			return 0, err
		}
	}

	theirs, epoch, err := s.shared.Read(ctx)
	switch {
	case err != nil:
		return 0, fmt.Errorf("shared flag: %w", err)
	case theirs != nil && own == nil:
		theirs.Told = true
		s.raise(ctx, *theirs)
		s.obeyed = true
		go s.obey(context.WithoutCancel(ctx), theirs.Scope)
	case theirs == nil && own != nil:
		return epoch, s.clear()
	}

	return epoch, nil
}

// obey ends what runs here because another server halted.
func (s *Switch) obey(ctx context.Context, scope string) {
	var out Outcome
	s.end(ctx, scope, true, &out)
	slog.WarnContext(ctx, "kill switch: somebody else halted",
		"dispatches", len(out.Asked.Dispatches),
		"processes", len(out.Asked.Processes),
		"survivors", len(out.Survivors))
}

// publish writes a halt to the shared flag within the budget. [Switch.Sync] retries a
// failure.
func (s *Switch) publish(ctx context.Context) (told bool) {
	own := s.Halted()
	if s.shared == nil || own == nil || own.Told {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, auditBudget)
	defer cancel()

	if err := s.tell(ctx, *own); err != nil {
		slog.WarnContext(ctx, "kill switch: the other tasks learn of the halt later", "error", err.Error())
		return false
	}
	return true
}

func (s *Switch) tell(ctx context.Context, h Halt) error {
	h.Told = true
	if err := s.shared.Raise(ctx, h); err != nil {
		return fmt.Errorf("shared flag: %w", err)
	}
	return s.keep(h)
}
