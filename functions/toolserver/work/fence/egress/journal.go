package egress

import (
	"sync"
)

// Events of the record.
const (
	EventAllowed = "NETWORK_ALLOWED"
	EventRefused = "NETWORK_REFUSED"
	EventSummary = "NETWORK_SUMMARY"
)

// mostNoted is how many different decisions get an entry of their own.
const mostNoted = 500

// Journal records decisions: each different one when it is first made, and at the end how many
// there were. It is safe for concurrent use.
type Journal struct {
	Record func(event string, detail map[string]any)

	mu    sync.Mutex
	times map[Decision]int
	count [2]int // refused and allowed requests
}

// Note records a decision.
func (j *Journal) Note(d Decision) {
	if j.isNew(d) {
		event, detail := EventAllowed, map[string]any{"host": d.Host, "port": int(d.Port)}
		if !d.Allowed {
			event, detail["why"] = EventRefused, d.Why
		}
		j.Record(event, detail)
	}
}

func (j *Journal) isNew(d Decision) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.times == nil {
		j.times = map[Decision]int{}
	}

	verdict := 0
	if d.Allowed {
		verdict = 1
	}
	j.count[verdict]++

	if j.times[d] == 0 && len(j.times) >= mostNoted {
		return false // the summary counts it
	}
	j.times[d]++
	return j.times[d] == 1
}

// Close records how many decisions there were, if there were any.
func (j *Journal) Close() {
	j.mu.Lock()
	refused, allowed, noted := j.count[0], j.count[1], len(j.times)
	j.mu.Unlock()

	if refused+allowed > 0 {
		j.Record(EventSummary, map[string]any{
			"allowed": allowed,
			"refused": refused,
			"hosts":   noted,
		})
	}
}
