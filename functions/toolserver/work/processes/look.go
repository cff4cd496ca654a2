package processes

import (
	"maps"
	"sync"
)

// target is what is to end: groups, and with all every adopted orphan.
type target struct {
	groups []*Group
	all    bool
}

// sight is what a look at the process table shows of a target.
type sight struct {
	living   []process
	joined   map[int]bool // process groups in which one of it is, or was until now
	shared   map[int]bool // process groups in which somebody else is, too
	died     bool         // one of it was dead and is buried now: it may have had a child just before
	vanished bool         // a process was gone before anybody could tell whose it is
	others   map[key]bool // processes that are not of the target
	err      error        // the state is unknown
}

// over says that nothing lives, for sure: a child of a process that died or vanished during the
// look may not have been seen.
func (s sight) over() bool {
	return len(s.living) == 0 &&
		!s.died &&
		!s.vanished &&
		s.err == nil
}

// looking keeps two looks apart: what one buries would vanish for the other.
var looking sync.Mutex

// look finds the processes of the target that are alive, and buries adopted ones that
// are dead.
func (t target) look() sight {
	return t.sweep(nil, func(process) {})
}

// sweep is look, and does something to each process of the target as soon as it is read:
// what lives for a millisecond only is not there any more when the whole table is known.
// Processes that were read before and are not of the target may vanish: others are their
// numbers.
func (t target) sweep(others map[int]bool, act func(process)) sight {
	looking.Lock()
	defer looking.Unlock()

	v := newView(t)
	seen := sight{
		joined: map[int]bool{},
		shared: map[int]bool{},
		others: map[key]bool{},
	}

	acted := map[int]bool{}
	vanished, err := eachProcess(func(p process) {
		v.table[p.pid] = p
		p.group = v.ownGroup(p)
		if p.group < 0 && v.stray(p) {
			p.group = len(t.groups)
		}
		if p.group >= 0 && !p.dead() && p.pid != self {
			act(p)
			acted[p.pid] = true
		}
	})
	if err != nil {
		return sight{err: err}
	}

	for _, pid := range vanished {
		seen.vanished = seen.vanished || !others[pid]
	}

	for _, p := range v.vanished {
		seen.vanished = seen.vanished || !others[p.pid] && !v.childOfAnother(p)
	}

	strays := t.strays(v)
	for _, p := range v.table {
		group := v.groupOf(p)
		if group < 0 && strays[p.pid] {
			group = len(t.groups)
		}

		switch {
		case p.pid == self:
		case p.dead():
			seen.died = bury(p) && (group >= 0 || v.orphan(p)) || seen.died
			seen.joined[p.pgrp] = seen.joined[p.pgrp] || group >= 0
		case group < 0:
			seen.shared[p.pgrp] = true
			seen.others[key{p.pid, p.begun}] = true
		default:
			p.group = group
			if group < len(t.groups) {
				t.groups[group].note(p)
			}
			if !acted[p.pid] {
				act(p)
			}
			seen.living = append(seen.living, p)
			seen.joined[p.pgrp] = true
		}
	}

	seen.shared[v.table[self].pgrp] = true
	for _, g := range t.groups {
		g.forget(v.table)
	}

	return seen
}

// wholeGroups are the process groups that are the target's alone.
func (s sight) wholeGroups() (ids []int) {
	for id, joined := range s.joined {
		if joined && id > 1 && !s.shared[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// strays are the adopted processes that go with all, except those of kept groups.
func (t target) strays(v *view) map[int]bool {
	if !t.all {
		return nil
	}
	strays := adopted(v.table)
	maps.DeleteFunc(strays, func(pid int, _ bool) bool {
		return v.spared.groupOf(v.table[pid]) >= 0
	})

	return strays
}

// view is the process table as one look reads it. What it costs to know is read once.
type view struct {
	target
	table    map[int]process
	numbers  []bool         // by group: the number of its program was not given to another one
	inside   []map[int]bool // by group: who is in its control group
	marks    map[int]string // by process: the value of the marker
	vanished []process      // that were gone before their marker was read
	groupsOf map[int]int    // by process, -1 for none
	spared   *view          // of kept groups, with all
}

func newView(t target) *view {
	v := &view{
		target: t,
		table:  map[int]process{},
		marks:  map[int]string{},
	}

	if own, err := read(self); err == nil {
		v.table[self] = own
	}

	v.prepare()
	if t.all {
		v.spared = v.as(target{groups: kept.all()})
	}
	return v
}

// as is the same table for another target.
func (v *view) as(t target) *view {
	other := &view{
		target: t,
		table:  v.table,
		marks:  v.marks,
	}
	other.prepare()
	return other
}

// prepare reads what is known of the groups themselves.
func (v *view) prepare() {
	v.groupsOf = map[int]int{}
	for _, g := range v.groups {
		leader, err := read(g.PID)
		v.numbers = append(v.numbers, g.PID > 0 && (err != nil || leader.begun == g.begun))
		v.inside = append(v.inside, g.control.pids())
	}
}

// groupOf is the index of the group that a process is of, -1 for none: it shows a mark
// of the group, or descends from a process that does.
func (v *view) groupOf(p process) int {
	if group, known := v.groupsOf[p.pid]; known {
		return group
	}
	group := v.ownGroup(p)
	v.groupsOf[p.pid] = group // before its parents are asked: a table that changes may hold a circle
	if parent, there := v.table[p.parent]; group < 0 &&
		there &&
		parent.pid != self {
		group = v.groupOf(parent)
		v.groupsOf[p.pid] = group
	}
	return group
}

// ownGroup is groupOf by the marks of the process itself.
func (v *view) ownGroup(p process) int {
	for i, g := range v.groups {
		if p.begun >= g.begun &&
			(v.inside[i][p.pid] || g.owns(p, v.numbers[i]) || g.ID != "" && v.mark(p) == g.ID) {
			return i
		}
	}
	return -1
}

// mark is the value of the marker in the environment that the process began with, "" for
// none. One of another user cannot be read.
func (v *view) mark(p process) string {
	value, read := v.marks[p.pid]
	if read || p.dead() {
		return value
	}
	value, gone := p.mark()
	v.marks[p.pid] = value
	if gone {
		v.vanished = append(v.vanished, p)
	}
	return value
}

// stray says whether a process is an adopted one that goes with all. Those below it are not
// known before the whole table is.
func (v *view) stray(p process) bool {
	return v.all &&
		p.parent == self &&
		p.session != v.table[self].session &&
		v.spared.ownGroup(p) < 0
}

// orphan says whether a dead process is one that this process adopted and of which no group
// is known. It may have been of any.
func (v *view) orphan(p process) bool {
	if p.parent != self || p.session == v.table[self].session {
		return false
	}
	return v.as(target{groups: live.all()}).ownGroup(p) < 0
}

// childOfAnother says whether a process, of which no more is known than its line in the
// table, is not of the target: it is in the session of its parent, who is not. An orphan is
// in a session of its own, or of who left it.
func (v *view) childOfAnother(p process) bool {
	parent, there := v.table[p.parent]
	return there &&
		parent.session == p.session &&
		v.groupOf(parent) < 0 &&
		v.ownGroup(p) < 0
}

// owns says whether a process has a number of the group: that of its program, of its
// session or process group, or one that was seen in it. Numbers of the program count only
// if it still has its own.
func (g *Group) owns(p process, numbered bool) bool {
	if numbered && (p.pid == g.PID || p.session == g.PID || p.pgrp == g.PID) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[key{p.pid, p.begun}] || g.led[p.session]
}

// note remembers a process as one of the group.
func (g *Group) note(p process) {
	g.mu.Lock()
	defer g.mu.Unlock()

	each := key{p.pid, p.begun}
	if g.known[each] {
		return
	}
	g.known[each] = true
	g.unnoted = true
	if p.session == p.pid {
		g.led[p.pid] = true
	}
}

// forget drops what is no more: empty sessions, and ended processes. Their numbers
// are used again.
func (g *Group) forget(all map[int]process) {
	inhabited := map[int]bool{}
	for _, p := range all {
		inhabited[p.session] = true
	}

	g.mu.Lock()
	defer g.mu.Unlock()

	maps.DeleteFunc(g.led, func(session int, _ bool) bool {
		return !inhabited[session]
	})
	maps.DeleteFunc(g.known, func(each key, _ bool) bool {
		p, there := all[each.pid]
		return !there || p.begun != each.begun
	})
}
