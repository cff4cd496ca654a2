package toolserver

import (
	"context"
	"net/http"

	"governance.internal/functions/toolserver/dispatcher"
	"governance.internal/functions/toolserver/killswitch"
	"governance.internal/functions/toolserver/tool"
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
	return s.halt.Activate(ctx, o)
}

// mayKill checks the secret; the right one is never made to wait.
func (s *Server) mayKill(ctx context.Context, header http.Header, source string) error {
	switch {
	case s.deps.KillSecret == "":
		return &tool.Error{Code: "kill_not_configured", Message: "The kill switch is off: the server has no kill secret.", Hint: "Set KILL_SECRET to at least 32 characters and start the server again."}
	case hasBearer(header, s.deps.KillSecret):
		return nil
	case header.Get("Authorization") == "":
		return &tool.Error{Code: "unauthorized", Message: "The kill switch needs the kill secret.",
			Hint: "Send it as Authorization: Bearer SECRET with the HTTP request. Over stdio there is no such header: use POST /kill."}
	}
	if s.wrongKills.wait("") > 0 {
		return &tool.Error{Code: "rate_limited", Message: "Too many attempts with a wrong secret.", Hint: "Wait ten seconds. The right secret works at any time."}
	}
	s.halt.Refused(ctx, source)
	return &tool.Error{Code: "wrong_secret", Message: "This is not the kill secret. The attempt is recorded."}
}

// postKill is POST /kill: the tool, over plain HTTP.
func (s *Server) postKill(w http.ResponseWriter, r *http.Request) {
	if err := s.mayKill(r.Context(), r.Header, "http"); err != nil {
		s.answerTool(w, tool.Failure(err.(*tool.Error)), killStatus)
		return
	}
	body, problem := dispatcher.ReadBody(r)
	if problem != nil {
		writeJSON(w, problem.Status, map[string]any{"error": map[string]string{"code": "invalid_body", "message": problem.Message}})
		return
	}
	s.answerTool(w, s.run(r.Context(), "emergency_kill_switch", &tool.Call{Arguments: body, Header: r.Header, Transport: "http"}), killStatus)
}
