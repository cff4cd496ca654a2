package evm

import (
	"context"
	"errors"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Observe reads what became of an authorization that somebody else is to carry
// out. Whatever they say of it, the token's events decide. As long as it is
// unused and a later block could still accept it, nothing is decided.
//
// Errors: ErrNotMined, *payments.Rejected, or the failure of the nodes.
func (c *Chain) Observe(ctx context.Context, p payments.Payment) (payments.Settlement, error) {
	live, err := c.live(ctx, p) // before the events: what is missing there then will never come
	if err != nil {
		return payments.Settlement{}, err
	}
	settlement, err := c.Reconcile(ctx, p, "")
	var rejected *payments.Rejected
	if live && errors.As(err, &rejected) && rejected.Reason == x402.ReasonTransaction { // unused, not canceled
		return payments.Settlement{}, ErrNotMined
	}
	return settlement, err
}
