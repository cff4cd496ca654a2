package payments_test

import (
	"context"
	"testing"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
)

// asking delegates the settlement to another facilitator, which never responds again.
type asking struct{ *double }

func (a asking) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	if !j.Attempt().Begun() {
		if err := j.Record(ctx, payments.Attempt{Facilitator: "https://one.example"}); err != nil {
			return payments.Settlement{}, err
		}
	}
	return payments.Settlement{}, &payments.Pending{}
}

// readOnly is a store that fails to write.
type readOnly struct{ payments.Store }

func (readOnly) Save(context.Context, payments.Record) (payments.Record, error) {
	return payments.Record{}, errStore
}

// Once a facilitator was asked, "nothing was charged" would be a guess, although no
// transaction is known.
func TestAPaymentThatAFacilitatorHasIsNeverCalledUncharged(t *testing.T) {
	b := newBench(t, memory.New())
	b.machine.Facilitator = asking{b.chain}
	o := b.order("1")
	_, err := b.pay(o)
	as[*payments.Pending](t, err)
	b.machine.Store = readOnly{b.store}
	_, err = b.pay(o)
	as[*payments.Pending](t, err)
	b.machine.Store = b.store
	b.clock.advance(time.Hour)
	_, err = b.pay(o)
	as[*payments.Pending](t, err)
}
