package scan

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What one address may do, and how many addresses are remembered.
const (
	perSecond  = 2
	burst      = 20
	maxCallers = 10_000
)

// limiter keeps a bucket of calls for each address.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{
		now:     now,
		buckets: map[string]*rate.Limiter{},
	}
}

// wait takes a call from the bucket of an address, or says how long it has to wait for one.
func (l *limiter) wait(address string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()

	bucket, ok := l.buckets[address]
	if !ok {
		if len(l.buckets) >= maxCallers {
			clear(l.buckets)
		}
		bucket = rate.NewLimiter(perSecond, burst)
		l.buckets[address] = bucket
	}

	reservation := bucket.ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay > 0 {
		reservation.CancelAt(now)
	}
	return delay
}
