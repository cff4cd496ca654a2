package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"governance.internal/functions/toolserver/work/processes"
)

const (
	logInterval   = 250 * time.Millisecond // between two looks at the size of a log
	againInterval = 10 * time.Second       // between two tries to end what survives
)

// watch follows a dispatch to its end.
func (d *Dispatcher) watch(r Record, begun launched, by Runner) {
	one := &run{
		record: r,
		group:  begun.group,
		runner: by,
		reason: make(chan string, 1),
		line:   begun.line,
		proxy:  begun.journal,
		made:   begun.made,

		finished: make(chan struct{}),
	}

	d.mu.Lock()
	d.running[r.ID] = one
	d.mu.Unlock()
	go d.follow(one)
}

// follow ends a dispatch at its time or log limit, records how it ended, and ends the
// processes that the program left behind.
func (d *Dispatcher) follow(one *run) {
	ctx, stop := context.WithCancel(context.Background())
	go d.keep(ctx, one)
	left := one.record.StartedAt.Add(time.Duration(one.record.TimeoutS) * time.Second).Sub(d.deps.Now())
	timeout := time.NewTimer(max(left, 0))
	defer timeout.Stop()

	looks := time.NewTicker(logInterval)
	defer looks.Stop()

	reason := ""
	for reason == "" {
		select {
		case <-one.group.Done():
			reason = "exit"
		case reason = <-one.reason:
		case <-timeout.C:
			reason = "timeout"
		case <-looks.C:
			d.strays.NoteStrays()
			if d.isFull(one.record.ID) {
				reason = "log_limit"
			}
		}
	}

	d.end(ctx, one, reason)
	stop()
	d.finish(context.WithoutCancel(ctx), one, reason)
}

// end ends the processes of a dispatch. It retries while one survives, and the dispatch
// keeps its slot.
func (d *Dispatcher) end(ctx context.Context, one *run, reason string) {
	stop := processes.Stop
	if reason == "log_limit" { // it would go on filling the disk
		stop = func(_ context.Context, groups ...*processes.Group) []processes.Outcome {
			return processes.StopNow(groups...)
		}
	}

	for {
		o := stop(ctx, one.group)[0]
		if o.Ended {
			return
		}
		slog.ErrorContext(ctx, "dispatch: something survives",
			"dispatch", one.record.ID,
			"survivors", len(o.Survivors))

		time.Sleep(againInterval)
	}
}

func (d *Dispatcher) isFull(id string) bool {
	info, err := os.Stat(filepath.Join(d.dir, id, "log"))
	return err == nil && info.Size() > d.deps.LogBytes
}

// finish writes down the end.
func (d *Dispatcher) finish(ctx context.Context, one *run, reason string) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.running, one.record.ID)
		close(one.finished)
	}()
	launched{line: one.line, journal: one.proxy}.hangUp()

	<-one.group.Done()
	d.strays.NoteStrays()
	exit := one.group.Exit()
	r := one.record
	if reason == "exit" && isLost(r) {
		reason = "lost"
	}
	at := d.deps.Now().UTC()
	r.State, r.EndedAt, r.Reason, r.Signal = Ended, &at, reason, exit.Signal
	if exit.Code >= 0 || exit.Signal != "" {
		r.ExitCode = &exit.Code
	}
	if one.runner != nil && r.ExitCode != nil {
		r.Stop = one.runner.Stop(exit.Code)
	}

	d.footer(r)
	trial, cancel := context.WithTimeout(ctx, slotLimit)
	defer cancel()

	if err := d.deps.Slots.Release(trial, r.Lease); err != nil {
		slog.WarnContext(ctx, "dispatch: its slot is free when the lease ends",
			"dispatch", r.ID,
			"error", err.Error())
	}

	if err := d.write(r); err != nil {
		slog.ErrorContext(ctx, "dispatch: end not written", "dispatch", r.ID, "error", err.Error())
	}

	payload := map[string]any{"dispatch": r.ID, "reason": reason}
	if r.Stop != "" {
		payload["stop"] = r.Stop
	}
	if r.ExitCode != nil {
		payload["exit_code"] = exit.Code
	}

	one.addMade(payload)
	d.note(ctx, EventEnd, payload)
}

// footer ends the log.
func (d *Dispatcher) footer(r Record) {
	log, err := os.OpenFile(
		filepath.Join(d.dir, r.ID, "log"),
		os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK,
		0o600,
	)
	if err != nil {
		return // the record says the same
	}
	defer log.Close()

	if info, err := log.Stat(); err == nil && info.Size() > d.deps.LogBytes {
		_ = log.Truncate(d.deps.LogBytes) // what came between two looks
	}

	how := "exit code not known"
	if r.ExitCode != nil {
		how = fmt.Sprintf("exit code %d", *r.ExitCode)
	}
	if r.Signal != "" {
		how = r.Signal
	}
	if r.Stop != "" {
		how += ", " + r.Stop
	}

	fmt.Fprintf(log, "\ndispatch %s ended %s: %s, %s\n", r.ID, r.EndedAt.Format(time.RFC3339), r.Reason, how)
}

// Cancel ends one dispatch, and records who asked for it and why. It returns false if it
// does not run here.
func (d *Dispatcher) Cancel(ctx context.Context, id, source, why string) bool {
	d.mu.Lock()
	one, ok := d.running[id]
	d.mu.Unlock()
	if !ok {
		return false
	}
	one.end("cancelled")
	one.endFence()

	d.note(ctx, EventCancelled, map[string]any{"dispatch": id, "source": source, "reason": why})
	return true
}

func (r *run) end(reason string) {
	select {
	case r.reason <- reason:
	default: // it is being ended already
	}
}

// fenceGrace is how long what stands behind a fence may take to end by itself when a person ends
// it: the kernel ends it then, all at once.
const fenceGrace = 250 * time.Millisecond

// endFence ends everything behind the fence after the grace.
func (r *run) endFence() {
	if r.line != nil {
		time.AfterFunc(fenceGrace, launched{line: r.line}.hangUp)
	}
}

// StopAll ends every dispatch and all other descendants of this server. It returns the
// outcome of each dispatch and the other survivors.
func (d *Dispatcher) StopAll(ctx context.Context) ([]processes.Outcome, []processes.Survivor) {
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.running))
	d.mu.Unlock()
	own := map[string]bool{}
	var groups []*processes.Group
	for _, one := range all {
		one.end("killed")
		own[one.record.ID], groups = true, append(groups, one.group)
		one.endFence()
	}

	records, err := d.records()
	if err != nil {
		slog.ErrorContext(ctx, "dispatch: cannot read the slots of the other servers",
			"error", err.Error())
	}

	for _, r := range records { // what another server of the directory started
		if !own[r.ID] && d.alive(r) {
			groups = append(groups, processes.Known(d.trace(r)))
		}
	}

	outcomes, others := processes.StopAll(ctx, append(groups, d.strays)...)
	last := len(outcomes) - 1 // of the strays, which are no dispatch
	return outcomes[:last], append(outcomes[last].Survivors, others...)
}
