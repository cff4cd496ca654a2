package managed

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/work/processes"
)

// Procfs finds processes in the process table, no matter who started them.
type Procfs struct {
	Dir string // of the workspace: paths in matches begin there
}

// find gives what matches, the oldest first.
func (f Procfs) find(p Process) ([]processes.Found, string) {
	m := p.Match
	if m.Cmd.Regexp == nil && m.Dir == "" && m.PIDFile == "" {
		return nil, "the workspace file does not say how to find it: set match.cmd, match.dir or match.pid_file"
	}

	pid := 0
	dir := f.path(m.Dir)
	if m.PIDFile != "" {
		if pid = readPID(f.path(m.PIDFile)); pid == 0 {
			return nil, ""
		}
	}

	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}

	found, err := processes.Find(func(argv []string, at string) bool {
		return (m.Cmd.Regexp == nil || m.Cmd.MatchString(strings.Join(argv, " "))) &&
			(m.Dir == "" || at == dir)
	})
	if err != nil {
		return nil, "the process table cannot be read"
	}

	if pid != 0 {
		found = slices.DeleteFunc(found, func(f processes.Found) bool {
			return f.Identity.PID != pid
		})
	}

	slices.SortFunc(found, func(a, b processes.Found) int {
		return a.Identity.PID - b.Identity.PID
	})
	return found, ""
}

func (f Procfs) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

// readPID reads a number from a file, 0 if there is none.
func readPID(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()

	text := make([]byte, 32)
	n, _ := file.Read(text)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}

// States implements [Provider]. Several that match are one process to it, the oldest.
func (f Procfs) States(_ context.Context, list []Process) (states []Status) {
	for _, p := range list {
		s := StatusOf(p, Stopped)
		found, why := f.find(p)
		if why != "" {
			s.State, s.Why = Unavailable, why
		}
		if len(found) > 0 {
			s.of(found[0].Identity)
		}

		states = append(states, s)
	}

	return states
}

// of takes in what the process table says.
func (s *Status) of(i processes.Identity) {
	u, ok := processes.Look(i)
	if !ok {
		s.State = Stopped
		return
	}

	s.State, s.PID, s.UptimeS, s.MemoryMB = Running, i.PID, int64(u.Uptime/time.Second), int(u.Memory>>20)
	if u.Stopped {
		s.State = Suspended
	}
}

// Stop implements [Provider]: it runs the stop commands of the workspace file, signals all
// matching processes and their descendants, and then looks again for restarted ones.
func (f Procfs) Stop(ctx context.Context, list []Process) (outcomes []Outcome) {
	var groups []*processes.Group
	var owners []int
	commands := stopCommands(ctx, list, f.Dir)

	for i, p := range list {
		found, why := f.find(p)
		if why != "" {
			outcomes = append(outcomes, Fail(p, nil, why))
			continue
		}

		outcomes = append(outcomes, Done(p))
		for _, each := range found {
			groups, owners = append(groups, knownGroup(p, each)), append(owners, i)
		}
	}

	for i, ended := range processes.Stop(ctx, groups...) {
		outcomes[owners[i]].take(ended)
	}

	said := commands()
	for i, p := range list {
		outcomes[i].Did = append(outcomes[i].Did, said[i]...)
		if outcomes[i].OK {
			f.again(p, &outcomes[i])
		}
	}

	return outcomes
}

// again ends the matching processes that something restarted.
func (f Procfs) again(p Process, o *Outcome) {
	found, _ := f.find(p)
	if len(found) == 0 {
		return
	}

	var groups []*processes.Group
	for _, each := range found {
		groups = append(groups, knownGroup(p, each))
	}

	for _, ended := range processes.StopNow(groups...) {
		o.take(ended)
	}

	if left, _ := f.find(p); len(left) > 0 && o.OK {
		*o = o.fail("something starts it again: name what that is in stop")
	}
}

// knownGroup is what was found of a process, with all that it started.
func knownGroup(p Process, f processes.Found) *processes.Group {
	return processes.Known(processes.Trace{
		ID:       "procfs " + p.Name + " " + strconv.Itoa(f.Identity.PID),
		Identity: f.Identity,
	})
}

// take adds the outcome of a group of the process.
func (o *Outcome) take(ended processes.Outcome) {
	o.Did = append(o.Did, ended.Signals...)
	for _, survivor := range ended.Survivors {
		survivor.Name = o.Name
		o.OK, o.Error = false, "process "+strconv.Itoa(survivor.PID)+": "+survivor.Why
		o.Survivors = append(o.Survivors, survivor)
	}
}

// Start implements [Provider].
func (Procfs) Start(context.Context, Process, string) (string, error) {
	return "", ErrNotStartable
}
