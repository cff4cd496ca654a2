package processes

import (
	"maps"
	"sync"
)

// target is what Stop ends: groups and, with all, every adopted orphan.
type target struct {
	groups []*Group
	all    bool
}

// sight is the state of a target in one look at the process table.
type sight struct {
	living   []process
	joined   map[int]bool // process groups in which one of it is, or was until now
	shared   map[int]bool // process groups that contain other processes, too
	died     bool         // one of it was dead and is buried now: it may have had a child just before
	vanished bool         // a process was gone before anybody could tell whose it is
	others   map[key]bool // processes that are not of the target
	err      error        // the state is unknown
}

// over reports that certainly nothing lives. A child of a process that died or vanished
// during the look may have been missed.
func (s sight) over() bool {
	return len(s.living) == 0 &&
		!s.died &&
		!s.vanished &&
		s.err == nil
}

// looking serializes looks: a process that one reaps would vanish for the other.
var looking sync.Mutex

// look finds the live processes of the target, and reaps dead adopted ones.
func (t target) look() sight {
	return t.sweep(nil, func(process) {})
}

// sweep is look, but calls act for each process of the target as soon as it is read,
// because a process that lives for a millisecond is gone when the whole table is read.
// Processes that were read before and are not of the target may vanish.
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

// wholeGroups returns the process groups that contain only processes of the target.
func (s sight) wholeGroups() (ids []int) {
	for id, joined := range s.joined {
		if joined && id > 1 && !s.shared[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// strays returns the adopted processes that belong to the target with all, except those of
// kept groups.
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

// view is the process table in one look. It caches what is costly to read.
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

// prepare reads the state of the groups themselves.
func (v *view) prepare() {
	v.groupsOf = map[int]int{}
	for _, g := range v.groups {
		leader, err := read(g.PID)
		v.numbers = append(v.numbers, g.PID > 0 && (err != nil || leader.begun == g.begun))
		v.inside = append(v.inside, g.control.pids())
	}
}

// groupOf returns the index of the group of a process, -1 for none: the process has a mark
// of the group, or descends from one that has.
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

// mark returns the marker in the initial environment of the process, "" if it has none or
// belongs to another user.
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

// stray reports whether a process is an adopted one that belongs to the target with all.
// Its descendants are unknown until the whole table is read.
func (v *view) stray(p process) bool {
	return v.all &&
		p.parent == self &&
		p.session != v.table[self].session &&
		v.spared.ownGroup(p) < 0
}

// orphan reports whether a dead process was adopted by this process and has no known group.
// It may have belonged to any.
func (v *view) orphan(p process) bool {
	if p.parent != self || p.session == v.table[self].session {
		return false
	}
	return v.as(target{groups: live.all()}).ownGroup(p) < 0
}

// childOfAnother reports, from its line in the table alone, whether a process is not of the
// target: it is in the session of its parent, which is not. An orphan is in a session of
// its own or of its former parent.
func (v *view) childOfAnother(p process) bool {
	parent, there := v.table[p.parent]
	return there &&
		parent.session == p.session &&
		v.groupOf(parent) < 0 &&
		v.ownGroup(p) < 0
}

// owns reports whether a process has an ID of the group: that of its program, of its
// session or process group, or one that was seen in it. The program's IDs count only if its
// process ID has not been reused.
func (g *Group) owns(p process, numbered bool) bool {
	if numbered && (p.pid == g.PID || p.session == g.PID || p.pgrp == g.PID) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[key{p.pid, p.begun}] || g.led[p.session]
}

// note records a process as a member of the group.
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

// forget drops empty sessions and ended processes, because their IDs are reused.
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
