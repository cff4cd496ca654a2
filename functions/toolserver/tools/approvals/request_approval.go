// Package approvals holds the tools of the toolset approvals: an agent asks, and a
// person decides elsewhere.
package approvals

import (
	"context"
	"errors"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tool"
)

type requestInput struct {
	Agent     string   `json:"agent" required:"true" min:"1" max:"100" doc:"Who will make the change, as its hook names it."`
	Paths     []string `json:"paths,omitempty" max:"50"`
	Operation string   `json:"operation" enum:"edit,create,delete,rename,execute" default:"edit"`
	Command   string   `json:"command,omitempty" max:"8000" doc:"Instead of paths: the exact command."`
	Reason    string   `json:"reason" required:"true" min:"3" max:"2000"`
	TTL       int64    `json:"ttl_s" default:"3600" min:"1" max:"86400"`
}

// Request is the answer of request_approval.
type Request struct {
	ID       string    `json:"approval_id"` // of the first
	Status   string    `json:"status"`
	Requests []Asked   `json:"requests"`
	Expires  time.Time `json:"expires_at"`
	Next     string    `json:"next"`
}

// Asked is the request for one file or one command.
type Asked struct {
	ID     string `json:"approval_id"`
	Path   string `json:"path,omitempty"`
	Status string `json:"status"`
}

// RequestApproval asks a person to allow changes of protected files, one request for
// each file.
func RequestApproval(gate *preflight.Gate) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "request_approval",
		Title:       "Request an approval",
		Toolset:     "approvals",
		Description: "Asks a person to allow one change of protected files, or one command. An approval holds for this agent and this change, once, until it expires. Only a person can grant it.",
		Hints:       tool.Hints{Idempotent: true},
		Needs:       []tool.Need{tool.NeedWorkspaceFile},
	}, func(ctx context.Context, _ *tool.Call, in requestInput) (Request, error) {
		if (len(in.Paths) == 0) == (in.Command == "") {
			return Request{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/paths",
				Message: "Give either paths or command.",
			}
		}

		if mask.Holds(in.Agent) || mask.Holds(strings.Join(in.Paths, "\n")) { // people read them
			return Request{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/agent",
				Message: "The agent or a path looks like a secret.",
				Hint:    "Give the name under which your hook knows you, and paths.",
			}
		}

		actions, err := gate.Actions(in.Agent, in.Operation, in.Paths, in.Command)
		if err != nil {
			return Request{}, refusal(err)
		}

		answer := Request{
			Status:   approval.Pending,
			Requests: []Asked{},
			Next:     "Wait. A person decides with governance approve; look with approval_status.",
		}
		for _, a := range actions {
			asked, err := gate.Approvals.Request(
				ctx,
				a.Action,
				a.Policy,
				mask.Text(in.Reason),
				time.Duration(in.TTL)*time.Second,
			)
			if err != nil {
				return Request{}, refusal(err)
			}

			one := Asked{ID: asked.ID, Status: asked.State}
			if len(a.Paths) > 0 {
				one.Path = a.Paths[0]
			}

			answer.Requests, answer.Expires = append(answer.Requests, one), asked.Expires
		}

		answer.ID = answer.Requests[0].ID
		return answer, nil
	})
}

// refusal converts an error.
func refusal(err error) error {
	var problem *preflight.NotApprovable
	switch {
	case errors.As(err, &problem):
		return &tool.Error{
			Code:    "invalid_argument",
			Field:   "/paths",
			Message: problem.Error(),
		}
	case errors.Is(err, approval.ErrTooMany):
		return &tool.Error{
			Code:    "limit_exceeded",
			Message: "Too many requests wait for a person.",
			Hint:    "Wait until they are decided.",
		}
	case errors.Is(err, approval.ErrUnknown):
		return &tool.Error{
			Code:    "not_found",
			Message: "There is no such approval.",
			Field:   "/approval_id",
		}
	}

	return err
}
