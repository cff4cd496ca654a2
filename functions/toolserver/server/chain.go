package server

import (
	"context"
	"sync/atomic"

	"governance.internal/shared/audit"
)

// maxVerifications limits concurrent verifications, because each reads the whole chain.
const maxVerifications = 2

// chain verifies the audit chain, and remembers the result for GET /health.
type chain struct {
	run   func(context.Context, ...audit.Anchor) (audit.Report, error)
	room  chan struct{}        // for the verifications that may run
	valid atomic.Pointer[bool] // result of the last verification, nil before the first
}

func newChain(run func(context.Context, ...audit.Anchor) (audit.Report, error)) *chain {
	return &chain{
		run:  run,
		room: make(chan struct{}, maxVerifications),
	}
}

// verify verifies the chain against the anchors of the server and further ones.
func (c *chain) verify(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return audit.Report{}, ctx.Err()
	}

	report, err := c.run(ctx, further...)
	if err == nil && len(further) == 0 {
		c.valid.Store(&report.Valid)
	}
	return report, err
}

// state is valid, broken or not_checked.
func (c *chain) state() string {
	valid := c.valid.Load()
	switch {
	case valid == nil:
		return "not_checked"
	case *valid:
		return "valid"
	}
	return "broken"
}
