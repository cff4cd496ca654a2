package audit

import (
	"context"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/mcp/tool"
)

type driftInput struct {
	Scope string `json:"scope" enum:"full,roles,versions,files,processes,website,platforms,docs,bots,members,session_facts" default:"full"`
	Max   int64  `json:"max" min:"1" max:"500" default:"500"`
}

// Statuses of a drift audit.
const (
	clean      = "clean"
	drifted    = "drift_detected"
	notChecked = "not_checked"
)

// Drift is the answer of drift_audit.
type Drift struct {
	Scope     string                 `json:"scope"`
	Timestamp time.Time              `json:"timestamp"`
	Status    string                 `json:"status"` // clean, drift_detected or not_checked
	Checked   int                    `json:"checked"`
	Count     int                    `json:"drift_count"`
	Drifts    []drift.Drift          `json:"drifts"`
	Clean     int                    `json:"clean_checks"`
	ByScope   map[string]drift.Scope `json:"by_scope"`
	Skipped   []finding.Skipped      `json:"skipped"`
	Truncated bool                   `json:"truncated"`
}

// AuditDrift compares the workspace with what it says about itself.
func AuditDrift(a *drift.Audit) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "drift_audit",
		Title:       "Drift audit",
		Toolset:     "audit",
		Description: "Where the project disagrees with itself: versions, counts, members, links, commands, files, processes, website.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
		},
	}, func(ctx context.Context, call *tool.Call, in driftInput) (Drift, error) {
		return RunDrift(ctx, a, in.Scope, int(in.Max), call.FileProgress())
	})
}

// RunDrift audits a scope and lists at most limit drifts.
func RunDrift(ctx context.Context, a *drift.Audit, scope string, limit int, progress func(int)) (Drift, error) {
	report, err := a.Run(ctx, scope, progress)
	if err != nil {
		return Drift{}, unreadable(ctx, err)
	}

	answer := Drift{
		Scope:     scope,
		Timestamp: a.Now().UTC(),
		Status:    clean,
		Checked:   report.Checked,
		Count:     len(report.Drifts),
		Drifts:    report.Drifts,
		Clean:     report.Clean,
		ByScope:   report.Scopes,
		Skipped:   report.Skipped,
	}
	if len(answer.Drifts) > limit {
		answer.Drifts = answer.Drifts[:limit]
		answer.Truncated = true
	}

	switch {
	case hasDrift(report.Drifts):
		answer.Status = drifted
	case report.Checked == 0:
		answer.Status = notChecked
	}
	return answer, nil
}

// hasDrift reports whether something disagrees. What is only worth knowing does not.
func hasDrift(drifts []drift.Drift) bool {
	for _, d := range drifts {
		if d.Severity != finding.Info {
			return true
		}
	}
	return false
}

// unreadable is the error of a workspace file, or of a call that ended.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &tool.Error{
		Code:    "not_configured",
		Message: "The workspace cannot be audited: " + err.Error(),
		Hint:    "Repair " + workspace.FileName + "; the message names the line.",
	}
}
