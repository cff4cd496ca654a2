package payments

import (
	"context"
	"time"
)

// backoff sleeps longer each time until its limit is used up.
type backoff struct {
	next, left time.Duration
}

func newBackoff(limit time.Duration) *backoff {
	return &backoff{next: 10 * time.Millisecond, left: limit}
}

// sleep returns false when the limit is used up or ctx ended.
func (b *backoff) sleep(ctx context.Context) bool {
	if b.left <= 0 {
		return false
	}
	timer := time.NewTimer(b.next)
	defer timer.Stop()

	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	}

	b.left -= b.next
	b.next = min(b.next*3/2, 200*time.Millisecond)
	return true
}
