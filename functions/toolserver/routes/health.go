package routes

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/work/killswitch"
)

// Limits of the reads of the chain's head for GET /health, which has no rate limit: a flood
// must not make the load balancer consider the task dead.
const (
	looksPerSecond = 1
	looksBurst     = 5
)

// Health is the state that GET /health reports.
type Health interface {
	Halted() *killswitch.Halt // nil if nothing is halted
	Draining() bool           // the process takes no more work
	Sessions() int            // that are open
	Chain() string            // valid, broken or not_checked, as of the last verification
	Now() time.Time
}

// health is GET /health, for load balancers: 503 only when this process takes no more
// work.
type health struct {
	about    About
	state    Health
	trail    Trail
	looks    *access.Limiter // at the store
	readable atomic.Bool     // what the last look found
}

func newHealth(about About, state Health, trail Trail) *health {
	return &health{
		about: about,
		state: state,
		trail: trail,
		looks: access.NewLimiter(state.Now, looksPerSecond, looksBurst),
	}
}

func (h *health) get(w http.ResponseWriter, r *http.Request) {
	store := h.store(r.Context())
	chain := h.state.Chain()
	halt := h.state.Halted()
	halted := halt != nil

	status := "ok"
	code := http.StatusOK
	if store != "ok" || chain == "broken" || halted {
		status = "degraded"
	}

	if h.state.Draining() {
		status = "draining"
		code = http.StatusServiceUnavailable
	}

	checks := map[string]any{
		"chain": chain,
		"store": store,
		"halt":  halted,
	}

	answer.JSON(w, code, map[string]any{
		"status":   status,
		"service":  h.about.Name,
		"version":  h.about.Version,
		"build":    h.about.Build,
		"protocol": h.about.Protocol,
		"tools":    len(h.about.Tools),
		"sessions": h.state.Sessions(),
		"checks":   checks,
		"halt":     publicHalt(halt),
	})
}

// store is ok or unreadable, as of the last look.
func (h *health) store(ctx context.Context) string {
	if h.looks.Wait("") == 0 {
		_, err := h.trail.Head(ctx)
		h.readable.Store(err == nil)
	}

	if h.readable.Load() {
		return "ok"
	}
	return "unreadable"
}

// haltState is the public part of a halt; its reason is in the audit trail only.
type haltState struct {
	Since  time.Time `json:"since,omitzero"` // unknown of a flag that cannot be read
	Scope  string    `json:"scope,omitempty"`
	Source string    `json:"source,omitempty"`
}

// publicHalt is nil if nothing is halted.
func publicHalt(halt *killswitch.Halt) *haltState {
	if halt == nil {
		return nil
	}

	return &haltState{
		Since:  halt.Since,
		Scope:  halt.Scope,
		Source: halt.Source,
	}
}
