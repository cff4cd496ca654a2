package payments_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
)

// purse is a chain on which the payer has a balance, which each settlement lowers.
type purse struct {
	*double
	lock     sync.Mutex
	balance  int64
	looks    int    // verifications
	reverted int    // settlements that the balance did not cover
	covered  func() // runs once, right after a balance was found to cover a payment
}

func (c *purse) Funds(context.Context, payments.Payment) (int64, error) {
	c.lock.Lock()
	defer c.lock.Unlock()

	return c.balance, nil
}

func (c *purse) Verify(ctx context.Context, p payments.Payment) error {
	c.looks++
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

// The gate checks a payment before it reads the body, which may take as long as the
// caller likes. What was found then counts for a moment only, and not for a payment with
// which something happened since.
func TestACheckSparesTheChainForAMomentOnly(t *testing.T) {
	nothing := func(*bench, payments.Order) {}
	aWhile := func(b *bench, _ payments.Order) { b.clock.advance(3 * time.Second) }

	// An equal request fails, which releases the payment.
	aFailure := func(b *bench, o payments.Order) {
		o.Work = func(context.Context) (payments.Answer, error) {
			return payments.Answer{}, errors.New("no answer")
		}
		_, _ = b.pay(o)
	}

	for name, tc := range map[string]struct {
		between func(*bench, payments.Order)
		looks   int
	}{
		"nothing happens":         {nothing, 0},
		"a while passes":          {aWhile, 1},
		"an equal request failed": {aFailure, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, memory.New())
			chain := &purse{double: b.chain, balance: 5000}
			b.machine.Facilitator = chain
			o := b.order("n")

			checked, err := b.machine.Check(t.Context(), o.Payment)
			if err != nil {
				t.Fatal(err)
			}

			tc.between(b, o)
			before := chain.looks
			o.Checked = checked
			b.mustPay(o)

			if looks := chain.looks - before; looks != tc.looks {
				t.Errorf("the sale looked %d times at the balance, want %d", looks, tc.looks)
			}
		})
	}
}
