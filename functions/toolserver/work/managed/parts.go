package managed

import (
	"context"
	"sync"
	"time"

	"governance.internal/functions/toolserver/work/processes"
)

// lookInterval is between two looks at a process that should end.
const lookInterval = 100 * time.Millisecond

// hardAfter is when a process that has not ended by itself is killed.
const hardAfter = 3 * time.Second

// Until looks until something is so, or ctx ends.
func Until(ctx context.Context, is func() bool) bool {
	for !is() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookInterval):
		}
	}
	return true
}

// Each stops the processes of a list, all at once.
func Each(list []Process, stop func(Process) Outcome) []Outcome {
	outcomes := make([]Outcome, len(list))
	var wait sync.WaitGroup
	for i, p := range list {
		wait.Go(func() { outcomes[i] = stop(p) })
	}
	wait.Wait()
	return outcomes
}

// Keep stores the state of a process. A halt continues if that fails, and its answer says
// so.
func Keep(former *Former, p Process, value string) (did []string) {
	if err := former.Keep(p, value); err != nil {
		return []string{"what it was cannot be kept for the lift"}
	}
	return nil
}

// StatusOf is the status of a process in a state, without figures.
func StatusOf(p Process, state string) Status {
	return Status{
		Name:     p.Name,
		Provider: p.Provider,
		State:    state,
		Critical: p.Critical,
	}
}

// Unknown is the status of a process that cannot be seen.
func Unknown(p Process, why string) Status {
	s := StatusOf(p, Unavailable)
	s.Why = why
	return s
}

// EachStatus reads the status of each process of a list. A process that look fails for is
// [Unavailable], with the error as the reason.
func EachStatus(list []Process, look func(Process) (Status, error)) (all []Status) {
	for _, p := range list {
		s, err := look(p)
		if err != nil {
			s = Unknown(p, err.Error())
		}
		all = append(all, s)
	}

	return all
}

// onMachine adds what the process table shows of the process ID that a provider gave.
func (s *Status) onMachine(pid int) {
	if i, ok := processes.Identify(pid); ok && pid > 1 {
		state := s.State
		s.of(i)
		s.State = state
	}
}
