package payments_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
)

func (b *bench) returning(payer, fingerprint string) (payments.Answer, error) {
	return b.machine.Returning(context.Background(), payer, fingerprint)
}

func TestAReturningPayerGetsTheNewestAnswerToTheRequest(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		if _, err := b.returning("0xb", "f"); !errors.Is(err, payments.ErrNotFound) {
			t.Fatalf("before any purchase: %v", err)
		}
		b.mustPay(b.order("1", withoutBody))
		b.clock.advance(time.Second)
		newest := b.mustPay(b.order("2", withoutBody))
		b.clock.advance(24 * time.Hour)
		for range 5 {
			if again, err := b.returning("0xb", "f"); err != nil || string(again.Body) != string(newest.Body) {
				t.Fatalf("%q (%v), want %q", again.Body, err, newest.Body)
			}
		}
		for _, other := range [][2]string{{"0xc", "f"}, {"0xb", "g"}} {
			if _, err := b.returning(other[0], other[1]); !errors.Is(err, payments.ErrNotFound) {
				t.Errorf("%q: %v", other, err)
			}
		}
		if b.chain.transfers() != 2 || b.runs != 2 {
			t.Errorf("%d transfers, %d runs", b.chain.transfers(), b.runs)
		}
	})
}

// A payer who signs in, payment in hand, is not limited to three deliveries.
func TestAPayerWhoSignsInIsNotLimited(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n", withoutBody)
		first := b.mustPay(o)
		b.clock.advance(time.Hour)
		if _, err := b.pay(o); !errors.Is(err, payments.ErrDelivered) {
			t.Fatalf("without the sign-in: %v", err)
		}
		o.SignedIn = true
		for range 5 {
			if again := b.mustPay(o); string(again.Body) != string(first.Body) {
				t.Fatalf("%q, want %q", again.Body, first.Body)
			}
		}
	})
}

// A pending payment may have been settled; a released one has not.
func TestAReturningPayerWaitsForAPurchaseUnderWay(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.chain.set(func(d *double) { d.hangs = true })
		o := b.order("n")
		if _, err := b.pay(o); as[*payments.Pending](t, err).Transaction == "" {
			t.Fatal("no transaction")
		}
		_, err := b.returning("0xb", "f")
		if p := as[*payments.Pending](t, err); p.Transaction == "" || p.RetryAfter <= 0 {
			t.Errorf("pending %+v", p)
		}
		b.chain.set(func(d *double) { d.hangs = false })
		b.mustPay(o)
		if _, err := b.returning("0xb", "f"); err != nil {
			t.Error(err)
		}
	})
}

func TestAnAbandonedReservationWasNotPaid(t *testing.T) {
	b := newBench(t, memory.New())
	r := payments.Record{State: payments.Reserved, LeaseUntil: b.clock.Now().Add(time.Second), Payment: b.order("n").Payment,
		Request: payments.Request{Fingerprint: "f"}}
	if _, err := b.store.Save(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	_, err := b.returning("0xb", "f")
	as[*payments.Pending](t, err)
	b.clock.advance(time.Second)
	if _, err := b.returning("0xb", "f"); !errors.Is(err, payments.ErrNotFound) {
		t.Errorf("after the lease: %v", err)
	}
}

// blind is a store that cannot be searched.
type blind struct{ payments.Store }

func (blind) ByRequest(context.Context, string, string) ([]payments.Record, error) {
	return nil, errors.New("throttled")
}

func TestAnUnreadableStoreIsNoReasonToPayAgain(t *testing.T) {
	b := newBench(t, blind{memory.New()})
	_, err := b.returning("0xb", "f")
	as[*payments.Pending](t, err)
}
