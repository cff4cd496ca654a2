package payments

import (
	"context"
	"errors"
	"log/slog"
)

// claim gives the reply of a settled payment only to the first submitter that asks for it,
// because each submitter may be a sale of its own.
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
				Message: "This authorization is settled, and another submitter received the confirmation. Sell nothing for it again."}
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

// Undelivered takes the reply back from a submitter that disconnected before it received
// it. The next submitter that asks gets it.
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
