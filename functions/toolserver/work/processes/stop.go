package processes

import (
	"cmp"
	"context"
	"slices"
	"syscall"
	"time"
)

// Grace is how long processes may take to end by themselves after SIGTERM.
const Grace = 4 * time.Second

const (
	pollInterval = 20 * time.Millisecond
	againAfter   = 5 * time.Millisecond   // when a look could not tell
	freezeBudget = 300 * time.Millisecond // for everything to be stopped before it is killed
	killBudget   = 800 * time.Millisecond // for what was killed to be gone
	mostLooks    = 30                     // at what seems to have ended
)

// Survivor is a process that could not be ended.
type Survivor struct {
	Name    string `json:"name,omitempty"` // of the managed process that it belongs to
	PID     int    `json:"pid"`            // 0 if it has none that is known here
	Command string `json:"cmd"`
	Why     string `json:"why"`
}

// Outcome is what became of a group.
type Outcome struct {
	ID        string
	PID       int
	Signals   []string // that were sent to it or to what it started
	Ended     bool
	Survivors []Survivor
}

// StopNow is Stop without the grace period: SIGKILL follows SIGTERM at once.
func StopNow(groups ...*Group) []Outcome {
	return target{groups: groups}.stop(context.Background(), 0)
}

// Stop ends groups and their descendants. It sends SIGTERM to whole process groups, the
// oldest first. Processes that are alive after the grace period are stopped, so that none
// restarts or forks, and then killed. A group has ended when two looks in a row find
// nothing of it. Stop takes little more than Grace and a second.
func Stop(ctx context.Context, groups ...*Group) []Outcome {
	return target{groups: groups}.stop(ctx, Grace)
}

// StopAll is Stop for groups and for every orphan that this process adopted, known or not,
// with its descendants. It leaves alone kept groups and the other children of this process,
// which are in its own session, where no descendant of a group can be.
func StopAll(ctx context.Context, groups ...*Group) ([]Outcome, []Survivor) {
	return target{groups: groups, all: true}.stopAll(ctx, Grace)
}

func (t target) stop(ctx context.Context, grace time.Duration) []Outcome {
	outcomes, _ := t.stopAll(ctx, grace)
	return outcomes
}

// stopAll ends the target. It returns the outcomes of its groups and the other survivors.
func (t target) stopAll(ctx context.Context, grace time.Duration) ([]Outcome, []Survivor) {
	h := &hunt{
		target:  t,
		others:  map[int]bool{},
		frozen:  map[key]bool{},
		signals: make([][]string, len(t.groups)),
	}
	h.look() // notes sessions, so that the first signal reaches who is in them

	h.terminate()
	h.wait(ctx, grace)

	for end := time.Now().Add(killBudget); !h.quiet() && time.Now().Before(end); {
		h.freeze()
		h.kill()
	}

	return h.outcomes(h.confirm())
}

// hunt is the end of a target, step by step.
type hunt struct {
	target
	others  map[int]bool // numbers of processes that were read in an earlier look and are not of the target
	frozen  map[key]bool // processes that were stopped
	signals [][]string   // by group: what was sent
}

// look looks, and calls act for each process that it finds.
func (h *hunt) look(acts ...func(process)) sight {
	seen := h.sweep(h.others, func(p process) {
		for _, act := range acts {
			act(p)
		}
	})
	if seen.err == nil {
		clear(h.others)
		for each := range seen.others {
			h.others[each.pid] = true
		}
	}
	return seen
}

// terminate sends SIGTERM to everything. A process group gets the signal as a whole, unless
// another process is in it. Stopped processes get SIGCONT, or they would not see SIGTERM.
func (h *hunt) terminate() {
	seen := h.look()
	whole := seen.wholeGroups()
	slices.SortFunc(seen.living, func(a, b process) int {
		return cmp.Or(a.group-b.group, cmp.Compare(a.begun, b.begun), a.pid-b.pid)
	})
	asked := map[int]bool{}
	for _, p := range seen.living {
		if asked[p.pgrp] {
			continue
		}
		send := p.send

		if slices.Contains(whole, p.pgrp) {
			asked[p.pgrp] = true
			send = p.sendToGroup
		}

		if send(syscall.SIGTERM) {
			h.sent(p, syscall.SIGTERM)
		}

		send(syscall.SIGCONT)
	}
}

// freeze stops everything, until a look finds nothing new that runs. A stopped process
// neither forks nor restarts a killed one.
func (h *hunt) freeze() {
	for _, g := range h.groups {
		g.control.freeze()
	}

	for end := time.Now().Add(freezeBudget); time.Now().Before(end); {
		seen, found := h.freezeSeen()
		if !found && !seen.died && !seen.vanished {
			return
		}
	}
}

// freezeSeen stops every process that one look finds. Found reports whether one of them is
// new.
func (h *hunt) freezeSeen() (seen sight, found bool) {
	seen = h.look(func(p process) {
		if !p.stopped() && p.send(syscall.SIGSTOP) {
			h.sent(p, syscall.SIGSTOP)
		}

		identity := key{p.pid, p.begun}
		if !h.frozen[identity] {
			h.frozen[identity] = true
			found = true
		}
	})
	return seen, found
}

// kill sends SIGKILL to control groups and process groups as a whole, which no fork
// escapes, and to each process.
func (h *hunt) kill() {
	for i, g := range h.groups {
		if len(g.control.pids()) > 0 {
			g.control.kill()
			h.sent(process{group: i}, syscall.SIGKILL)
		}
	}

	seen := h.look(func(p process) {
		if p.send(syscall.SIGKILL) {
			h.sent(p, syscall.SIGKILL)
		}
	})
	for _, id := range seen.wholeGroups() {
		_ = syscall.Kill(-id, syscall.SIGKILL) // it may be empty by now
	}
}

// sent notes a signal for the outcome of a group.
func (h *hunt) sent(p process, s syscall.Signal) {
	if p.group >= len(h.signals) { // an orphan of none
		return
	}
	signals := h.signals[p.group]
	if text := name(s); !slices.Contains(signals, text) {
		h.signals[p.group] = append(signals, text)
	}
}

// wait waits until nothing lives, at most for a time.
func (h *hunt) wait(ctx context.Context, most time.Duration) {
	deadline := time.Now().Add(most)
	for !h.look().over() &&
		time.Now().Before(deadline) &&
		ctx.Err() == nil {
		time.Sleep(pollInterval)
	}
}

// quiet reports that two looks in a row find nothing.
func (h *hunt) quiet() bool {
	if !h.look().over() {
		return false
	}
	again := h.look()
	return again.over()
}

// confirm looks until two looks in a row find nothing, or one finds something that lives.
// A process that restarts itself all the time is seldom seen alive: it dies or vanishes in each
// look.
func (h *hunt) confirm() sight {
	nothing := 0
	for n := 1; ; n++ {
		seen := h.look()
		if len(seen.living) > 0 || seen.err != nil || n == mostLooks {
			return seen
		}

		if !seen.over() {
			nothing = 0
			time.Sleep(againAfter)
			continue
		}

		if nothing++; nothing == 2 {
			return seen
		}
		time.Sleep(pollInterval)
	}
}

// outcomes returns the outcomes of the groups and the other survivors.
func (h *hunt) outcomes(last sight) (outcomes []Outcome, others []Survivor) {
	survivors := make([][]Survivor, len(h.groups)+1)
	for _, p := range last.living {
		survivors[p.group] = append(survivors[p.group], p.survivor())
	}

	unknown := ""
	switch {
	case last.err != nil:
		unknown = "the process table cannot be read"
	case len(last.living) == 0 && !last.over():
		unknown = "processes end before they can be looked at: it may restart itself all the time"
	}

	for i, g := range h.groups {
		left := survivors[i]
		if unknown != "" {
			left = append(left, Survivor{PID: g.PID, Why: unknown})
		}

		if len(left) == 0 {
			live.remove(g)
			g.control.remove()
			g.dropNotes()
		}

		outcomes = append(outcomes, Outcome{
			ID:        g.ID,
			PID:       g.PID,
			Signals:   h.signals[i],
			Ended:     len(left) == 0,
			Survivors: left,
		})
	}

	others = survivors[len(h.groups)]
	if unknown != "" && h.all && len(h.groups) == 0 {
		others = append(others, Survivor{Why: unknown})
	}

	return outcomes, others
}
