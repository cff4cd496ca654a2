package server

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"governance.internal/functions/toolserver/work/killswitch"
)

const (
	// flushInterval is how often the kill switch reads the state of the other tasks and
	// retries spooled audit entries.
	flushInterval = 2 * time.Second

	// watchInterval is how often the governed files are compared with their baseline,
	// unless the settings say otherwise.
	watchInterval = 30 * time.Second

	// superviseInterval is how often managed processes are compared with the workspace
	// file. At most one is started each time.
	superviseInterval = time.Second
)

// background is the periodic work of the server.
type background struct {
	stop  context.CancelFunc
	loops sync.WaitGroup
}

// keepRunning begins it. It ends with end.
func keepRunning(halt *killswitch.Switch, g *governed, w *work) *background {
	ctx, stop := context.WithCancel(context.Background())
	b := &background{stop: stop}
	b.loops.Go(func() { w.keepSupervising(ctx) })
	b.loops.Go(func() { g.keepWatching(ctx) })
	b.loops.Go(func() { keepFlushing(ctx, halt, g) })
	return b
}

// end cancels the work and waits for it.
func (b *background) end() {
	b.stop()
	b.loops.Wait()
}

// keepFlushing appends the spooled entries of the kill switch and of the guard, and reads
// the state of the other tasks, until ctx ends.
func keepFlushing(ctx context.Context, halt *killswitch.Switch, g *governed) {
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()

	warn := func(text string, err error) {
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, text, "error", err.Error())
		}
	}

	for {
		warn("kill switch: the audit trail takes no entries", halt.Flush(ctx))
		warn("guard: violations wait for the audit trail", g.violations.Flush(ctx))
		warn("guard: the journal of the hooks waits for the audit trail", g.journal().Flush(ctx))
		warn("kill switch: cannot read the state of the other tasks", halt.Sync(ctx))

		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// keepWatching compares until ctx ends. It reports a failing comparison once, until one
// succeeds.
func (g *governed) keepWatching(ctx context.Context) {
	ticker := time.NewTicker(cmp.Or(g.watch, watchInterval))
	defer ticker.Stop()

	g.sayRehearsal(ctx)
	net, told := g.net(), ""
	for {
		changes, err := net.Watch(ctx)
		for _, c := range changes {
			slog.WarnContext(ctx, "a governed file changed without passing the guard",
				"path", c.Path,
				"change", c.Kind)
		}

		text := ""
		if err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != "" && text != told {
			slog.WarnContext(ctx, "the governed files cannot be compared", "error", text)
		}

		told = text
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// keepSupervising runs the supervised processes until ctx ends, and then ends them. While
// the workspace file cannot be read, its last content applies.
func (w *work) keepSupervising(ctx context.Context) {
	ticker := time.NewTicker(superviseInterval)
	defer ticker.Stop()
	defer w.supervisor.Close()

	told := false
	for {
		list, err := w.managed.Processes()
		if err != nil && !told {
			slog.WarnContext(ctx, "the managed processes are those that the workspace file named before",
				"error", err.Error())
		}

		told = err != nil
		w.supervisor.Look(ctx, list)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
