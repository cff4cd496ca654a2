package facilitator

import (
	"sync"
	"time"
)

const (
	breakerLimit = 3                // failures in a row after which a facilitator is left alone
	breakerPause = 20 * time.Second // how long
)

// breaker keeps calls from a facilitator that fails. After breakerLimit failures
// in a row it is open for breakerPause; then one call probes, and its outcome
// closes or opens it again. It is safe for concurrent use.
type breaker struct {
	mu       sync.Mutex
	failures int       // in a row
	last     time.Time // when the last of them ended
	probing  bool
}

// enter asks for one call; a caller that may make it reports the outcome to leave, or to
// abandon that there was none.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.failures < breakerLimit {
		return true
	}
	if b.probing || now.Before(b.last.Add(breakerPause)) {
		return false
	}
	b.probing = true

	return true
}

func (b *breaker) leave(now time.Time, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false

	if !failed {
		b.failures = 0
		return
	}

	b.failures++
	b.last = now
}

// abandon ends a call that was given up before it said anything.
func (b *breaker) abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// trusted says that the last call did not fail, or that the failure is so long
// ago that it is worth another try before others are asked.
func (b *breaker) trusted(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures == 0 || !b.probing && !now.Before(b.last.Add(breakerPause))
}
