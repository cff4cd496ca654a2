package audit

import (
	"context"
	"path"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/publish"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/functions/toolserver/mcp/tool"
)

type publishInput struct {
	Path   string `json:"path" max:"1024" default:"."`
	Source string `json:"source_file,omitempty" max:"1024"`
}

// Publication is the answer of pre_publish_audit.
type Publication struct {
	Status         string            `json:"status"` // ready_to_publish, warnings_only, BLOCKED_critical_findings or not_checked
	Basis          string            `json:"basis"`  // what says which files ship
	Total          int               `json:"total_findings"`
	Critical       int               `json:"critical_count"`
	Files          int               `json:"files_scanned"`
	Findings       []publish.Finding `json:"findings"`
	Recommendation string            `json:"recommendation"`
	Skipped        []finding.Skipped `json:"skipped"`
	Truncated      bool              `json:"truncated"`
}

// Statuses of a publication.
const (
	readyToPublish = "ready_to_publish"
	warningsOnly   = "warnings_only"
	blockedPublish = "BLOCKED_critical_findings"
)

// PrePublishAudit looks at what would be published.
func PrePublishAudit(w *workspace.Workspace) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "pre_publish_audit",
		Title:       "Audit before publishing",
		Toolset:     "audit",
		Description: "Looks through the files that a package, module or image would ship: credentials, personal data, paths, names.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
		},
	}, func(ctx context.Context, call *tool.Call, in publishInput) (Publication, error) {
		return RunPublication(ctx, w, in.Path, in.Source, call.FileProgress())
	})
}

// RunPublication looks at what a folder of a workspace would publish, or at one file.
func RunPublication(ctx context.Context, w *workspace.Workspace, below, source string, progress func(int)) (Publication, error) {
	state, err := w.Load()
	if err != nil {
		return Publication{}, unreadable(ctx, err)
	}
	for _, name := range []string{below, source} {
		if err := insideWorkspace(name); err != nil {
			return Publication{}, err
		}
	}

	t := tree.Of(w, state.Config)
	t.Progress = progress
	if clean := path.Clean(below); clean != "." && !t.IsThere(clean) {
		_, err := t.Read(clean)
		return Publication{}, tool.FileError(clean, err)
	}
	report, err := publish.Run(ctx, t, below, source)
	if ctx.Err() != nil {
		return Publication{}, ctx.Err()
	}
	if err != nil {
		return Publication{}, tool.FileError(path.Clean(source), err)
	}
	return publication(report, state.Config.Limits.MaxFindings), nil
}

func publication(report publish.Report, limit int) Publication {
	answer := Publication{
		Status:         readyToPublish,
		Basis:          report.Basis,
		Total:          len(report.Findings),
		Files:          report.Files,
		Findings:       report.Findings,
		Skipped:        report.Skipped,
		Recommendation: "Nothing that was looked for would be published.",
	}
	for _, f := range report.Findings {
		if f.Severity == finding.Error {
			answer.Critical++
		}
	}

	switch {
	case answer.Critical > 0:
		answer.Status = blockedPublish
		answer.Recommendation = "Do not publish: take out the critical findings first."
	case answer.Total > 0:
		answer.Status = warningsOnly
		answer.Recommendation = "Look at the warnings before you publish."
	case answer.Files == 0:
		answer.Status = notChecked
		answer.Recommendation = "No file would be published from here, so nothing was checked."
	}
	if len(answer.Findings) > limit {
		answer.Findings, answer.Truncated = answer.Findings[:limit], true
	}
	return answer
}
