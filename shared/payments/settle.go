package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// resume continues a record whose lease has expired.
func (m *Machine) resume(ctx context.Context, o Order, r Record) (Answer, error) {
	if r.State == Reserved {
		return m.begin(ctx, o, r)
	}
	return m.finish(ctx, r)
}

// finish takes the lease of a ready or settling record and settles it.
func (m *Machine) finish(ctx context.Context, r Record) (Answer, error) {
	r.Owner = m.Owner
	r.LeaseUntil = m.Now().Add(m.Lease)
	saved, err := m.save(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	return m.settle(context.WithoutCancel(ctx), saved)
}

func (m *Machine) expired(r Record) bool {
	return uint64(m.Now().Unix()) >= r.Payment.ValidBefore
}

// settle moves the money of a record that this process owns and stores the reply.
func (m *Machine) settle(ctx context.Context, r Record) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()

	if !r.Attempt.Begun() {
		if err := m.Ledger.Ready(ctx); err != nil {
			return Answer{}, m.unsettled(ctx, r, fmt.Errorf("the ledger is closed: %w", err))
		}
	}

	settlement, err := m.Facilitator.Settle(ctx, r.Payment, journal{m, &r})
	if err != nil {
		return Answer{}, m.unsettled(ctx, r, err)
	}

	m.step("mined")
	return m.deliver(ctx, r, settlement)
}

// deliver writes the settlement into the audit trail and stores the reply. Until
// that is stored the record stays as it is, so a failure here is only a delay.
func (m *Machine) deliver(ctx context.Context, r Record, settlement Settlement) (Answer, error) {
	pending := &Pending{Transaction: settlement.Transaction}
	done := r
	done.State = Settled
	done.Settlement = &settlement
	done.SettledAt = m.Now()
	reply, err := m.Ledger.Settled(ctx, done)
	if err != nil {
		slog.ErrorContext(ctx, "settlement not recorded",
			"payment", r.Key().String(),
			"error", err.Error())
		return Answer{}, m.unsettled(ctx, r, pending)
	}

	m.step("recorded")
	done.Reply = &reply
	done.Result = nil
	done.Owner = ""
	done.Deliveries = 1
	done.Watched = true
	_, err = m.save(ctx, done)
	if err != nil {
		return Answer{}, m.unsettled(ctx, r, pending)
	}

	m.step("settled")
	return reply, nil
}

// unsettled stores the state of a failed or pending settlement and releases the lease, so
// that the next request resumes at once.
func (m *Machine) unsettled(ctx context.Context, r Record, cause error) error {
	var rejected *Rejected
	if errors.As(cause, &rejected) {
		if m.expired(r) && rejected.Transaction == "" {
			rejected = &Rejected{
				Reason:  ReasonExpired,
				Message: "The authorization ran out before it was settled.",
			}
		}
		return m.fail(ctx, r, rejected)
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()

	r.Owner = ""
	if _, err := m.Store.Save(ctx, r); err != nil {
		slog.WarnContext(ctx, "lease not given back", "payment", r.Key().String(), "error", err.Error())
	}

	var pending *Pending
	if errors.As(cause, &pending) {
		return &Pending{
			Code:        "settlement_pending",
			Transaction: pending.Transaction,
			RetryAfter:  retryPending,
		}
	}

	slog.ErrorContext(ctx, "settlement failed before broadcast",
		"payment", r.Key().String(),
		"error", cause.Error())
	if r.Attempt.Begun() {
		return &Pending{
			Code:        "settlement_pending",
			Transaction: r.Attempt.Hash,
			RetryAfter:  retryPending,
		}
	}

	return &Unavailable{cause}
}

func (m *Machine) fail(ctx context.Context, r Record, cause *Rejected) error {
	r.State = Failed
	r.Reason = cause.Reason
	r.Owner = ""
	r.Result = nil
	if _, err := m.save(context.WithoutCancel(ctx), r); err != nil {
		return err
	}
	return cause
}

// replay returns the stored reply to a request that may have it: one with a secret that is
// not on the chain (the identifier, or a body that is hard to guess), or of a signed-in
// payer. Any other request counts against the few replays that a lost answer allows, even
// if it waited for the settlement: of many equal requests at once, all but one may be
// copies.
func (m *Machine) replay(ctx context.Context, o Order, r Record) (Answer, error) {
	identified := r.Identifier != "" && r.PayloadHash == o.PayloadHash
	if identified || o.SignedIn || r.Request.SecretBody {
		return *r.Reply, nil
	}

	age := m.Now().Sub(r.SettledAt)
	switch {
	case r.Deliveries >= replayMost && age < replayBurst:
		return Answer{}, &Pending{
			Code:        "payment_in_progress",
			Transaction: r.Settlement.Transaction,
			RetryAfter:  retryInProgress,
		}
	case r.Deliveries >= replayMost || age > replayWindow:
		m.refused(ctx, r, "delivered")
		return Answer{}, ErrDelivered
	}

	reply := *r.Reply
	r.Deliveries++
	if _, err := m.save(ctx, r); errors.Is(err, ErrConflict) {
		return Answer{}, errRecount
	} else if err != nil {
		return Answer{}, err
	}

	return reply, nil
}

// errRecount means that another replay was counted in the meantime.
var errRecount = errors.New("payments: count this delivery again")
