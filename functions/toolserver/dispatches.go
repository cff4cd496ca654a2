package toolserver

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/work/dispatch"
)

// openDispatcher goes on watching what runs. Under a halt it ends that: the server may
// have been killed while it was about it.
func (s *Server) openDispatcher() (err error) {
	s.dispatches, err = dispatch.Open(s.deps.DataDir, dispatch.Deps{
		Settings: s.dispatchSettings,
		Dir:      absolute(s.deps.Workspace),
		Trail:    s.deps.Audit,
		Halted:   s.isHalted,
		FreeMB: func() (int, error) {
			memory, err := s.deps.Host.Memory()
			return memory.AvailableMB, err
		},
		Slots:  s.deps.Slots,
		Now:    s.deps.Now,
		Random: s.deps.Random,
	})
	if err == nil && s.halt.Halted() != nil {
		if _, survivors := s.dispatches.StopAll(context.Background()); len(survivors) > 0 {
			slog.Error("the kill switch halts, and something survives", "survivors", len(survivors))
		}
	}

	return err
}

// isHalted asks the other tasks, too. While they cannot be asked nothing starts.
func (s *Server) isHalted() bool {
	halt, err := s.halt.Check(context.Background())
	return halt != nil || err != nil
}

// howToDispatch is told when there is no agent.
const howToDispatch = "Set dispatch.enabled in governance.yaml, and dispatch.command or dispatch.runner, or the settings LLM_API and LLM_MODEL of the server."

// usualTokens is the budget of a task that has none.
const usualTokens = 500_000

// dispatchSettings are those of the workspace file as it is now.
func (s *Server) dispatchSettings() (dispatch.Settings, error) {
	state, err := s.workspace.Load()
	if err != nil {
		return dispatch.Settings{}, err
	}

	c := state.Config.Dispatch
	settings := dispatch.Settings{
		Max:       c.MaxConcurrent,
		MinFreeMB: c.MinFreeMB,
		Timeout:   time.Duration(c.Timeout),
	}

	if !c.Enabled {
		settings.Why = "No agent may be dispatched. " + howToDispatch
		return settings, nil
	}

	if settings.Runner = s.runner(c); settings.Runner == nil {
		settings.Why = "No agent is configured, and none of " + strings.Join(dispatch.PresetNames(), ", ") + " is on PATH. " + howToDispatch
	}

	return settings, nil
}

// runner is the one that the workspace file asks for; nil if there is none.
func (s *Server) runner(c workspace.DispatchRule) dispatch.Runner {
	if c.Runner == "exec" || c.Runner == "" && len(c.Command) > 0 {
		return dispatch.Exec{
			Command: c.Command,
			Env:     c.Env,
			Lookup:  os.LookupEnv,
		}
	}

	if c.Runner == "loop" || c.Runner == "" && s.deps.Model.API != "" {
		return agent.Runner{
			Command:   s.deps.Agent,
			Provider:  s.deps.Model,
			Tokens:    cmp.Or(c.MaxTokens, usualTokens),
			Workspace: absolute(s.deps.Workspace),
			DataDir:   absolute(s.deps.DataDir),
		}
	}

	preset, found := dispatch.FindPreset(c.Runner)
	if !found {
		return nil
	}

	preset.Env, preset.Lookup = append(preset.Env, c.Env...), os.LookupEnv
	if s.deps.Hook != nil {
		preset.Guard = hook.LaunchOf(
			s.workspace,
			preset.Agent,
			s.deps.Hook,
			absolute(s.deps.Workspace),
			absolute(s.deps.DataDir),
		)
	}

	return preset
}

// absolute is a folder for a process that has another working directory.
func absolute(folder string) string {
	path, err := filepath.Abs(folder)
	if err != nil {
		return folder // the working directory is gone, and so is everything below it
	}
	return path
}

// Dispatch is a row of GET /dispatches.
type Dispatch struct {
	ID        string     `json:"id"`
	Task      string     `json:"task"` // its first 200 characters, without secrets
	PID       int        `json:"pid"`
	Status    string     `json:"status"` // active or completed
	Log       string     `json:"log"`    // below the data directory
	StartTime time.Time  `json:"startTime"`
	MaxTurns  int        `json:"maxTurns"`
	EndTime   *time.Time `json:"endTime,omitempty"`
	ExitCode  *int       `json:"exit_code,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Runner    string     `json:"runner"`
	Guarded   bool       `json:"guarded"`        // each change that it makes is checked first
	Stop      string     `json:"stop,omitempty"` // why the agent says that it ended
}

// getDispatches is GET /dispatches: what runs, and what ended lately.
func (s *Server) getDispatches(w http.ResponseWriter, r *http.Request) {
	active, completed, err := s.dispatches.List(dispatch.Listed)
	if err != nil {
		slog.ErrorContext(r.Context(), "dispatches not listed", "error", err.Error())
		writeJSON(
			w,
			http.StatusInternalServerError,
			map[string]any{"error": map[string]string{
				"code":    "unavailable",
				"message": "The records of the dispatches cannot be read.",
			}},
		)

		return
	}

	var free *int
	if memory, err := s.deps.Host.Memory(); err == nil {
		free = &memory.AvailableMB
	}

	writeJSON(w, http.StatusOK, map[string]any{
		"active":         s.rows(active, "active"),
		"completed":      s.rows(completed, "completed"),
		"total":          len(active) + len(completed),
		"max_concurrent": dispatch.MostAtOnce,
		"free_ram_mb":    free,
	})
}

func (s *Server) rows(records []dispatch.Record, status string) []Dispatch {
	list := []Dispatch{}
	for _, r := range records {
		list = append(list, s.row(r, status))
	}
	return list
}

// How much of a task a list shows, and how much is read for it: a secret that begins in
// the part that is shown must be known as a whole.
const (
	shownOfTask = 200     // characters
	readOfTask  = 8 << 10 // bytes
)

// beginning is the first part of a task, without secrets; "" if it is kept no longer.
func (s *Server) beginning(id string) string {
	text := s.dispatches.Task(id)
	if len(text) > readOfTask {
		text = strings.ToValidUTF8(text[:readOfTask], "")
	}
	shown := []rune(mask.Text(text))
	if len(shown) <= shownOfTask {
		return string(shown)
	}
	return string(shown[:shownOfTask-1]) + "…"
}

func (s *Server) row(r dispatch.Record, status string) Dispatch {
	return Dispatch{
		ID:        r.ID,
		Task:      s.beginning(r.ID),
		PID:       r.Identity.PID,
		Status:    status,
		Log:       r.Log,
		StartTime: r.StartedAt,
		MaxTurns:  r.MaxTurns,
		EndTime:   r.EndedAt,
		ExitCode:  r.ExitCode,
		Reason:    r.Reason,
		Runner:    r.Runner,
		Guarded:   r.Guarded,
		Stop:      r.Stop,
	}
}
