package toolserver

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
)

// superviseInterval is how often managed processes are compared with the workspace file.
// At most one is started each time.
const superviseInterval = time.Second

// stops are what the kill switch ends.
func (s *Server) stops() killswitch.Stops {
	return killswitch.Stops{
		Dispatches: func(ctx context.Context) ([]processes.Outcome, []processes.Survivor) {
			return s.dispatches.StopAll(ctx)
		},
		Processes: func(ctx context.Context, here bool) []managed.Outcome {
			if here {
				return s.managed.StopHere(ctx)
			}
			return s.managed.Stop(ctx)
		},
		Restore: func(ctx context.Context) []managed.Restored {
			return s.managed.Restore(ctx)
		},
	}
}

// openManaged sets up the providers. Under a halt it ends what an earlier server left
// running.
func (s *Server) openManaged() error {
	dir, err := filepath.Abs(s.deps.Workspace)
	if err != nil {
		return err
	}

	raised := func() bool { return s.halt.Halted() != nil }
	s.supervisor, err = managed.OpenSupervisor(s.deps.DataDir, managed.Rules{
		Dir:    dir,
		Halted: s.isHalted,
		Raised: raised,
		Lookup: os.LookupEnv,
		Now:    time.Now,
		Random: s.newID,
	})
	if err != nil {
		return err
	}

	former := &managed.Former{Path: filepath.Join(s.deps.DataDir, "HALT.former")}
	providers := managed.Local(dir, former)
	providers["supervised"] = s.supervisor
	if s.deps.Cloud != nil {
		maps.Copy(providers, s.deps.Cloud(former))
	}

	s.managed = &managed.Set{
		Load:      s.processes,
		Providers: providers,
		Former:    former,
		Raised:    raised,
	}

	if raised() {
		s.supervisor.Close()
	}

	return nil
}

// newID is one that nobody had before.
func (s *Server) newID() string {
	id, err := audit.NewID(time.Now(), s.deps.Random)
	if err != nil {
		panic(err) // without randomness nothing of this server works
	}
	return id
}

// processes are the managed processes of the workspace file as it is now.
func (s *Server) processes() ([]managed.Process, error) {
	state, err := s.workspace.Load()
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

// keepSupervising runs the supervised processes until ctx ends, and ends them then. What
// the workspace file said last holds while it cannot be read.
func (s *Server) keepSupervising(ctx context.Context) {
	ticker := time.NewTicker(superviseInterval)
	defer ticker.Stop()
	defer s.supervisor.Close()

	told := false
	for {
		list, err := s.managed.Processes()
		if err != nil && !told {
			slog.WarnContext(ctx, "the managed processes are those that the workspace file named before",
				"error", err.Error())
		}

		told = err != nil
		s.supervisor.Look(ctx, list)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// getProcesses is GET /processes: how the managed processes are.
func (s *Server) getProcesses(w http.ResponseWriter, r *http.Request) {
	list, err := s.managed.States(r.Context())
	if err != nil {
		refuse(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"The workspace file cannot be read; get_health_status says more.",
		)

		return
	}

	writeJSON(w, http.StatusOK, map[string]any{"processes": append([]managed.Status{}, list...)})
}
