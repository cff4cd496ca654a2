package toolserver

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"governance.internal/functions/toolserver/dispatch"
)

// openDispatcher goes on watching what runs. Under a halt it ends that: the server may
// have been killed while it was about it.
func (s *Server) openDispatcher() (err error) {
	dir, err := filepath.Abs(s.deps.Workspace)
	if err != nil {
		return err
	}
	s.dispatches, err = dispatch.Open(s.deps.DataDir, dispatch.Deps{
		Settings: s.dispatchSettings, Dir: dir, Trail: s.deps.Audit, Halted: s.isHalted,
		FreeMB: func() (int, error) {
			memory, err := s.deps.Host.Memory()
			return memory.AvailableMB, err
		},
		Lookup: os.LookupEnv, Now: s.deps.Now, Random: s.deps.Random,
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

// dispatchSettings are those of the workspace file as it is now.
func (s *Server) dispatchSettings() (dispatch.Settings, error) {
	state, err := s.workspace.Load()
	if err != nil || !state.Config.Dispatch.Enabled {
		return dispatch.Settings{}, err
	}
	c := state.Config.Dispatch
	return dispatch.Settings{Command: c.Command, Env: c.Env, Max: c.MaxConcurrent, MinFreeMB: c.MinFreeMB, Timeout: time.Duration(c.Timeout)}, nil
}

// mostCompleted is how many dispatches that ended are listed.
const mostCompleted = 50

// Dispatch is a row of GET /dispatches.
type Dispatch struct {
	ID        string     `json:"id"`
	PID       int        `json:"pid"`
	Status    string     `json:"status"` // active or completed
	Log       string     `json:"log"`    // below the data directory
	StartTime time.Time  `json:"startTime"`
	MaxTurns  int        `json:"maxTurns"`
	EndTime   *time.Time `json:"endTime,omitempty"`
	ExitCode  *int       `json:"exit_code,omitempty"`
	Reason    string     `json:"reason,omitempty"`
}

// getDispatches is GET /dispatches: what runs, and what ended lately.
func (s *Server) getDispatches(w http.ResponseWriter, r *http.Request) {
	active, completed, err := s.dispatches.List(mostCompleted)
	if err != nil {
		slog.ErrorContext(r.Context(), "dispatches not listed", "error", err.Error())
		writeJSON(w, http.StatusInternalServerError, map[string]any{"error": map[string]string{"code": "unavailable", "message": "The records of the dispatches cannot be read."}})
		return
	}
	var free *int
	if memory, err := s.deps.Host.Memory(); err == nil {
		free = &memory.AvailableMB
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"active": rows(active, "active"), "completed": rows(completed, "completed"), "total": len(active) + len(completed),
		"max_concurrent": dispatch.MostAtOnce, "free_ram_mb": free,
	})
}

func rows(records []dispatch.Record, status string) []Dispatch {
	list := []Dispatch{}
	for _, r := range records {
		list = append(list, Dispatch{
			ID: r.ID, PID: r.Identity.PID, Status: status, Log: r.Log, StartTime: r.StartedAt, MaxTurns: r.MaxTurns,
			EndTime: r.EndedAt, ExitCode: r.ExitCode, Reason: r.Reason,
		})
	}
	return list
}
