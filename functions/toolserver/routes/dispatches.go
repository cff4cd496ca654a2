package routes

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/work/dispatch"
)

// Dispatches are the runs of agents.
type Dispatches interface {
	// List returns the running dispatches and at most so many ended ones, the newest first.
	List(most int) (active, completed []dispatch.Record, err error)
	// Task is the text of a task, "" if it is kept no longer.
	Task(id string) string
	// Cancel ends one that runs here; it returns false if there is none.
	Cancel(ctx context.Context, id, source, why string) bool
	// LogPath fails if there is no dispatch of this id.
	LogPath(id string) (string, error)
	// Follow hands over the log from a place on, as it grows.
	Follow(ctx context.Context, id string, from int64, show func(part []byte, next int64) error) (dispatch.Record, error)
}

// Paths of one dispatch: its log, and its end.
const (
	logPattern = "/dispatches/{id}/log"
	endPattern = "/dispatches/{id}/end"
)

// dispatches are GET /dispatches and the paths of one dispatch.
type dispatches struct {
	secret  Secret
	runs    Dispatches
	files   Workspace
	freeMB  func() *int
	leaving context.Context
	follows chan struct{} // has room for the logs that may be followed
}

func newDispatches(d Deps) *dispatches {
	return &dispatches{
		secret:  d.Secret,
		runs:    d.Dispatches,
		files:   d.Workspace,
		freeMB:  d.FreeMB,
		leaving: d.Leaving,
		follows: make(chan struct{}, maxFollows),
	}
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
	Fence     string     `json:"fence"`          // of the kernel: kernel, kernel without landlock, or none: why
	Stop      string     `json:"stop,omitempty"` // why the agent says that it ended
}

// list is GET /dispatches: the running dispatches and the latest ended ones.
func (d *dispatches) list(w http.ResponseWriter, r *http.Request) {
	active, completed, err := d.runs.List(dispatch.Listed)
	if err != nil {
		slog.ErrorContext(r.Context(), "dispatches not listed", "error", err.Error())
		answer.Error(
			w,
			http.StatusInternalServerError,
			"unavailable",
			"The records of the dispatches cannot be read.",
		)

		return
	}

	answer.JSON(w, http.StatusOK, map[string]any{
		"active":         d.rows(active, "active"),
		"completed":      d.rows(completed, "completed"),
		"total":          len(active) + len(completed),
		"max_concurrent": dispatch.MostAtOnce,
		"free_ram_mb":    d.freeMB(),
	})
}

func (d *dispatches) rows(records []dispatch.Record, status string) []Dispatch {
	list := []Dispatch{}
	for _, r := range records {
		list = append(list, d.row(r, status))
	}
	return list
}

// How much of a task a list shows, and how much is read for it: a secret that begins in the
// shown part must be read as a whole to be redacted.
const (
	shownOfTask = 200     // characters
	readOfTask  = 8 << 10 // bytes
)

// beginning is the first part of a task, without secrets; "" if it is kept no longer.
func (d *dispatches) beginning(id string) string {
	text := d.runs.Task(id)
	if len(text) > readOfTask {
		text = strings.ToValidUTF8(text[:readOfTask], "")
	}
	shown := []rune(mask.Text(text))
	if len(shown) <= shownOfTask {
		return string(shown)
	}
	return string(shown[:shownOfTask-1]) + "…"
}

func (d *dispatches) row(r dispatch.Record, status string) Dispatch {
	return Dispatch{
		ID:        r.ID,
		Task:      d.beginning(r.ID),
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
		Fence:     r.Fence.Word(),
		Stop:      r.Stop,
	}
}

// endInput is the body of POST /dispatches/{id}/end.
type endInput struct {
	Reason string `json:"reason" max:"500"`
}

// dispatchEnd says that one dispatch is being ended.
type dispatchEnd struct {
	ID     string `json:"id"`
	Ending bool   `json:"ending"` // GET /dispatches shows when it has ended
}

// end is POST /dispatches/{id}/end: it ends one dispatch for a person who has the kill
// secret.
func (d *dispatches) end(w http.ResponseWriter, r *http.Request) {
	body, ok := readSecured(w, r, d.secret)
	if !ok {
		return
	}

	result := d.newEnd(r.PathValue("id")).Run(r.Context(), &tool.Call{
		Arguments: withReason(body),
		Header:    r.Header,
		Transport: "http",
	})
	answer.Tool(w, result, endStatus)
}

// newEnd ends one dispatch. It has the form of a tool and is in no list.
func (d *dispatches) newEnd(id string) *tool.Tool {
	return tool.Define(tool.Tool{Name: "end_dispatch"}, func(ctx context.Context, call *tool.Call, in endInput) (dispatchEnd, error) {
		if !d.runs.Cancel(ctx, id, call.Transport, in.Reason) {
			return dispatchEnd{}, &tool.Error{
				Code:    "not_found",
				Message: "No dispatch of this id runs here.",
				Hint:    "GET /dispatches lists what runs. With several tasks, another one may run it: POST /kill reaches all.",
			}
		}

		return dispatchEnd{ID: id, Ending: true}, nil
	})
}

// endStatus are the HTTP statuses of what POST /dispatches/{id}/end answers.
var endStatus = map[string]int{
	"not_found":        http.StatusNotFound,
	"invalid_argument": http.StatusBadRequest,
}
