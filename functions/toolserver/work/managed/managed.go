// Package managed manages the processes that the workspace file names: it reports their
// state, stops them for the kill switch and restores what a halt stopped.
//
// A provider runs a process: this server itself (supervised), another program, found in the
// process table (procfs), systemd, pm2, docker, or AWS (ecs, lambda; in packages of their
// own, which import the SDK). A provider that cannot be reached is reported as unavailable
// with the reason. It is never reported as healthy, nor its processes as stopped.
package managed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/work/processes"
)

// Process is one of the workspace file.
type Process = workspace.Process

// States of a process.
const (
	Running     = "running"
	Suspended   = "suspended" // it is there and does not run: SIGSTOP
	BackingOff  = "backing_off"
	CrashLoop   = "crash_loop"
	Stopped     = "stopped"
	Unavailable = "unavailable" // its state cannot be read
)

// Status is how a process is.
type Status struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	State    string `json:"state"`
	PID      int    `json:"pid"`      // 0 for none on this machine
	Restarts int    `json:"restarts"` // in the last hour, or as its provider counts
	UptimeS  int64  `json:"uptime_s"`
	MemoryMB int    `json:"rss_mb"`
	Why      string `json:"why,omitempty"`
	Critical bool   `json:"critical,omitempty"`
}

// Outcome is the result of stopping a process.
type Outcome struct {
	Name      string               `json:"name"`
	Provider  string               `json:"provider"`
	OK        bool                 `json:"ok"` // nothing of it runs
	Did       []string             `json:"did"`
	Error     string               `json:"error,omitempty"`
	Survivors []processes.Survivor `json:"-"`
}

// fail says that the process may live on.
func (o Outcome) fail(why string) Outcome {
	o.OK, o.Error = false, why
	if len(o.Survivors) == 0 {
		o.Survivors = []processes.Survivor{{Name: o.Name, Why: why}}
	}
	return o
}

// Fail is the outcome of a process that may still run.
func Fail(p Process, did []string, why string) Outcome {
	return Outcome{
		Name:     p.Name,
		Provider: p.Provider,
		Did:      append([]string{}, did...),
	}.fail(why)
}

// Done is the outcome of a process of which nothing runs.
func Done(p Process, did ...string) Outcome {
	return Outcome{
		Name:     p.Name,
		Provider: p.Provider,
		OK:       true,
		Did:      append([]string{}, did...),
	}
}

// Provider runs processes. Its methods return a result for every process of a list, in its
// order, and end soon after ctx. Their own time is bounded as well.
type Provider interface {
	States(ctx context.Context, list []Process) []Status
	// Stop stops processes and verifies that they ended. It first keeps what Start needs.
	Stop(ctx context.Context, list []Process) []Outcome
	// Start brings back what Stop stopped. The error is [ErrNotStartable] if it cannot.
	Start(ctx context.Context, p Process, former string) (did string, err error)
}

// ErrNotStartable means that a process can be started only by what started it the first time.
var ErrNotStartable = errors.New("it was not started from here: start it as before")

// stopBudget is what all providers have together. Signals take a second more.
const stopBudget = 4 * time.Second

// Set is all managed processes. It is safe for concurrent use.
type Set struct {
	Load      func() ([]Process, error) // those of the workspace file as it is now
	Providers map[string]Provider
	Former    *Former     // what was before a halt
	Raised    func() bool // whether a halt is in force here

	mu   sync.Mutex
	last []Process // that Load gave
}

// Processes returns the processes of the workspace file. While the file cannot be read it
// returns the last ones with the error, for the kill switch.
func (s *Set) Processes() ([]Process, error) {
	list, err := s.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return s.last, err
	}
	s.last = list

	return list, nil
}

// Absent is a provider that cannot be reached, and why.
type Absent struct{ Why string }

// States implements [Provider].
func (a Absent) States(_ context.Context, list []Process) []Status {
	return unavailable(list, a.Why)
}

// Stop implements [Provider].
func (a Absent) Stop(_ context.Context, list []Process) (outcomes []Outcome) {
	for _, p := range list {
		outcomes = append(outcomes, Fail(p, nil, a.Why))
	}
	return outcomes
}

// Start implements [Provider].
func (a Absent) Start(context.Context, Process, string) (string, error) {
	return "", errors.New(a.Why)
}

// unavailable are the states of processes whose provider cannot be asked.
func unavailable(list []Process, why string) (states []Status) {
	for _, p := range list {
		states = append(states, Unknown(p, why))
	}
	return states
}

func (s *Set) provider(name string) Provider {
	if p, ok := s.Providers[name]; ok {
		return p
	}
	return Absent{"no provider " + name + " is set up here"}
}

// by calls all providers at once, each with its own processes.
func by[T any](s *Set, list []Process, ask func(Provider, []Process) []T) (all []T) {
	groups := map[string][]Process{}
	var names []string
	for _, p := range list {
		if groups[p.Provider] == nil {
			names = append(names, p.Provider)
		}
		groups[p.Provider] = append(groups[p.Provider], p)
	}

	answers := make([][]T, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { answers[i] = ask(s.provider(name), groups[name]) })
	}

	wait.Wait()
	return slices.Concat(answers...)
}

// statesBudget is what looking takes at most.
const statesBudget = 5 * time.Second

// States returns the states of all processes. The error is that of the workspace file.
func (s *Set) States(ctx context.Context) ([]Status, error) {
	list, err := s.Processes()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, statesBudget)
	defer cancel()
	return by(s, list, func(p Provider, list []Process) []Status {
		return p.States(ctx, list)
	}), nil
}

// Stop stops everything, at all providers at once, and whatever this server itself still
// runs though the workspace file names it no more.
func (s *Set) Stop(ctx context.Context) []Outcome {
	return s.stop(ctx, func(string) bool { return true })
}

// StopHere is [Set.Stop] for the processes on this machine. The server that received the
// request to halt stops the others.
func (s *Set) StopHere(ctx context.Context) []Outcome {
	return s.stop(ctx, func(provider string) bool {
		return !workspace.IsRemote(provider)
	})
}

func (s *Set) stop(ctx context.Context, which func(provider string) bool) []Outcome {
	list, _ := s.Processes() // the last ones, if the file cannot be read
	list = slices.DeleteFunc(slices.Clone(list), func(p Process) bool {
		return !which(p.Provider)
	})
	if own, ok := s.Providers["supervised"].(*Supervisor); ok {
		list = append(list, own.beside(list)...)
	}

	ctx, cancel := context.WithTimeout(ctx, stopBudget)
	defer cancel()

	return by(s, list, func(p Provider, list []Process) []Outcome {
		return p.Stop(ctx, list)
	})
}

// Restored is the result of restoring a process.
type Restored struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	OK       bool   `json:"ok"`
	Did      string `json:"did,omitempty"`
	Error    string `json:"error,omitempty"`
}

// Restore starts the processes that halts stopped, one after another. It forgets those that
// started; the rest can be retried. A halt in the meantime wins.
func (s *Set) Restore(ctx context.Context) []Restored {
	restored := []Restored{}
	list, _ := s.Processes()
	for _, was := range s.Former.All() {
		did, err := s.restore(ctx, list, was)
		r := Restored{
			Name:     was.Name,
			Provider: was.Provider,
			OK:       err == nil,
			Did:      did,
		}

		if err != nil {
			r.Error = err.Error()
		}
		restored = append(restored, r)
	}

	return restored
}

var (
	errHalted = errors.New("everything is halted again")
	errNoName = errors.New("the workspace file does not name it any more")
)

func (s *Set) restore(ctx context.Context, list []Process, was Was) (did string, err error) {
	at := slices.IndexFunc(list, func(p Process) bool {
		return p.Provider == was.Provider &&
			p.Name == was.Name
	})
	switch {
	case at < 0:
		return "", errNoName
	case s.Raised():
		return "", errHalted
	}

	provider := s.provider(was.Provider)
	if did, err = provider.Start(ctx, list[at], was.Value); err != nil {
		return "", err
	}

	if s.Raised() { // the halt may have looked before the start had its effect
		provider.Stop(ctx, list[at:at+1])
		return "", errHalted
	}

	return did, s.Former.Drop(was)
}
