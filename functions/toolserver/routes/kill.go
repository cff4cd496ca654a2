package routes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
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

// Switch is the kill switch, as far as a person ends a halt with it.
type Switch interface {
	// Lift ends the halt that is in force.
	Lift(ctx context.Context, reason, source string) (killswitch.Lifted, error)
	// Restore brings back the managed processes that halts stopped.
	Restore(ctx context.Context, reason, source string) ([]managed.Restored, error)
}

// kill is POST /kill.
type kill struct {
	secret Secret
	tools  Tools
	halt   Switch
	lift   *tool.Tool // in the form of a tool, but not listed: no model may lift a halt
}

func newKill(secret Secret, tools Tools, halt Switch) *kill {
	k := &kill{secret: secret, tools: tools, halt: halt}
	k.lift = tool.Define(tool.Tool{Name: "lift"}, k.liftHalt)
	return k
}

// post is the tool emergency_kill_switch over plain HTTP; with {"resume":true} it is
// the end of a halt.
func (k *kill) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readSecured(w, r, k.secret)
	if !ok {
		return
	}

	call := &tool.Call{
		Arguments: withReason(body),
		Header:    r.Header,
		Transport: "http",
	}

	if asksToResume(body) {
		answer.Tool(w, k.lift.Run(r.Context(), call), killStatus)
		return
	}

	answer.Tool(w, k.tools.Run(r.Context(), "emergency_kill_switch", call), killStatus)
}

// withReason adds a default reason to an empty body, so that a person in a hurry can halt
// with the secret alone. The tool rejects a body that is not an object.
func withReason(body []byte) []byte {
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte(`{"reason":"none given"}`)
	}
	return body
}

// asksToResume reports whether a body names the member resume, whatever its value.
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

// liftHalt ends a halt, and brings back what it stopped if the person asks for that.
func (k *kill) liftHalt(ctx context.Context, call *tool.Call, in liftInput) (killswitch.Lifted, error) {
	if !in.Resume {
		return killswitch.Lifted{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/resume",
			Message: "resume must be true.",
			Hint:    "Leave it out to halt.",
		}
	}

	lifted, err := k.halt.Lift(ctx, in.Reason, call.Transport)
	if errors.Is(err, killswitch.ErrNoRecord) {
		slog.WarnContext(ctx, "halt not lifted", "error", err.Error())
		err = &tool.Error{
			Code:    "unavailable",
			Message: "The halt is still in force: the audit chain cannot record its end right now.",
			Hint:    "Try again.",
		}
	}

	if err != nil || !in.Restore {
		return lifted, err
	}

	lifted.Restored, err = k.halt.Restore(ctx, in.Reason, call.Transport)
	if err != nil {
		slog.WarnContext(ctx, "nothing restored", "error", err.Error())
		err = &tool.Error{
			Code:    "unavailable",
			Message: "The halt is lifted, but no process was restored: the audit chain cannot record that right now.",
			Hint:    "Try again with restore.",
		}
	}

	return lifted, err
}
