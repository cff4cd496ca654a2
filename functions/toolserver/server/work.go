package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
)

// work is what runs for agents: their dispatches, and the managed processes.
type work struct {
	deps       Deps
	workspace  *workspace.Workspace
	halt       *killswitch.Switch
	dispatches *dispatch.Dispatcher
	supervisor *managed.Supervisor
	managed    *managed.Set
	broker     *broker.Broker // for what runs behind a fence; nil where none can stand
}

// open resumes what earlier servers left running. The switch must be made with the stops of
// this work.
func (w *work) open(halt *killswitch.Switch) error {
	w.halt = halt
	if err := w.openManaged(); err != nil {
		return fmt.Errorf("managed processes: %w", err)
	}
	w.openBroker()
	if err := w.openDispatches(); err != nil {
		return fmt.Errorf("dispatches: %w", err)
	}
	return nil
}

// openBroker listens for the agents behind a fence. Without it their hooks refuse what they cannot
// ask about, so the server can go on.
func (w *work) openBroker() {
	project := outside.Project{
		Folder:    absolute(w.deps.Workspace),
		Data:      absolute(w.deps.DataDir),
		Snapshots: snapshot.BeforeCommand,
	}
	listening, err := broker.Serve(project.Handler())
	switch {
	case err == nil:
		w.broker = listening
	case !errors.Is(err, errors.ErrUnsupported):
		slog.Warn("the broker of fences does not listen: agents behind a fence are refused what needs a record", "error", err.Error())
	}
}

// brokerFolder is what a fence shows in the place of the state of the workspace.
func (w *work) brokerFolder() string {
	if w.broker == nil {
		return ""
	}
	return w.broker.Folder()
}

// close ends what does not outlive the server.
func (w *work) close() {
	w.dispatches.Close()
	if w.broker != nil {
		_ = w.broker.Close() // nobody asks any more
	}
}

// openDispatches resumes watching the running dispatches. Under a halt it ends them,
// because the server may have been killed during the halt.
func (w *work) openDispatches() (err error) {
	w.dispatches, err = dispatch.Open(w.deps.DataDir, dispatch.Deps{
		Settings: w.dispatchSettings,
		Dir:      absolute(w.deps.Workspace),
		Trail:    w.deps.Audit,
		Halted:   w.isHalted,
		FreeMB: func() (int, error) {
			memory, err := w.deps.Host.Memory()
			return memory.AvailableMB, err
		},
		Slots:  w.deps.Slots,
		Now:    w.deps.Now,
		Random: w.deps.Random,
	})
	if err == nil && w.halt.Halted() != nil {
		if _, survivors := w.dispatches.StopAll(context.Background()); len(survivors) > 0 {
			slog.Error("the kill switch halts, and something survives", "survivors", len(survivors))
		}
	}

	return err
}

// isHalted reads the state of the other tasks as well. While that fails nothing starts.
func (w *work) isHalted() bool {
	halt, err := w.halt.Check(context.Background())
	return halt != nil || err != nil
}

// howToDispatch is the hint of the error for a missing agent.
const howToDispatch = "Set dispatch.enabled in governance.yaml, and dispatch.command or dispatch.runner, or the settings LLM_API and LLM_MODEL of the server."

// usualTokens is the default token budget of a task.
const usualTokens = 500_000

// dispatchSettings are those of the workspace file as it is now.
func (w *work) dispatchSettings() (dispatch.Settings, error) {
	state, err := w.workspace.Load()
	if err != nil {
		return dispatch.Settings{}, err
	}

	c := state.Config.Dispatch
	settings := dispatch.Settings{
		Max:       c.MaxConcurrent,
		MinFreeMB: c.MinFreeMB,
		Timeout:   time.Duration(c.Timeout),
		Fence:     w.fencing(c),
	}

	if !c.Enabled {
		settings.Why = "No agent may be dispatched. " + howToDispatch
		return settings, nil
	}

	if settings.Runner = w.runner(c); settings.Runner == nil {
		settings.Why = "No agent is configured, and none of " + strings.Join(dispatch.PresetNames(), ", ") + " is on PATH. " + howToDispatch
	}

	return settings, nil
}

// fencing is the fence of the kernel around agents.
func (w *work) fencing(c workspace.DispatchRule) dispatch.Fencing {
	return dispatch.Fencing{
		Mode: cmp.Or(os.Getenv(fence.Setting), c.Fence),
		Init: w.deps.Fence,
		Made: func(p fence.Plan) ([]string, error) {
			return fence.NewNames(w.workspace, p)
		},

		Network: c.Network,
		Plan: func(program, shown []string) (fence.Plan, error) {
			home, _ := os.UserHomeDir() // without one nothing in it needs a fence
			return fence.PlanOf(w.workspace, fence.Wish{
				Folder:  absolute(w.deps.Workspace),
				Home:    home,
				Data:    absolute(w.deps.DataDir),
				Program: program,
				Shown:   shown,
				Broker:  w.brokerFolder(),
			})
		},
	}
}

// runner returns the runner that the workspace file selects, nil if there is none.
func (w *work) runner(c workspace.DispatchRule) dispatch.Runner {
	if c.Runner == "exec" || c.Runner == "" && len(c.Command) > 0 {
		return dispatch.Exec{
			Command: c.Command,
			Env:     c.Env,
			Lookup:  os.LookupEnv,
		}
	}

	if c.Runner == "loop" || c.Runner == "" && w.deps.Model.API != "" {
		return agent.Runner{
			Command:   w.deps.Agent,
			Provider:  w.deps.Model,
			Tokens:    cmp.Or(c.MaxTokens, usualTokens),
			Workspace: absolute(w.deps.Workspace),
			DataDir:   absolute(w.deps.DataDir),
		}
	}

	preset, found := dispatch.FindPreset(c.Runner)
	if !found {
		return nil
	}

	preset.Env, preset.Lookup = append(preset.Env, c.Env...), os.LookupEnv
	if w.deps.Hook != nil {
		preset.Guard = hook.LaunchOf(
			w.workspace,
			preset.Agent,
			w.deps.Hook,
			absolute(w.deps.Workspace),
			absolute(w.deps.DataDir),
		)
	}

	return preset
}

// absolute makes a folder absolute for a process with another working directory.
func absolute(folder string) string {
	path, err := filepath.Abs(folder)
	if err != nil {
		return folder // the working directory is gone, and so is everything below it
	}
	return path
}

// running counts the dispatches.
func (w *work) running() (int, error) {
	active, _, err := w.dispatches.List(0)
	return len(active), err
}

// freeMB is the memory that an agent could use, nil if that is unknown.
func (w *work) freeMB() *int {
	memory, err := w.deps.Host.Memory()
	if err != nil {
		return nil
	}
	return &memory.AvailableMB
}

// haltOfFiles returns for the guard the reason why no file may be changed, "" if there is
// none. A halt of dispatches or processes alone does not affect files.
func haltOfFiles(halt *killswitch.Switch) string {
	current := halt.Halted()
	if current == nil ||
		current.Scope == "dispatches" ||
		current.Scope == "processes" {
		return ""
	}
	return cmp.Or(current.Reason, "no reason was given")
}

// stops are what the kill switch ends.
func (w *work) stops() killswitch.Stops {
	return killswitch.Stops{
		Dispatches: func(ctx context.Context) ([]processes.Outcome, []processes.Survivor) {
			return w.dispatches.StopAll(ctx)
		},
		Processes: func(ctx context.Context, here bool) []managed.Outcome {
			if here {
				return w.managed.StopHere(ctx)
			}
			return w.managed.Stop(ctx)
		},
		Restore: func(ctx context.Context) []managed.Restored {
			return w.managed.Restore(ctx)
		},
	}
}

// openManaged sets up the providers. Under a halt it ends what an earlier server left
// running.
func (w *work) openManaged() error {
	dir, err := filepath.Abs(w.deps.Workspace)
	if err != nil {
		return err
	}

	raised := func() bool { return w.halt.Halted() != nil }
	w.supervisor, err = managed.OpenSupervisor(w.deps.DataDir, managed.Rules{
		Dir:    dir,
		Halted: w.isHalted,
		Raised: raised,
		Lookup: os.LookupEnv,
		Now:    time.Now,
		Random: w.newID,
	})
	if err != nil {
		return err
	}

	former := &managed.Former{Path: filepath.Join(w.deps.DataDir, "HALT.former")}
	providers := managed.Local(dir, former)
	providers["supervised"] = w.supervisor
	if w.deps.Cloud != nil {
		maps.Copy(providers, w.deps.Cloud(former))
	}

	w.managed = &managed.Set{
		Load:      w.processes,
		Providers: providers,
		Former:    former,
		Raised:    raised,
	}

	if raised() {
		w.supervisor.Close()
	}

	return nil
}

// newID returns a new, unique ID.
func (w *work) newID() string {
	id, err := audit.NewID(time.Now(), w.deps.Random)
	if err != nil {
		panic(err) // without randomness nothing of this server works
	}
	return id
}

// processes are the managed processes of the workspace file as it is now.
func (w *work) processes() ([]managed.Process, error) {
	state, err := w.workspace.Load()
	if err != nil {
		return nil, err
	}

	list := slices.Clone(state.Config.Processes.Expected)
	for i := range list {
		list[i].Provider = cmp.Or(list[i].Provider, state.Config.Processes.Provider)
		list[i].Target = cmp.Or(list[i].Target, list[i].Name)
	}

	return slices.DeleteFunc(list, func(p managed.Process) bool {
		return p.Provider == "none"
	}), nil
}
