package payments_test

import (
	"context"
	"sync"
	"testing"

	"governance.internal/shared/payments"
)

// purse is a chain on which the payer has a balance, which each settlement lowers.
type purse struct {
	*double
	lock     sync.Mutex
	balance  int64
	reverted int    // settlements that the balance did not cover
	covered  func() // runs once, right after a balance was found to cover a payment
}

func (c *purse) Funds(context.Context, payments.Payment) (int64, error) {
	c.lock.Lock()
	defer c.lock.Unlock()

	return c.balance, nil
}

func (c *purse) Verify(ctx context.Context, p payments.Payment) error {
	funds, err := c.Funds(ctx, p)
	if err != nil {
		return err
	}
	if funds < p.Amount {
		return &payments.Invalid{Reason: payments.ReasonFunds}
	}

	if c.covered != nil {
		once := c.covered
		c.covered = nil
		once()
	}

	return c.double.Verify(ctx, p)
}

func (c *purse) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	settlement, err := c.double.Settle(ctx, p, j)
	if err != nil {
		return settlement, err
	}

	c.lock.Lock()
	defer c.lock.Unlock()

	if c.balance < p.Amount {
		c.reverted++
		return payments.Settlement{}, &payments.Rejected{
			Reason:      payments.ReasonFunds,
			Transaction: settlement.Transaction,
		}
	}

	c.balance -= p.Amount
	return settlement, nil
}

// The balance covers one payment. It is found to cover the second one, then the first
// one is settled, and only then is the second one reserved: what it was found to cover
// is gone by now.
func TestABalanceThatIsSpentBetweenVerifyingAndReservingIsNotSpentTwice(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		chain := &purse{double: b.chain, balance: 5000}
		b.machine.Facilitator = chain
		chain.covered = func() { b.mustPay(b.order("first")) }

		refused := as[*payments.Invalid](t, second(b.pay(b.order("second"))))
		if refused.Reason != payments.ReasonFunds {
			t.Errorf("refused for %s, want %s", refused.Reason, payments.ReasonFunds)
		}

		if chain.reverted > 0 || b.runs != 1 {
			t.Errorf("%d transactions reverted and %d answers were made", chain.reverted, b.runs)
		}
	})
}
