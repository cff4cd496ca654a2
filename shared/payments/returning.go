package payments

import (
	"context"
	"log/slog"
)

// Returning returns the newest reply to an equal request of an authenticated payer. It
// charges nothing.
//
// Errors: ErrNotFound when nothing was bought; *Pending while a purchase is pending or its
// outcome is unknown, because a new payment might then pay twice.
func (m *Machine) Returning(ctx context.Context, payer, fingerprint string) (Answer, error) {
	records, err := m.Store.ByRequest(ctx, payer, fingerprint)
	if err != nil {
		slog.ErrorContext(ctx, "payments of a request not readable", "payer", payer, "error", err.Error())
		return Answer{}, &Pending{
			Code:       "payment_state_unknown",
			RetryAfter: retryPending,
		}
	}

	for _, r := range records {
		abandoned := r.State == Reserved && !m.Now().Before(r.LeaseUntil)
		switch {
		case r.State == Settled:
			return *r.Reply, nil
		case !r.State.finished() && !abandoned:
			return Answer{}, &Pending{
				Code:        "payment_in_progress",
				Transaction: r.Transaction(),
				RetryAfter:  retryInProgress,
			}
		}
	}

	return Answer{}, ErrNotFound
}
