// Package bots holds the tools about chat bots.
package bots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/bots"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/functions/toolserver/mcp/tool"
)

type complianceInput struct {
	Bot string `json:"bot,omitempty" max:"1024"`
}

// Statuses of a check of bots.
const (
	compliant    = "compliant"
	notCompliant = "not_compliant"
	notChecked   = "not_checked"
)

// Compliance is the answer of bot_compliance_check.
type Compliance struct {
	Timestamp   time.Time     `json:"timestamp"`
	Status      string        `json:"status"` // compliant, not_compliant or not_checked
	Bots        int           `json:"total_bots"`
	Compliant   int           `json:"fully_compliant"`
	Checks      int           `json:"total_checks"`
	Passes      int           `json:"total_pass"`
	Fails       int           `json:"total_fail"`
	Results     []bots.Result `json:"results"`
	Skipped     []Skip        `json:"skipped"`
	Description string        `json:"summary"`
}

// Skip is a check that was not made.
type Skip struct {
	Check  string `json:"check"`
	Reason string `json:"reason"`
	Enable string `json:"how_to_enable"`
}

// CheckBotCompliance judges the bots of the workspace file by their standards.
func CheckBotCompliance(w *workspace.Workspace, now func() time.Time) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "bot_compliance_check",
		Title:       "Bot compliance",
		Toolset:     "bots",
		Description: "Judges bot sources by six standards, from code that can run.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, in complianceInput) (Compliance, error) {
		state, err := w.Load()
		if err != nil {
			return Compliance{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		results, err := bots.Check(ctx, tree.Of(w, state.Config), in.Bot)
		if err != nil {
			return Compliance{}, refusal(ctx, err)
		}
		answer := sum(results)
		answer.Timestamp = now().UTC()
		return answer, nil
	})
}

// refusal is the error of a bot that is not listed, or of a scan that failed.
func refusal(ctx context.Context, err error) error {
	if errors.Is(err, bots.ErrUnlisted) {
		return &tool.Error{
			Code:    "invalid_argument",
			Message: "Only the bots of " + workspace.FileName + " are read, and this file is none of them.",
			Hint:    "Name it under bots.files.",
			Field:   "/bot",
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &tool.Error{
		Code:    "unavailable",
		Message: "The bots cannot be read: " + err.Error(),
	}
}

func sum(results []bots.Result) Compliance {
	answer := Compliance{
		Status:  compliant,
		Bots:    len(results),
		Results: results,
		Skipped: []Skip{},
	}
	for _, r := range results {
		answer.Passes += r.Passes()
		answer.Fails += r.Fails()
		if r.Compliant {
			answer.Compliant++
		}
	}
	answer.Checks = answer.Passes + answer.Fails

	if answer.Fails > 0 {
		answer.Status = notCompliant
	}
	answer.Description = fmt.Sprintf("%d of %d bots keep every standard; %d of %d checks pass.", answer.Compliant, answer.Bots, answer.Passes, answer.Checks)
	if len(results) == 0 {
		answer.Status = notChecked
		answer.Description = "Nothing was checked: no bot is described."
		answer.Skipped = append(answer.Skipped, Skip{
			Check:  "bots",
			Reason: "no bot is described",
			Enable: "Describe bots.files in " + workspace.FileName + ".",
		})
	}
	return answer
}
