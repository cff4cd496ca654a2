package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/killswitch"
)

// Attempts with a wrong secret that are recorded, by all callers together: a record
// for each would let anybody fill the audit chain.
const (
	wrongKillsPerSecond = 0.1
	wrongKillsBurst     = 3
)

// killStatus are the HTTP statuses of what the kill switch answers.
var killStatus = map[string]int{
	"kill_not_configured": http.StatusServiceUnavailable,
	"unauthorized":        http.StatusUnauthorized,
	"wrong_secret":        http.StatusForbidden,
	"rate_limited":        http.StatusTooManyRequests,
	"invalid_argument":    http.StatusBadRequest,
	"unavailable":         http.StatusServiceUnavailable,
}

// kill halts for whoever shows the secret.
func (s *Server) kill(ctx context.Context, header http.Header, o killswitch.Order) (killswitch.Outcome, error) {
	if err := s.mayKill(ctx, header, o.Source); err != nil {
		return killswitch.Outcome{}, err
	}
	return s.halt.Activate(ctx, o), nil
}

// fenced refuses a tool that destroys while everything is halted. The switch itself
// works at any time.
func (s *Server) fenced(t *tool.Tool) *tool.Tool {
	if !t.Hints.Destructive ||
		t.Name == "emergency_kill_switch" ||
		t.Name == "dispatch_to_llm" { // which asks itself, and says so in its own words
		return t
	}

	behind := *t
	behind.Run = func(ctx context.Context, call *tool.Call) tool.Result {
		halt, err := s.halt.Check(ctx)
		if err != nil {
			slog.WarnContext(ctx, "kill switch not read", "error", err.Error())
			return tool.Failure(&tool.Error{
				Code:    "unavailable",
				Message: "Whether everything is halted cannot be read right now.",
				Hint:    "Try again.",
			})
		}

		if halt != nil {
			return tool.Failure(&tool.Error{
				Code:    "halted",
				Message: "Everything is halted by the kill switch.",
				Hint:    "A person must lift the halt first.",
			})
		}

		return t.Run(ctx, call)
	}
	return &behind
}

// mayKill checks the secret; the right one is never made to wait.
func (s *Server) mayKill(ctx context.Context, header http.Header, source string) error {
	switch {
	case s.deps.KillSecret == "":
		return &tool.Error{
			Code:    "kill_not_configured",
			Message: "The kill switch is off: the server has no kill secret.",
			Hint:    "Set KILL_SECRET to at least 32 characters and start the server again.",
		}
	case hasBearer(header, s.deps.KillSecret):
		return nil
	case header.Get("Authorization") == "":
		return &tool.Error{
			Code:    "unauthorized",
			Message: "The kill switch needs the kill secret.",
			Hint:    "Send it as Authorization: Bearer SECRET with the HTTP request. Over stdio there is no such header: use POST /kill.",
		}
	}

	if s.wrongKills.wait("") > 0 {
		return &tool.Error{
			Code:    "rate_limited",
			Message: "Too many attempts with a wrong secret.",
			Hint:    "Wait ten seconds. The right secret works at any time.",
		}
	}

	s.halt.Refused(ctx, source)
	return &tool.Error{
		Code:    "wrong_secret",
		Message: "This is not the kill secret. The attempt is recorded.",
	}
}

// postKill is POST /kill: the tool, over plain HTTP; with {"resume":true} the end of
// a halt.
func (s *Server) postKill(w http.ResponseWriter, r *http.Request) {
	if err := s.mayKill(r.Context(), r.Header, "http"); err != nil {
		s.answerTool(w, tool.Failure(err.(*tool.Error)), killStatus)
		return
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		writeJSON(
			w,
			problem.Status,
			map[string]any{"error": map[string]string{
				"code":    "invalid_body",
				"message": problem.Message,
			}},
		)

		return
	}

	call := &tool.Call{
		Arguments: withReason(body),
		Header:    r.Header,
		Transport: "http",
	}

	if asksToResume(body) {
		s.answerTool(w, s.lift.Run(r.Context(), call), killStatus)
		return
	}

	s.answerTool(w, s.run(r.Context(), "emergency_kill_switch", call), killStatus)
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

// postEnd is POST /dispatches/{id}/end: it ends one dispatch for whoever has the kill
// secret, and leaves all others alone.
func (s *Server) postEnd(w http.ResponseWriter, r *http.Request) {
	if err := s.mayKill(r.Context(), r.Header, "http"); err != nil {
		s.answerTool(w, tool.Failure(err.(*tool.Error)), killStatus)
		return
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		refuse(w, problem.Status, "invalid_body", problem.Message)
		return
	}

	id := r.PathValue("id")
	end := tool.Define(tool.Tool{Name: "end_dispatch"}, func(ctx context.Context, call *tool.Call, in endInput) (dispatchEnd, error) {
		if !s.dispatches.Cancel(ctx, id, call.Transport, in.Reason) {
			return dispatchEnd{}, &tool.Error{
				Code:    "not_found",
				Message: "No dispatch of this id runs here.",
				Hint:    "GET /dispatches lists what runs. With several tasks, another one may run it: POST /kill reaches all.",
			}
		}
		return dispatchEnd{ID: id, Ending: true}, nil
	})

	call := &tool.Call{
		Arguments: withReason(body),
		Header:    r.Header,
		Transport: "http",
	}
	s.answerTool(w, end.Run(r.Context(), call), endStatus)
}

// endStatus are the HTTP statuses of what POST /dispatches/{id}/end answers.
var endStatus = map[string]int{
	"not_found":        http.StatusNotFound,
	"invalid_argument": http.StatusBadRequest,
}

// withReason lets a person halt without a body: who has the secret and no time is not
// asked for words. What is no object is judged by the tool.
func withReason(body []byte) []byte {
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte(`{"reason":"none given"}`)
	}
	return body
}

// asksToResume says whether a body names the member resume, whatever its value.
func asksToResume(body []byte) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // what is no object is judged by the tool
	_, there := members["resume"]
	return there
}

type liftInput struct {
	Resume bool   `json:"resume" required:"true"`
	Reason string `json:"reason" required:"true" min:"1" max:"500"`
	// Restore brings back, too, what halts stopped at other providers. It works after a
	// lift as well, and again for what failed.
	Restore bool `json:"restore"`
}

// newLift ends a halt. It has the form of a tool and is in no list: only a person
// lifts a halt, over POST /kill, and no model.
func (s *Server) newLift() *tool.Tool {
	return tool.Define(tool.Tool{Name: "lift"}, func(ctx context.Context, call *tool.Call, in liftInput) (killswitch.Lifted, error) {
		if !in.Resume {
			return killswitch.Lifted{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/resume",
				Message: "resume must be true.",
				Hint:    "Leave it out to halt.",
			}
		}

		lifted, err := s.halt.Lift(ctx, in.Reason, call.Transport)
		if errors.Is(err, killswitch.ErrNoRecord) {
			slog.WarnContext(ctx, "halt not lifted", "error", err.Error())
			err = &tool.Error{
				Code:    "unavailable",
				Message: "The halt is still in force: its end cannot be recorded right now.",
				Hint:    "Try again.",
			}
		}

		if err != nil || !in.Restore {
			return lifted, err
		}
		lifted.Restored, err = s.halt.Restore(ctx, in.Reason, call.Transport)
		if err != nil {
			slog.WarnContext(ctx, "nothing restored", "error", err.Error())
			err = &tool.Error{
				Code:    "unavailable",
				Message: "Nothing is halted any more, and nothing was brought back: that cannot be recorded right now.",
				Hint:    "Try again with restore.",
			}
		}

		return lifted, err
	})
}
