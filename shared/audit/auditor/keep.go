package auditor

import (
	"context"
	"log/slog"
	"time"
)

const (
	keepEvery = time.Minute
	walkEvery = time.Hour
)

// Keep maintains the chain until ctx ends. It publishes once a minute. At once and then
// once an hour it seals complete segments and walks over the whole chain, if the chain
// has a place for sealed segments. It logs a failure and tries again the next time.
func (a *Auditor) Keep(ctx context.Context) {
	ticker := time.NewTicker(keepEvery)
	defer ticker.Stop()

	var walked time.Time
	for {
		if a.Sealed != nil && a.Now().Sub(walked) >= walkEvery {
			walked = a.Now()
			a.sealAndWalk(ctx)
		}

		if len(a.Sinks) > 0 {
			warn(ctx, "publication failed", a.Publish(ctx))
		}

		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (a *Auditor) sealAndWalk(ctx context.Context) {
	_, err := a.Sealed.Seal(ctx)
	warn(ctx, "sealing failed", err)
	_, err = a.Walk(ctx)
	warn(ctx, "full walk failed", err)
}

func warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, what, "error", err.Error())
	}
}
