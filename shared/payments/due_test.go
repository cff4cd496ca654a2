package payments_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
)

// counted is a store that counts the records that are read.
type counted struct {
	payments.Store
	loads atomic.Int32
}

func (c *counted) Load(ctx context.Context, key payments.Key) (payments.Record, error) {
	c.loads.Add(1)
	return c.Store.Load(ctx, key)
}

// A sweep comes every few seconds, and each payment stays open for half a minute.
func TestASweepReadsOnlyWhatIsDue(t *testing.T) {
	const sold = 200
	b := newBench(t, memory.New())
	for n := range sold {
		b.mustPay(b.order(fmt.Sprint(n)))
	}
	store := &counted{Store: b.store}
	b.machine.Store = store
	sweep := func() int32 {
		t.Helper()
		store.loads.Store(0)
		if _, err := b.machine.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return store.loads.Load()
	}
	for range 5 {
		if n := sweep(); n > 0 {
			t.Fatalf("%d records were read before they were due", n)
		}
		b.clock.advance(5 * time.Second)
	}
	b.clock.advance(10 * time.Second)
	if n := sweep(); n != sold {
		t.Errorf("%d records were read when %d were due", n, sold)
	}
	if n := sweep(); n > 0 {
		t.Errorf("%d records were read again", n)
	}
}
