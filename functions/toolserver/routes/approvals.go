package routes

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/answer"
)

// mostApprovals are listed, the newest first.
const mostApprovals = 50

// Approvals is the book of what people allow.
type Approvals interface {
	// List gives the newest approvals, at most so many.
	List(limit int) ([]approval.Approval, error)
	// Decide grants or denies a request for approval. By is who decides.
	Decide(ctx context.Context, id, by string, grant bool) (approval.Approval, error)
}

// approvals are GET and POST /approvals.
type approvals struct {
	secret Secret
	book   Approvals
	decide *tool.Tool // in the form of a tool, but not listed: no agent may decide about the request of an agent
}

func newApprovals(secret Secret, book Approvals) *approvals {
	a := &approvals{secret: secret, book: book}
	a.decide = tool.Define(tool.Tool{Name: "decide_approval"}, a.decideOne)
	return a
}

// get lists the requests of agents and their outcomes.
func (a *approvals) get(w http.ResponseWriter, r *http.Request) {
	list, err := a.book.List(mostApprovals)
	if err != nil {
		slog.ErrorContext(r.Context(), "approvals not read", "error", err.Error())
		answer.Error(
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

	answer.JSON(w, http.StatusOK, map[string]any{"approvals": list})
}

// decision is the body of POST /approvals.
type decision struct {
	ID    string `json:"id" required:"true" max:"64"`
	Grant bool   `json:"grant" required:"true"`
}

// post grants or denies for a person who has the kill secret. The token of the server is
// not enough, because agents have it.
func (a *approvals) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readSecured(w, r, a.secret)
	if !ok {
		return
	}

	result := a.decide.Run(r.Context(), &tool.Call{
		Arguments: body,
		Header:    r.Header,
		Transport: "http",
	})
	answer.Tool(w, result, decideStatus)
}

var decideStatus = map[string]int{
	"invalid_argument": http.StatusBadRequest,
	"not_found":        http.StatusNotFound,
	"not_open":         http.StatusConflict,
	"unavailable":      http.StatusServiceUnavailable,
}

func (a *approvals) decideOne(ctx context.Context, _ *tool.Call, d decision) (approval.Approval, error) {
	decided, err := a.book.Decide(ctx, d.ID, "console", d.Grant)
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
