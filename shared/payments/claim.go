package payments

import (
	"context"
	"errors"
	"log/slog"
)

// claim gives the reply of a settled payment to the first submitter that asks for it,
// and to no other: each of them may be a sale of its own.
func (m *Machine) claim(ctx context.Context, o Order) (Answer, error) {
	for {
		r, err := m.load(ctx, o.Payment.Key())
		switch {
		case err != nil:
			return Answer{}, err
		case r.State != Settled:
			return Answer{}, &Pending{
				Code:        "settlement_pending",
				Transaction: r.Transaction(),
				RetryAfter:  retryPending,
			}
		case r.Submitter == o.Submitter:
			return *r.Reply, nil
		case r.Submitter != "":
			return Answer{}, &ReplayRefused{Reason: ReasonNonceUsed,
				Message: "This authorization was settled, and another submitter was told so. Sell nothing for it again."}
		}

		r.Submitter = o.Submitter
		saved, err := m.save(ctx, r)
		if err == nil {
			return *saved.Reply, nil
		}
		if !errors.Is(err, ErrConflict) {
			return Answer{}, err
		}
	}
}

// Undelivered takes the reply back from a submitter that left before it was told. The
// next one that asks gets it.
func (m *Machine) Undelivered(ctx context.Context, o Order) {
	r, err := m.load(ctx, o.Payment.Key())
	if err != nil || r.Submitter != o.Submitter {
		return
	}
	r.Submitter = ""
	if _, err := m.save(ctx, r); err != nil {
		slog.WarnContext(ctx, "settlement stays with a submitter that left",
			"payment", r.Key().String(),
			"error", err.Error())
	}
}
