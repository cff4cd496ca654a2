package audit

import (
	"context"
	"io/fs"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fabrication"
	"governance.internal/functions/toolserver/mcp/tool"
)

type accountabilityInput struct {
	Scope string    `json:"scope" enum:"full,credentials,duplicates,defaults,workarounds" default:"full"`
	Path  string    `json:"path" max:"1024" default:"."`
	Since time.Time `json:"since,omitzero" doc:"Default: the last handoff, at least 24 hours."`
}

// Accountability is the answer of accountability_check.
type Accountability struct {
	Status         string                `json:"status"` // clean, suspicious, FABRICATION_DETECTED or not_checked
	GeneratedAt    time.Time             `json:"generated_at"`
	Checked        int                   `json:"checked"`
	Fabrications   int                   `json:"fabrications"`
	Total          int                   `json:"total_findings"`
	Findings       []fabrication.Finding `json:"findings"`
	Recommendation string                `json:"recommendation"`
	Skipped        []string              `json:"skipped"`
	Truncated      bool                  `json:"truncated"`
	Limits         []string              `json:"limits_hit"`
}

var recommendations = map[string]string{
	"clean":                "Nothing of what this tool knows was found. That is no proof that the work is right.",
	"suspicious":           "Look at each finding, and say why it is as it is.",
	"FABRICATION_DETECTED": "Stop. Restore the real values and tell the person what was replaced.",
	"not_checked":          "Not everything was looked at: give another or a smaller folder.",
}

// CheckAccountability looks for fabricated solutions.
func CheckAccountability(w *workspace.Workspace, now func() time.Time) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "accountability_check",
		Title:       "Accountability check",
		Toolset:     "audit",
		Description: "Finds fabricated solutions: placeholders beside real values, copies, skipped tests, ignored failures.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in accountabilityInput) (Accountability, error) {
		state, err := w.Load()
		if err != nil {
			return Accountability{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		p, err := w.Locate(".", in.Path)
		if err != nil || p.Real == "" {
			return Accountability{}, &tool.Error{
				Code:    "path_outside_workspace",
				Field:   "/path",
				Message: "This is no folder of the workspace.",
			}
		}

		if p.Info == nil {
			return Accountability{}, &tool.Error{
				Code:    "not_found",
				Field:   "/path",
				Message: "There is no such folder.",
			}
		}

		if in.Since.IsZero() {
			in.Since = began(w, state, now())
		}

		report, err := fabrication.Search{
			Workspace: w,
			State:     state,
			Folder:    p.Real,
			Since:     in.Since,
			Scope:     in.Scope,
		}.Run()
		if err != nil {
			return Accountability{}, &tool.Error{
				Code:    "limit_exceeded",
				Field:   "/path",
				Message: "The folder cannot be searched as a whole: " + err.Error() + ".",
				Hint:    "Give a smaller folder.",
			}
		}

		return judged(report, now()), nil
	})
}

// began returns the start of the checked work: the last handoff, and at least a day ago.
func began(w *workspace.Workspace, state workspace.State, now time.Time) time.Time {
	since := now.Add(-24 * time.Hour)
	if info, err := fs.Stat(w.Files(), state.Config.Session.Handoff); err == nil &&
		info.ModTime().Before(since) {
		return info.ModTime()
	}
	return since
}

func judged(report fabrication.Report, at time.Time) Accountability {
	a := Accountability{
		Status:      "clean",
		GeneratedAt: at.UTC(),
		Checked:     report.Checked,
		Total:       len(report.Findings),
		Findings:    report.Findings,
		Skipped:     report.Skipped,
		Truncated:   report.Truncated,
		Limits:      report.Limits,
	}
	for _, f := range report.Findings {
		if f.Severity == "error" {
			a.Fabrications++
		}
	}

	switch {
	case a.Fabrications > 0:
		a.Status = "FABRICATION_DETECTED"
	case a.Total > 0:
		a.Status = "suspicious"
	case a.Checked == 0 || a.Truncated:
		a.Status = "not_checked"
	}

	a.Recommendation = recommendations[a.Status]
	return a
}
