package drift

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of processes and ports.
const (
	ProcessDown     = "process_not_running"
	ProcessRestarts = "process_restarts"
	ScriptMissing   = "script_missing"
	PortClosed      = "port_not_listening"
	PortUnexpected  = "port_unexpected"
)

// usualRestarts is the number of restarts in an hour from which on it is a crash loop.
const usualRestarts = 5

// processes compares what runs and listens with what should.
func (s *scan) processes(ctx context.Context) (Result, error) {
	var r Result
	c := s.state.Config
	if len(c.Processes.Expected) == 0 && len(c.Ports.Expected) == 0 {
		r.skip(Processes, "no process and no port is expected", enable("processes.expected or ports.expected"))
		return r, nil
	}

	s.scripts(&r)
	running, err := s.states(ctx, &r)
	if err != nil {
		return r, err
	}
	s.ports(&r, running)
	return r, nil
}

// scripts looks for the files that processes begin with.
func (s *scan) scripts(r *Result) {
	for _, p := range s.state.Config.Processes.Expected {
		if p.Script == "" {
			continue
		}
		r.Checked++
		if !s.tree.IsFile(path.Clean(p.Script)) {
			r.found(Drift{
				Type:     ScriptMissing,
				Source:   workspace.FileName,
				Target:   p.Script,
				Field:    p.Name,
				Expected: p.Script,
				Severity: finding.Error,
				Message:  "the script of process " + p.Name + " does not exist",
			})
		}
	}
}

// states asks how the processes are, and returns those that run.
func (s *scan) states(ctx context.Context, r *Result) (map[string]bool, error) {
	running := map[string]bool{}
	if len(s.state.Config.Processes.Expected) == 0 {
		return running, nil
	}
	if s.Processes == nil {
		r.skip("processes.running", "nothing here can look at processes", "Ask the running server.")
		return running, nil
	}

	list, err := s.Processes(ctx)
	if err != nil {
		return running, err
	}
	for _, p := range list {
		if !p.Known {
			r.skip("processes."+p.Name, p.Why, "Set processes.provider to what runs it.")
			continue
		}
		r.Checked++
		running[p.Name] = p.State == Running
		s.judge(r, p)
	}
	return running, nil
}

// judge compares one process with what is expected of it.
func (s *scan) judge(r *Result, p Process) {
	limit := usualRestarts
	i := slices.IndexFunc(s.state.Config.Processes.Expected, func(e workspace.Process) bool { return e.Name == p.Name })
	if i >= 0 && s.state.Config.Processes.Expected[i].MaxRestarts1 > 0 {
		limit = s.state.Config.Processes.Expected[i].MaxRestarts1
	}

	if p.State != Running {
		r.found(Drift{
			Type:     ProcessDown,
			Source:   workspace.FileName,
			Target:   p.Name,
			Field:    "state",
			Expected: Running,
			Found:    p.State,
			Severity: finding.Error,
			Message:  fmt.Sprintf("process %s is %s", p.Name, p.State),
		})
	}
	if p.Restarts >= limit {
		r.found(Drift{
			Type:     ProcessRestarts,
			Source:   workspace.FileName,
			Target:   p.Name,
			Field:    "restarts",
			Expected: "fewer than " + strconv.Itoa(limit),
			Found:    strconv.Itoa(p.Restarts),
			Severity: finding.Warn,
			Message:  fmt.Sprintf("process %s restarted %d times in an hour", p.Name, p.Restarts),
		})
	}
}

// ports compares the declared ports with those that listen. A port of a process that does
// not run is not reported again.
func (s *scan) ports(r *Result, running map[string]bool) {
	expected := s.declaredPorts()
	if len(expected) == 0 {
		return
	}
	if s.Listening == nil {
		r.skip("processes.ports", "nothing here can look at ports", "Ask the running server.")
		return
	}
	open, err := s.Listening()
	if err != nil {
		r.skip("processes.ports", "the ports of this machine cannot be read", "")
		return
	}

	for _, p := range expected {
		r.Checked++
		up, known := running[p.Process]
		if open[p.Port] || known && !up {
			continue
		}
		r.found(Drift{
			Type:     PortClosed,
			Source:   workspace.FileName,
			Target:   p.Process,
			Field:    "port",
			Expected: strconv.Itoa(p.Port),
			Severity: finding.Error,
			Message:  fmt.Sprintf("nothing listens at port %d", p.Port),
		})
	}
	s.unexpectedPorts(r, expected, open)
}

// unexpectedPorts reports what listens inside of ports.range and is not declared.
func (s *scan) unexpectedPorts(r *Result, expected []workspace.Port, open map[int]bool) {
	bounds := s.state.Config.Ports.Range
	if len(bounds) != 2 {
		return
	}

	for _, port := range slices.Sorted(maps.Keys(open)) {
		declared := slices.ContainsFunc(expected, func(p workspace.Port) bool { return p.Port == port })
		if declared || port < bounds[0] || port > bounds[1] {
			continue
		}
		r.found(Drift{
			Type:     PortUnexpected,
			Source:   workspace.FileName,
			Target:   strconv.Itoa(port),
			Field:    "port",
			Found:    strconv.Itoa(port),
			Severity: finding.Info,
			Message:  fmt.Sprintf("something listens at port %d, which is not declared", port),
		})
	}
}

// declaredPorts are the ports of processes and of section ports, each once, sorted.
func (s *scan) declaredPorts() []workspace.Port {
	var list []workspace.Port
	for _, p := range s.state.Config.Processes.Expected {
		for _, port := range p.Ports {
			list = append(list, workspace.Port{Port: port, Process: p.Name})
		}
	}
	for _, p := range s.state.Config.Ports.Expected {
		known := slices.ContainsFunc(list, func(each workspace.Port) bool { return each.Port == p.Port })
		if !known {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b workspace.Port) int { return a.Port - b.Port })
	return list
}
