package access

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxCallers is how many buckets are kept.
const maxCallers = 10_000

// Limiter keeps a token bucket for each caller, for a bounded number of them.
type Limiter struct {
	now   func() time.Time
	limit rate.Limit
	burst int

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// NewLimiter gives each caller a bucket of burst tokens, which fills at a rate.
func NewLimiter(now func() time.Time, perSecond float64, burst int) *Limiter {
	return &Limiter{
		now:     now,
		limit:   rate.Limit(perSecond),
		burst:   burst,
		buckets: map[string]*rate.Limiter{},
	}
}

// Wait takes a token from a caller's bucket; if there is none it says how long the
// caller has to wait for one.
func (l *Limiter) Wait(caller string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()

	bucket, ok := l.buckets[caller]
	if !ok {
		if len(l.buckets) >= maxCallers {
			l.forget(now)
		}
		bucket = rate.NewLimiter(l.limit, l.burst)
		l.buckets[caller] = bucket
	}

	reservation := bucket.ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay > 0 {
		reservation.CancelAt(now)
	}

	return delay
}

// forget drops the buckets that are full again, or all if none is.
func (l *Limiter) forget(now time.Time) {
	before := len(l.buckets)
	for caller, bucket := range l.buckets {
		if bucket.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, caller)
		}
	}

	if len(l.buckets) == before {
		clear(l.buckets)
	}
}
