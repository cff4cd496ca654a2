package toolserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/tool"
)

// mostApprovals are listed, the newest first.
const mostApprovals = 50

// getApprovals is GET /approvals: what agents asked for and what became of it.
func (s *Server) getApprovals(w http.ResponseWriter, r *http.Request) {
	list, err := s.approvals().List(mostApprovals)
	if err != nil {
		slog.ErrorContext(r.Context(), "approvals not read", "error", err.Error())
		refuse(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"The approvals cannot be read right now. Try again.",
		)

		return
	}

	if list == nil {
		list = []approval.Approval{}
	}

	writeJSON(w, http.StatusOK, map[string]any{"approvals": list})
}

// decision is the body of POST /approvals.
type decision struct {
	ID    string `json:"id" required:"true" max:"64"`
	Grant bool   `json:"grant" required:"true"`
}

// newDecide makes the work of POST /approvals. It is no tool: no agent decides about
// what an agent asked for.
func (s *Server) newDecide() *tool.Tool {
	return tool.Define(tool.Tool{Name: "decide_approval"}, s.decide)
}

// postApprovals is POST /approvals: a person who holds the kill secret grants or denies.
// The token of the server does not do; agents have that.
func (s *Server) postApprovals(w http.ResponseWriter, r *http.Request) {
	if err := s.mayKill(r.Context(), r.Header, "http"); err != nil {
		s.answerTool(w, tool.Failure(err.(*tool.Error)), killStatus)
		return
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		refuse(w, problem.Status, "invalid_body", problem.Message)
		return
	}

	s.answerTool(
		w,
		s.decider.Run(r.Context(), &tool.Call{
			Arguments: body,
			Header:    r.Header,
			Transport: "http",
		}),
		decideStatus,
	)
}

var decideStatus = map[string]int{
	"invalid_argument": http.StatusBadRequest,
	"not_found":        http.StatusNotFound,
	"not_open":         http.StatusConflict,
	"unavailable":      http.StatusServiceUnavailable,
}

func (s *Server) decide(ctx context.Context, _ *tool.Call, d decision) (approval.Approval, error) {
	decided, err := s.approvals().Decide(ctx, d.ID, "console", d.Grant)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return decided, &tool.Error{
			Code:    "not_found",
			Field:   "/id",
			Message: "There is no approval of this id.",
		}
	case errors.Is(err, approval.ErrNotOpen):
		return decided, &tool.Error{
			Code:    "not_open",
			Field:   "/id",
			Message: "It was decided before, or is over.",
		}
	case err != nil:
		slog.ErrorContext(ctx, "approval not decided", "error", err.Error())
		return decided, &tool.Error{
			Code:    "unavailable",
			Message: "Nothing was decided: the book or the audit trail cannot be written.",
			Hint:    "Try again.",
		}
	}

	return decided, nil
}
