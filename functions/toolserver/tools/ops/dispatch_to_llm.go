package ops

import (
	"context"
	"errors"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/dispatch"
)

type dispatchInput struct {
	Task     string `json:"task" required:"true" min:"1" max:"20000"`
	MaxTurns int    `json:"max_turns" min:"1" max:"100" default:"15"`
	TimeoutS int    `json:"timeout_s,omitempty" min:"10" max:"7200"`
	Key      string `json:"idempotency_key,omitempty" max:"100" doc:"The same key again starts nothing."`
}

// Dispatched is the answer of dispatch_to_llm.
type Dispatched struct {
	Dispatched bool   `json:"dispatched"`
	PID        int    `json:"pid"`
	Log        string `json:"log"` // below the data directory of the server

	ID        string     `json:"id,omitempty"`
	StartedAt *time.Time `json:"started_at,omitempty"`
	MaxTurns  int        `json:"max_turns,omitempty"`
	Guarded   *bool      `json:"guarded,omitempty"` // each change that the agent makes is checked first
	Fence     string     `json:"fence,omitempty"`   // kernel, kernel without landlock, or none: why
	Slots     Slots      `json:"slots"`

	Code   string `json:"code,omitempty"` // why not: halted, disabled, command_not_found, insufficient_memory, limit_exceeded, fence_unavailable or unavailable
	Error  string `json:"error,omitempty"`
	FreeMB int    `json:"free_mb,omitempty"`
}

// Slots are the dispatches that run, and how many may.
type Slots struct {
	Used int `json:"used"`
	Max  int `json:"max"`
}

// DispatchToLLM starts an agent in the background. A refusal to start is a result with its
// reason, not an error.
func DispatchToLLM(d *dispatch.Dispatcher) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "dispatch_to_llm",
		Title:       "Dispatch",
		Toolset:     "ops",
		Description: "Starts the configured agent on a task in the background, at most 2 at once and with 500 MB of memory free.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Needs:       []tool.Need{tool.NeedAgent},

		ExemptFromHalt: true, // it checks the halt itself, and answers with the code halted
	}, func(ctx context.Context, _ *tool.Call, in dispatchInput) (Dispatched, error) {
		r, err := d.Start(ctx, dispatch.Task{
			Text:     in.Task,
			MaxTurns: in.MaxTurns,
			Timeout:  time.Duration(in.TimeoutS) * time.Second,
			Key:      in.Key,
		})

		out := Dispatched{Slots: Slots{Max: dispatch.MostAtOnce}}
		var refused *dispatch.Refused
		switch {
		case errors.As(err, &refused):
			out.Code, out.Error, out.FreeMB = refused.Code, refused.Message, refused.FreeMB
		case err != nil:
			return Dispatched{}, err
		default:
			out.Dispatched, out.PID, out.Log = true, r.Identity.PID, r.Log
			out.Fence = r.Fence.Word()
			out.ID, out.StartedAt, out.MaxTurns, out.Guarded = r.ID, &r.StartedAt, r.MaxTurns, &r.Guarded
		}

		if out.Code == "unavailable" {
			return out, nil // the slots cannot be counted either
		}
		out.Slots.Used, err = d.Used(ctx)
		return out, err
	})
}
