// Package processes starts programs for agents and ends them with everything that they
// started.
//
// # What makes it hard
//
// A program may ignore SIGTERM, and its children may have left its process group, closed
// their output and gone to the background: killing the program leaves them running. Three
// marks find them:
//
//   - the process group and session that the program begins with;
//   - a marker in the environment, which descendants inherit;
//   - descent: this process adopts the orphans of its descendants
//     (PR_SET_CHILD_SUBREAPER), so that nothing which began below it leaves its tree.
//
// If the system lets this process make a control group (cgroup v2), a program starts in one
// of its own. That is a fourth mark, and the kernel freezes and kills the group at once.
//
// A process is identified by its ID and its start time, because IDs are reused. The
// processes that were seen are written to a file, so that a server that starts after a
// crash finds them. A process that cannot be ended is reported as a survivor.
package processes

import (
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Marker is the environment variable that marks the descendants of a program.
const Marker = "GOV_DISPATCH_ID"

// Command is a program to start: argv, no shell.
type Command struct {
	ID     string   // goes into the environment as [Marker]
	Argv   []string // the program and its arguments
	Dir    string
	Env    []string // name=value; nothing is inherited
	Input  []byte   // on its standard input
	Output *os.File // takes both its outputs; it stays open
	Notes  string   // file for the processes that are seen, "" for none

	// Attach adds to how the process starts, such as namespaces; nil for nothing. It is called
	// for each try.
	Attach func(*exec.Cmd)

	withoutControlGroup bool // as on a machine that has none
}

// Group is a program and its descendants.
type Group struct {
	ID  string
	PID int

	begun   uint64 // start time in ticks since boot
	control controlGroup
	notes   string
	done    chan struct{}
	exit    Exit

	mu      sync.Mutex
	known   map[key]bool // processes that showed a mark once
	led     map[int]bool // sessions that such a process began: all in them descend from it
	unnoted bool         // a process became known that the notes do not have
}

// key identifies a process: its ID and start time.
type key struct {
	pid   int
	begun uint64
}

// watchInterval is how often the descendants of a program are recorded, so that they are
// known after they lose every mark.
const watchInterval = 250 * time.Millisecond

// Exit is how a program ended.
type Exit struct {
	Code   int    // -1 if a signal ended it
	Signal string // its name, "" if it ended by itself
}

// Start starts a program in a session of its own. Its input is complete before it starts,
// so the program can outlive this process.
func Start(c Command) (*Group, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("processes: nothing to start")
	}
	if err := adopt(); err != nil {
		return nil, err
	}

	input, err := fileOf(c.Input)
	if err != nil {
		return nil, err
	}
	defer input.Close() // the program has its own

	g := newGroup(Trace{ID: c.ID, Notes: c.Notes})
	if !c.withoutControlGroup {
		g.control = newControlGroup(c.ID)
	}

	cmd := c.prepared(input)
	err = g.start(cmd, c.Attach)
	if err != nil && g.control.exists() { // the system may refuse to start a program there
		g.control.remove()
		g.control = controlGroup{}
		cmd = c.prepared(input)
		err = g.start(cmd, c.Attach)
	}

	if err != nil {
		return nil, err
	}

	live.add(g)
	go g.wait(cmd)
	go g.watch()
	return g, nil
}

// prepared is the command for package exec.
func (c Command) prepared(input *os.File) *exec.Cmd {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], Marker+"="+c.ID)
	cmd.Stdin = input
	cmd.Stdout = c.Output
	cmd.Stderr = c.Output
	return cmd
}

// fileOf returns an unnamed file with the bytes, at its beginning. A key in it is readable
// only through the open file.
func fileOf(input []byte) (*os.File, error) {
	f, err := nameless()
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(input); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// watch records the descendants of the program while it runs.
func (g *Group) watch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()

	for {
		target{groups: []*Group{g}}.look()
		g.writeNotes()
		select {
		case <-g.done:
			return
		case <-ticker.C:
		}
	}
}

// Identity identifies the program for another process that continues to watch it.
type Identity struct {
	PID   int    `json:"pid"`
	Begun uint64 `json:"begun"` // start time in ticks since boot
	Boot  string `json:"boot"`  // id of that boot
}

// Trace is what identifies a group that another process started.
type Trace struct {
	ID       string // value of its [Marker]
	Identity Identity
	Notes    string // file of [Command.Notes]
}

// Expected is the identity of a program that is about to be started: until its number is
// known it is found by its marker alone.
func Expected() Identity { return Identity{Boot: bootID()} }

// Own is the identity of this process.
func Own() Identity {
	p, err := read(self)
	if err != nil {
		return Identity{} // nobody takes it for another's
	}
	return Identity{self, p.begun, bootID()}
}

// Identity of the group's program.
func (g *Group) Identity() Identity {
	return Identity{
		PID:   g.PID,
		Begun: g.begun,
		Boot:  bootID(),
	}
}

// Alive reports whether any process of a group is or may be alive: the process table cannot
// always be read.
func Alive(t Trace) bool {
	return t.Identity.Boot == bootID() && Known(t).alive()
}

// Resume takes over a group that an earlier process started, if anything of it is alive.
// Its exit status will be unknown.
func Resume(t Trace) (*Group, bool) {
	if !Alive(t) {
		return nil, false
	}
	g := Known(t)
	live.add(g)
	go g.follow()
	return g, true
}

// Known returns the group of an existing process that this server did not start. Its end is
// not watched, so it is only for [Stop].
func Known(t Trace) *Group {
	g := newGroup(t)
	g.control = findControlGroup(t.ID)
	g.readNotes()
	return g
}

func newGroup(t Trace) *Group {
	return &Group{
		ID:    t.ID,
		PID:   t.Identity.PID,
		begun: t.Identity.Begun,
		notes: t.Notes,
		done:  make(chan struct{}),
		exit:  Exit{Code: -1},
		known: map[key]bool{},
		led:   map[int]bool{},
	}
}

// alive is also true while the state is unknown.
func (g *Group) alive() bool {
	seen := target{groups: []*Group{g}}.look()
	return len(seen.living) > 0 || seen.err != nil
}

// follow closes done when nothing of the group is left.
func (g *Group) follow() {
	for g.alive() {
		g.writeNotes()
		time.Sleep(watchInterval)
	}
	close(g.done)
}

// start records the process before it can end and its ID can be reused.
func (g *Group) start(cmd *exec.Cmd, attach func(*exec.Cmd)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	into, err := g.control.open()
	if err != nil {
		return err
	}
	defer into.Close()

	cmd.SysProcAttr = ownSession(into)
	if attach != nil {
		attach(cmd)
	}
	if err := cmd.Start(); err != nil {
		return err
	}

	g.PID = cmd.Process.Pid
	if p, err := read(g.PID); err == nil {
		g.begun = p.begun
	}

	managed.add(g.PID)
	return nil
}

func (g *Group) wait(cmd *exec.Cmd) {
	_ = cmd.Wait() // the state of the process says more
	managed.remove(g.PID)
	g.exit = Exit{
		Code:   cmd.ProcessState.ExitCode(),
		Signal: signalOf(cmd.ProcessState),
	}
	close(g.done)
}

// Keep excludes the group from [StopAll] until Drop, because its owner ends it.
func (g *Group) Keep() { kept.add(g) }

// Drop is the end of Keep.
func (g *Group) Drop() { kept.remove(g) }

// Done is closed when the program has ended; what it started may live on.
func (g *Group) Done() <-chan struct{} { return g.done }

// Exit is how the program ended, after Done.
func (g *Group) Exit() Exit { return g.exit }

// register is a set that many use at once.
type register[T comparable] struct {
	mu      sync.Mutex
	members map[T]bool
}

var (
	managed = register[int]{members: map[int]bool{}}       // children that package exec waits for; the others are ours to bury
	kept    = register[*Group]{members: map[*Group]bool{}} // groups that StopAll leaves alone
	live    = register[*Group]{members: map[*Group]bool{}} // groups of which something may be alive
)

func (r *register[T]) add(member T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[member] = true
}

func (r *register[T]) remove(member T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, member)
}

func (r *register[T]) has(member T) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members[member]
}

func (r *register[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.members))
}
