package processes

import (
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	"governance.internal/functions/toolserver/work/statefile"
)

// notes are the state of a group for a server that starts after a crash: the processes that
// were seen, and the sessions that they began. They are valid for one boot of the system.
type notes struct {
	Boot      string      `json:"boot"`
	Processes []notedLife `json:"processes"`
	Sessions  []int       `json:"sessions"`
}

// notedLife identifies a process by its ID and its start time in ticks since boot.
type notedLife struct {
	PID   int    `json:"pid"`
	Begun uint64 `json:"begun"`
}

// writeNotes writes the notes if they changed since the last write.
func (g *Group) writeNotes() {
	text, needed := g.takeNotes()
	if !needed {
		return
	}
	if err := statefile.Note(g.notes, text); err != nil {
		slog.Warn("processes: what was seen is not written down, so a server after this one may not find it",
			"file", filepath.Base(g.notes),
			"error", err.Error())
	}
}

// takeNotes returns the text of the notes, and false if they are written already.
func (g *Group) takeNotes() ([]byte, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if g.notes == "" || !g.unnoted {
		return nil, false
	}
	g.unnoted = false

	n := notes{Boot: bootID()}
	for each := range g.known {
		n.Processes = append(n.Processes, notedLife{PID: each.pid, Begun: each.begun})
	}

	for session := range maps.Keys(g.led) {
		n.Sessions = append(n.Sessions, session)
	}

	text, err := json.Marshal(n)
	return text, err == nil
}

// dropNotes removes the notes of a group of which nothing lives.
func (g *Group) dropNotes() {
	if g.notes != "" {
		_ = os.Remove(g.notes) // what is noted there is dead, and a reader sees that
	}
}

// NoteStrays writes the adopted orphans without a known group to a file, so that a server
// that starts after a crash can identify them.
func (g *Group) NoteStrays() {
	t := target{groups: append([]*Group{g}, live.all()...), all: true}
	for _, p := range t.look().living {
		if p.group == len(t.groups) {
			g.note(p)
		}
	}

	g.writeNotes()
}

// readNotes reads what an earlier server saw. A session counts only while a process that
// was seen is in it, because its ID may have been reused.
func (g *Group) readNotes() {
	if g.notes == "" {
		return
	}
	text, err := statefile.Read(g.notes)
	if err != nil {
		return // nothing was seen but the program itself
	}

	var n notes
	if json.Unmarshal(text, &n) != nil || n.Boot != bootID() {
		return
	}

	inhabited := map[int]bool{}
	for _, each := range n.Processes {
		p, err := read(each.PID)
		if err != nil || p.begun != each.Begun {
			continue
		}
		g.known[key{pid: each.PID, begun: each.Begun}] = true
		inhabited[p.session] = true
	}

	for _, session := range n.Sessions {
		if inhabited[session] {
			g.led[session] = true
		}
	}
}
