package audit

import (
	"context"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/scan"
)

type scanInput struct {
	Description string `json:"description,omitempty" max:"20000"`
	Workspace   bool   `json:"workspace,omitempty" doc:"Real evidence instead."`
}

// Evidence finds what a workspace shows of its governance.
type Evidence func(context.Context) ([]scan.Fact, error)

// GovernanceScan is the scan that POST /scan serves, and the scan of the workspace.
func GovernanceScan(evidence Evidence) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "governance_scan",
		Title:       "Governance scan",
		Toolset:     "audit",
		Description: "Scores how agents are governed, in nine dimensions.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, in scanInput) (scan.Result, error) {
		if !in.Workspace {
			return scanned(in.Description)
		}
		if in.Description != "" {
			return scan.Result{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/workspace",
				Message: "Give a description or workspace: true, not both.",
			}
		}

		facts, err := evidence(ctx)
		if err != nil {
			return scan.Result{}, &tool.Error{
				Code:    "unavailable",
				Message: "The workspace cannot be scanned: " + err.Error() + ".",
			}
		}
		return *scan.FromFacts(facts), nil
	})
}

func scanned(description string) (scan.Result, error) {
	result, err := scan.Describe(description)
	if err != nil {
		return scan.Result{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/description",
			Message: err.Error() + ".",
		}
	}
	return *result, nil
}
