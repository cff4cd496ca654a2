package payments

import (
	"context"
	"sync"
	"time"
)

// flights counts the requests that carry the same payment at the same moment.
// They belong to one delivery: only a request that comes alone and finds its
// payment settled is a replay.
type flights struct {
	mu    sync.Mutex
	count map[Key]int
}

func (f *flights) join(key Key) (alone bool, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == nil {
		f.count = map[Key]int{}
	}
	f.count[key]++
	return f.count[key] == 1, func() { f.leave(key) }
}

func (f *flights) leave(key Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count[key]--; f.count[key] == 0 {
		delete(f.count, key)
	}
}

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
