package approvals

import (
	"context"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tool"
)

type statusInput struct {
	ID    string `json:"approval_id,omitempty" max:"26" doc:"One approval; otherwise the newest."`
	Limit int64  `json:"limit" default:"20" min:"1" max:"100"`
}

// Status is the answer of approval_status.
type Status struct {
	Status    string              `json:"status,omitempty"` // of the one that was asked for
	Approvals []approval.Approval `json:"approvals"`
}

// ApprovalStatus shows what was asked and what people decided.
func ApprovalStatus(gate *preflight.Gate) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "approval_status",
		Title:       "Status of approvals",
		Toolset:     "approvals",
		Description: "Shows whether a person granted or denied what was asked with request_approval, and until when it holds.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in statusInput) (Status, error) {
		if in.ID == "" {
			list, err := gate.Approvals.List(int(in.Limit))
			return Status{Approvals: list}, err
		}

		found, err := gate.Approvals.Get(in.ID)
		if err != nil {
			return Status{}, refusal(err)
		}
		return Status{found.State, []approval.Approval{found}}, nil
	})
}
