package processes

import (
	"context"
	"maps"
	"slices"
	"syscall"
	"time"
)

// Grace is how long processes may take to end by themselves after SIGTERM.
const Grace = 4 * time.Second

const (
	pollInterval = 20 * time.Millisecond
	killBudget   = time.Second // for what was killed to be gone
	mostLooks    = 10          // at what seems to have ended
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

// target is what is to end: groups, and with all every adopted orphan.
type target struct {
	groups []*Group
	all    bool
}

// StopNow is Stop without the grace: SIGKILL follows SIGTERM at once.
func StopNow(groups ...*Group) []Outcome {
	return target{groups: groups}.stop(context.Background(), 0)
}

// Stop ends groups with all that they started, first by SIGTERM, then by SIGKILL, and
// looks again until nothing is left. It takes no longer than Grace and a second.
func Stop(ctx context.Context, groups ...*Group) []Outcome {
	return target{groups: groups}.stop(ctx, Grace)
}

// StopAll is Stop for groups and for every orphan that this process adopted, known or
// not, with all below it. Other children of this process are in its own session, which
// no descendant of a group can come back to; they are left alone, and so are groups that
// are kept.
func StopAll(ctx context.Context, groups ...*Group) ([]Outcome, []Survivor) {
	t := target{groups: groups, all: true}
	outcomes := t.stop(ctx, Grace)
	var others []Survivor
	for _, p := range t.look().living {
		if !slices.ContainsFunc(outcomes, func(o Outcome) bool {
			return slices.ContainsFunc(o.Survivors, func(s Survivor) bool { return s.PID == p.pid })
		}) {
			others = append(others, p.survivor())
		}
	}
	return outcomes, others
}

func (t target) stop(ctx context.Context, grace time.Duration) []Outcome {
	signals := map[int][]string{} // by group
	t.look()                      // notes sessions, so that the first signal reaches who is in them
	t.signal(syscall.SIGTERM, signals)
	t.wait(ctx, grace)
	end := time.Now().Add(killBudget)
	for !t.look().over() && time.Now().Before(end) {
		t.signal(syscall.SIGKILL, signals) // again and again: it may have started others meanwhile
		time.Sleep(pollInterval)
	}
	outcomes := make([]Outcome, len(t.groups))
	for i, g := range t.groups {
		o := Outcome{ID: g.ID, PID: g.PID, Signals: slices.Compact(signals[i])}
		o.Survivors = target{groups: []*Group{g}}.survivors()
		o.Ended = len(o.Survivors) == 0
		outcomes[i] = o
	}
	return outcomes
}

// wait waits until nothing lives, or for so long.
func (t target) wait(ctx context.Context, most time.Duration) {
	deadline := time.Now().Add(most)
	for !t.look().over() && time.Now().Before(deadline) && ctx.Err() == nil {
		time.Sleep(pollInterval)
	}
}

// survivors tells who lives. Where one died a moment ago it is looked again: whoever
// starts itself anew all the time is seldom seen alive.
func (t target) survivors() (list []Survivor) {
	seen := t.look()
	for n := 0; n < mostLooks && len(seen.living) == 0 && seen.died; n++ {
		time.Sleep(pollInterval)
		seen = t.look()
	}
	for _, p := range seen.living {
		list = append(list, p.survivor())
	}
	switch {
	case seen.err != nil:
		list = append(list, Survivor{PID: t.groups[0].PID, Why: "the process table cannot be read, so nobody knows"})
	case len(list) == 0 && seen.died:
		list = append(list, Survivor{PID: t.groups[0].PID, Why: "it starts itself anew all the time"})
	}
	return list
}

// signal sends a signal to all that live, and notes it. What was stopped is woken, or
// it would not see SIGTERM. SIGKILL goes to the groups of processes besides.
func (t target) signal(s syscall.Signal, sent map[int][]string) {
	seen := t.look()
	for _, p := range seen.living {
		if p.send(s) && p.group < len(t.groups) {
			sent[p.group] = append(sent[p.group], name(s))
		}
		if s == syscall.SIGTERM {
			p.send(syscall.SIGCONT)
		}
	}
	if s != syscall.SIGKILL {
		return
	}
	for i := range seen.joined {
		killGroup(t.groups[i].PID)
		sent[i] = append(sent[i], name(s))
	}
}

// sight is what a look at the process table shows of a target.
type sight struct {
	living   []process
	joined   map[int]bool // indexes of groups whose process group was seen, and has not this process in it
	died     bool         // one of it was dead and is buried now: it may have had a child just before
	vanished bool         // somebody was gone before he was read
	err      error        // nobody knows
}

// over says that nothing lives, for sure: a child of whoever died or vanished during the
// look may not have been seen.
func (s sight) over() bool { return len(s.living) == 0 && !s.died && !s.vanished && s.err == nil }

// look finds the processes of the target that are alive, and buries adopted ones that
// are dead.
func (t target) look() (seen sight) {
	all, vanished, err := snapshot()
	if err != nil {
		return sight{err: err}
	}
	seen = sight{joined: map[int]bool{}, vanished: vanished > 0}
	strays := adopted(all)
	spared := target{groups: kept.all()}
	for _, p := range all {
		group := t.groupOf(p, all)
		if group < 0 && !(t.all && strays[p.pid] && spared.groupOf(p, all) < 0) || p.pid == self {
			continue
		}
		if group >= 0 && p.pgrp > 1 && p.pgrp == t.groups[group].PID && p.pgrp != all[self].pgrp {
			seen.joined[group] = true
		}
		if p.dead() {
			seen.died = bury(p) || seen.died
			continue
		}
		if p.group = group; group < 0 {
			p.group = len(t.groups)
		} else {
			t.groups[group].note(p)
		}
		seen.living = append(seen.living, p)
	}
	for _, g := range t.groups {
		g.forget(all)
	}
	return seen
}

// groupOf is the index of the group that a process is of, -1 for none: it is the
// program, in its session or group, has its marker, or descends from one of these.
func (t target) groupOf(p process, all map[int]process) int {
	for i, g := range t.groups {
		for each, depth := p, 0; depth < len(all); depth++ {
			if g.owns(each) {
				return i
			}
			parent, ok := all[each.parent]
			if !ok || parent.pid == self {
				break
			}
			each = parent
		}
	}
	return -1
}

// owns says whether a process shows a mark of the group. A number counts only from the
// time on when the group began.
func (g *Group) owns(p process) bool {
	if p.begun < g.begun {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	numbered := g.PID > 0 && (p.pid == g.PID || p.session == g.PID || p.pgrp == g.PID)
	return numbered || g.known[key{p.pid, p.begun}] || g.led[p.session] || p.marked(g.ID)
}

// note remembers a process as one of the group.
func (g *Group) note(p process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[key{p.pid, p.begun}] = true
	if p.session == p.pid {
		g.led[p.pid] = true
	}
}

// forget drops what is no more: sessions that nobody is in, and processes. Their numbers
// are used again.
func (g *Group) forget(all map[int]process) {
	there := map[int]bool{}
	for _, p := range all {
		there[p.session] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.led, func(session int, _ bool) bool { return !there[session] })
	maps.DeleteFunc(g.known, func(k key, _ bool) bool { p, ok := all[k.pid]; return !ok || p.begun != k.begun })
}
