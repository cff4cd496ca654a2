package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/fence/egress"
	"governance.internal/functions/toolserver/work/processes"
)

// Fencing says how the programs of dispatches are put behind a fence of the kernel. Its zero
// value fences none.
type Fencing struct {
	Mode string // auto, required or off; "" for auto
	Init string // program of ours that becomes the first process; "" for none
	// Plan is the plan for a command line. Shown are files that the program must see though
	// their folder is hidden.
	Plan func(program, shown []string) (fence.Plan, error)
	// Made finds the governed names that were made although the fence of a plan stood; nil to
	// look for none.
	Made    func(fence.Plan) ([]string, error)
	Network string // of the programs: open, none, or allow: and hosts; "" for open
}

// launched is a program that runs, and the fence around it.
type launched struct {
	group    *processes.Group
	standing fence.Standing
	line     io.Closer // ends the fence; nil without one
	journal  *egress.Journal
	made     func() ([]string, error) // governed names that the fence could not hold
}

// hangUp ends the fence.
func (l launched) hangUp() {
	if l.line == nil {
		return
	}
	_ = l.line.Close() // of a pipe
	if l.journal != nil {
		l.journal.Close()
	}
}

// launch starts the program of a dispatch behind a fence. Where none can stand, the program
// starts without one, unless one is required; the standing says why.
func (d *Dispatcher) launch(ctx context.Context, f Fencing, p Program, j Job, c processes.Command) (launched, error) {
	why := p.Unfenced
	if why == "" {
		begun, err := d.launchFenced(f, p, j, c)
		if !fence.IsUnavailable(err) {
			return begun, err
		}
		if why, err = f.without(err); err != nil {
			return launched{}, err
		}
		slog.WarnContext(ctx, "dispatch: no fence of the kernel stands around an agent", "dispatch", j.ID, "why", why)
	}

	group, err := processes.Start(c)
	return launched{group: group, standing: fence.Standing{Why: why}}, err
}

// without is why a program runs without a fence, or the refusal to run it so.
func (f Fencing) without(err error) (why string, refusal error) {
	var unavailable *fence.Unavailable
	if errors.As(err, &unavailable) {
		why = unavailable.Reason
	}
	if isLimited := f.Network != "" && f.Network != egress.Open; isLimited {
		return why, &Refused{
			Code:    "fence_unavailable",
			Message: "dispatch.network limits the network of agents, which needs a fence of the kernel, and none can stand here: " + why + ". Nothing is started.",
		}
	}
	if f.Mode != fence.Required {
		return why, nil
	}

	return why, &Refused{
		Code:    "fence_unavailable",
		Message: fmt.Sprintf("No fence of the kernel can stand around the agent here: %s. dispatch.fence or %s requires one; with auto the agent runs without it, and the answer says so.", why, fence.Setting),
	}
}

// launchFenced starts a program of ours that builds the fence and starts the agent in it. The
// error is a [*fence.Unavailable] if none can stand; then nothing runs.
func (d *Dispatcher) launchFenced(f Fencing, p Program, j Job, c processes.Command) (launched, error) {
	argv := p.Argv
	if p.Fenced != nil {
		argv = p.Fenced
	}
	journal := d.journal(j.ID)
	plan, setup, err := f.prepare(argv, j.File, journal.Note)
	if err != nil {
		return launched{}, err
	}
	defer setup.Close()

	c.Argv = []string{f.Init, fence.InitCommand}
	c.Attach = setup.Attach
	group, err := processes.Start(c)
	if err != nil {
		return launched{}, fence.Forbidden(err)
	}

	standing, line, err := setup.Stand(plan)
	if err != nil {
		processes.StopNow(group) // the agent was not started
		return launched{}, err
	}
	begun := launched{
		group:    group,
		standing: standing,
		line:     line,
		journal:  journal,
	}
	if f.Made != nil {
		begun.made = func() ([]string, error) { return f.Made(plan) }
	}
	return begun, nil
}

// prepare makes the plan of a fence. A plan that cannot be made is a fence that cannot stand.
func (f Fencing) prepare(program []string, file string, decided func(egress.Decision)) (plan fence.Plan, setup *fence.Setup, err error) {
	switch {
	case f.Mode == fence.Off:
		return plan, nil, &fence.Unavailable{Reason: "dispatch.fence or " + fence.Setting + " is off"}
	case f.Init == "" || f.Plan == nil:
		return plan, nil, &fence.Unavailable{Reason: "this server has no program that builds one"}
	}

	if plan, err = f.Plan(program, []string{file}); err != nil {
		return plan, nil, &fence.Unavailable{Reason: err.Error()}
	}
	setup, err = fence.Prepare(f.Network, decided)
	if err != nil && !fence.IsUnavailable(err) {
		err = &fence.Unavailable{Reason: err.Error()}
	}
	return plan, setup, err
}

// journal records what the proxy of an agent decides.
func (d *Dispatcher) journal(id string) *egress.Journal {
	return &egress.Journal{Record: func(event string, detail map[string]any) {
		detail["dispatch"] = id
		if host, ok := detail["host"].(string); ok {
			detail["host"] = mask.Text(host) // an agent chose it
		}
		d.note(context.Background(), event, detail)
	}}
}

// mostMade is how many governed names are in an entry.
const mostMade = 50

// addMade adds to an entry which governed names an agent made behind its fence.
func (r *run) addMade(payload map[string]any) {
	if r.made == nil {
		return
	}

	names, err := r.made()
	switch {
	case err != nil:
		payload["made_governed"] = "not known"
	case len(names) > 0:
		payload["made_governed"] = names[:min(len(names), mostMade)]
	}
}

// Close ends the dispatches whose fence ends with this process anyway, and waits until their
// ends are recorded. Those without a fence live on, for the server that comes after.
func (d *Dispatcher) Close() {
	for _, one := range d.fenced() {
		one.end("server_ended")
	}
	for _, one := range d.fenced() {
		<-one.finished
	}
}

func (d *Dispatcher) fenced() (list []*run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.running {
		if one.line != nil {
			list = append(list, one)
		}
	}
	return list
}

// isLost reports whether a dispatch ended because the server whose fence it was behind is gone.
func isLost(r Record) bool {
	if !r.Fence.Namespaces || r.Server.PID == 0 {
		return false
	}
	_, serverLives := processes.Look(r.Server)
	return !serverLives
}

// recordLost writes the ends of dispatches that are over, whose server is gone and could not
// write them; the lock is held.
func (d *Dispatcher) recordLost(ctx context.Context, records []Record) {
	for _, r := range records {
		isOver := r.State == Running && r.Server.PID != 0 && !d.alive(r)
		if !isOver {
			continue
		}
		if _, serverLives := processes.Look(r.Server); serverLives {
			continue // it writes the end itself
		}

		at := d.deps.Now().UTC()
		r.State, r.EndedAt, r.Reason = Ended, &at, "lost"
		if err := d.write(r); err != nil {
			slog.ErrorContext(ctx, "dispatch: end not written", "dispatch", r.ID, "error", err.Error())
			continue
		}
		d.note(ctx, EventEnd, map[string]any{"dispatch": r.ID, "reason": r.Reason})
	}
}
