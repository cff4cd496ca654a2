package managed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/config"
)

const (
	window     = time.Hour // in which restarts are counted
	usualMost  = 5         // restarts in it that are no crash loop
	usualFirst = time.Second
	longest    = time.Minute // between two restarts
	mostLog    = 10 << 20    // bytes; then the log is truncated
)

// Rules are what a supervisor takes from outside.
type Rules struct {
	Dir    string      // working directory of what it starts
	Halted func() bool // asks everybody who may have halted
	Raised func() bool // looks at this server's own flag, at once
	Lookup func(name string) (string, bool)
	Now    func() time.Time
	Random func() string // makes unique ids
	First  time.Duration // pause before the first restart, which doubles; 0 for a second

	mostLog int64 // bytes of a log; 0 for 10 MiB
}

// Supervisor starts processes and starts them again when they end. Nothing starts under
// a halt. It is safe for concurrent use.
type Supervisor struct {
	dir   string
	rules Rules

	mu       sync.Mutex
	children map[string]*child // by name
	unlock   func()            // nil while another server supervises
}

// child is a process that is wanted.
type child struct {
	process  Process
	group    *processes.Group // nil while it does not run
	restarts []time.Time      // in the window
	next     time.Time        // not to be started before
	why      string           // it ended
	ending   bool             // we end it
}

// OpenSupervisor takes over the processes that an earlier server left running. Of several
// servers on one directory one supervises while it lives; the others see its processes and
// can stop them.
func OpenSupervisor(dir string, r Rules) (*Supervisor, error) {
	s := &Supervisor{
		dir:      filepath.Join(dir, "managed"),
		rules:    r,
		children: map[string]*child{},
	}
	if s.rules.First == 0 {
		s.rules.First = usualFirst
	}

	s.rules.mostLog = cmp.Or(s.rules.mostLog, mostLog)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	return s, s.take()
}

// Look starts missing processes, at most one at a time, and ends those that are no longer
// wanted. It is called repeatedly.
func (s *Supervisor) Look(ctx context.Context, list []Process) {
	s.mu.Lock()
	mine := s.refresh()
	s.mu.Unlock()
	if !mine {
		return
	}

	list = slices.DeleteFunc(slices.Clone(list), func(p Process) bool {
		return p.Provider != "supervised"
	})
	s.trim()

	if gone := s.want(list); len(gone) > 0 {
		s.end(ctx, gone)
		s.want(list) // forgets those that ended
	}

	name := s.due()
	if name == "" || s.rules.Halted() {
		return
	}
	if err := s.start(name); err != nil {
		slog.WarnContext(ctx, "managed process not started", "process", name, "error", err.Error())
	}
}

// want notes the processes that should run, and gives those that should not any more.
func (s *Supervisor) want(list []Process) (gone []Process) {
	s.mu.Lock()
	defer s.mu.Unlock()

	wanted := map[string]bool{}
	for _, p := range list {
		wanted[p.Name] = true
		if c := s.children[p.Name]; c != nil {
			c.process = p
			continue
		}
		s.children[p.Name] = &child{process: p}
	}

	for name, c := range s.children {
		switch {
		case wanted[name]:
		case c.group == nil:
			delete(s.children, name)
		default:
			gone = append(gone, c.process)
		}
	}

	return gone
}

// due is the name of a process that should be started now, "" for none.
func (s *Supervisor) due() string {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, name := range slices.Sorted(maps.Keys(s.children)) {
		c := s.children[name]
		if c.group == nil &&
			!c.ending &&
			!s.loops(c) &&
			!s.rules.Now().Before(c.next) {
			return name
		}
	}
	return ""
}

// loops reports whether a process ended too often to be restarted.
func (s *Supervisor) loops(c *child) bool {
	since := s.rules.Now().Add(-window)
	c.restarts = slices.DeleteFunc(c.restarts, func(at time.Time) bool {
		return at.Before(since)
	})
	return len(c.restarts) >= mostRestarts(c.process)
}

// mostRestarts is the number of restarts within the window from which on a process is in a
// crash loop.
func mostRestarts(p Process) int {
	return cmp.Or(p.MaxRestarts1, usualMost)
}

// start starts a process. The flag of a halt is raised before anything is ended under it,
// so what slipped in before is ended, and nothing comes after.
func (s *Supervisor) start(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	c := s.children[name]
	if c == nil || c.group != nil || s.rules.Raised() {
		return nil
	}

	group, err := s.launch(c.process)
	if err != nil {
		c.failed(s.rules, err.Error())
		return err
	}

	c.group, c.why = group, ""
	go s.follow(c, group)
	return nil
}

// launch starts the program and writes down who it is.
func (s *Supervisor) launch(p Process) (*processes.Group, error) {
	if len(p.Command) == 0 {
		return nil, errors.New("the workspace file names no command for it")
	}
	program, err := exec.LookPath(p.Command[0])
	if err != nil {
		return nil, errors.New("the program " + filepath.Base(p.Command[0]) + " is not there")
	}

	folder := s.folder(p.Name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}

	log, err := s.log(folder)
	if err != nil {
		return nil, err
	}
	defer log.Close()

	var environment []string
	for _, name := range p.Env {
		if slices.Contains(config.Secrets, name) {
			return nil, errors.New("its env names " + name + ", a secret of this server that no process gets: take it out")
		}
		if value, ok := s.rules.Lookup(name); ok {
			environment = append(environment, name+"="+value)
		}
	}

	r := record{
		Name:    p.Name,
		ID:      "managed-" + s.rules.Random(),
		Process: processes.Expected(),
	}
	if err := writeRecord(folder, r); err != nil { // first, so that it is known after a crash
		return nil, err
	}

	group, err := processes.Start(processes.Command{
		ID:     r.ID,
		Argv:   append([]string{program}, p.Command[1:]...),
		Dir:    s.rules.Dir,
		Env:    environment,
		Output: log,
		Notes:  s.notes(p.Name),
	})
	if err != nil {
		return nil, errors.New("it does not start")
	}

	group.Keep()
	r.Process = group.Identity()
	if err := writeRecord(folder, r); err != nil {
		processes.StopNow(group)
		group.Drop()
		return nil, err
	}

	return group, nil
}

// folder is the folder of a process's log. A name may contain any character.
func (s *Supervisor) folder(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:8]))
}

// log opens the log without blocking, even if a pipe is in its place.
func (s *Supervisor) log(folder string) (*os.File, error) {
	return os.OpenFile(
		filepath.Join(folder, "log"),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK,
		0o600,
	)
}

// trim truncates logs that are too long; their writers append.
func (s *Supervisor) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()

	for name := range s.children {
		path := filepath.Join(s.folder(name), "log")
		if info, err := os.Stat(path); err == nil && info.Size() > s.rules.mostLog {
			if err := os.Truncate(path, 0); err != nil {
				slog.Error("the log of a managed process grows and grows",
					"process", strings.ToValidUTF8(name, "?"),
					"error", err.Error())
			}
		}
	}
}

// follow waits for the end of a process and ends its descendants before it may be
// restarted.
func (s *Supervisor) follow(c *child, group *processes.Group) {
	<-group.Done()
	left := processes.Stop(context.Background(), group)[0]
	s.mu.Lock()
	defer s.mu.Unlock()

	if c.group != group {
		return
	}
	if !left.Ended { // it still runs, whatever its program did
		c.why = "something of it does not end"
		return
	}

	group.Drop()
	c.group = nil
	if exit := group.Exit(); !c.ending {
		why := fmt.Sprintf("it ended with exit code %d", exit.Code)
		switch {
		case exit.Signal != "":
			why = "it ended by " + exit.Signal
		case exit.Code < 0:
			why = "it ended; an earlier server had started it"
		}

		c.failed(s.rules, why)
	}

	c.ending = false
}

// failed notes an unwanted end, and how long to wait after it.
func (c *child) failed(r Rules, why string) {
	now := r.Now()
	c.restarts, c.why = append(c.restarts, now), why
	c.next = now.Add(min(r.First<<min(len(c.restarts)-1, 20), longest))
}

// States implements [Provider].
func (s *Supervisor) States(_ context.Context, list []Process) (states []Status) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.refresh()
	for _, p := range list {
		st := StatusOf(p, Stopped)
		c := s.children[p.Name]
		switch {
		case c == nil:
		case c.group != nil:
			st.of(c.group.Identity())
			if st.State == Stopped { // its program ended, and something that it started did not yet
				st.State = Running
			}
		case s.loops(c):
			st.State = CrashLoop
		case len(c.restarts) > 0:
			st.State = BackingOff
		}

		if c != nil {
			st.Restarts, st.Why = len(c.restarts), c.why
		}

		states = append(states, st)
	}

	return states
}

// beside are the processes that run and are not in a list.
func (s *Supervisor) beside(list []Process) (others []Process) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.refresh()
	for name, c := range s.children {
		if c.group != nil &&
			!slices.ContainsFunc(list, func(p Process) bool {
				return p.Provider == "supervised" &&
					p.Name == name
			}) {
			others = append(others, c.process)
		}
	}
	return others
}

// Stop implements [Provider]. A process that waits for its restart is stopped already.
func (s *Supervisor) Stop(ctx context.Context, list []Process) []Outcome {
	return s.end(ctx, list)
}

func (s *Supervisor) end(ctx context.Context, list []Process) (outcomes []Outcome) {
	var groups []*processes.Group
	var owners []int
	s.mu.Lock()
	s.refresh()

	for i, p := range list {
		outcomes = append(outcomes, Done(p))
		if c := s.children[p.Name]; c != nil {
			c.restarts, c.next = nil, time.Time{} // a person looks at it now
			if c.group != nil {
				c.ending = true
				groups, owners = append(groups, c.group), append(owners, i)
			}
		}
	}

	s.mu.Unlock()
	for i, ended := range processes.Stop(ctx, groups...) {
		outcomes[owners[i]].take(ended)
		if ended.Ended {
			s.ended(list[owners[i]].Name, groups[i])
		}
	}

	return outcomes
}

// ended forgets a group of which nothing lives.
func (s *Supervisor) ended(name string, group *processes.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.children[name]; c != nil && c.group == group {
		group.Drop()
		c.group, c.ending = nil, false
	}
}

// Start implements [Provider]: without a halt [Supervisor.Look] does so by itself.
func (s *Supervisor) Start(context.Context, Process, string) (string, error) {
	return "it is started again by itself", nil
}

// Close ends all processes of this server. Those of another server keep running.
func (s *Supervisor) Close() {
	s.mu.Lock()
	if s.unlock == nil {
		s.mu.Unlock()
		return
	}

	var all []Process
	for _, c := range s.children {
		all = append(all, c.process)
	}

	s.mu.Unlock()
	for _, o := range s.end(context.Background(), all) {
		if !o.OK {
			slog.Error("a managed process lives on", "process", strings.ToValidUTF8(o.Name, "?"))
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	s.unlock()
	s.unlock = nil
}
