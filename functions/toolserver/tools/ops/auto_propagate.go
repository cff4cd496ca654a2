package ops

import (
	"context"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/mcp/tool"
)

// PropagateDeps is what the tools work with that write facts.
type PropagateDeps struct {
	Propagator *propagate.Propagator
	Workspace  *workspace.Workspace
	Now        func() time.Time
}

type propagateInput struct {
	DryRun bool     `json:"dry_run" default:"false"`
	Only   []string `json:"only,omitempty" enum:"role,version,content" max:"3"`
}

// Propagation is the answer of auto_propagate.
type Propagation struct {
	Timestamp      time.Time          `json:"timestamp"`
	Mode           string             `json:"mode"` // preview or apply
	ForcedBy       string             `json:"forced_by,omitempty"`
	Run            int                `json:"propagators_run"`
	Results        []propagate.Result `json:"results"`
	ChangedFiles   int                `json:"changed_files"` // or files that would change
	AlreadyCurrent int                `json:"already_current"`
	Diff           string             `json:"diff"`
	Entry          string             `json:"audit_entry,omitempty"`
}

// Modes of a propagation.
const (
	modePreview = "preview"
	modeApply   = "apply"
	byConfig    = "config"
)

// AutoPropagate makes the places agree with their sources that repeat roles, versions and
// counts.
func AutoPropagate(d PropagateDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "auto_propagate",
		Title:       "Propagate facts",
		Toolset:     "ops",
		Description: "Writes roles, versions and counts from their source to the places that the workspace file names.",
		Hints: tool.Hints{
			Destructive: true,
			Idempotent:  true,
		},
		Needs: []tool.Need{tool.NeedWorkspaceFile},
	}, func(ctx context.Context, _ *tool.Call, in propagateInput) (Propagation, error) {
		return RunPropagators(ctx, d, "auto_propagate", in.DryRun, in.Only)
	})
}

// RunPropagators runs the named propagators for a tool, all of them if none is named.
func RunPropagators(ctx context.Context, d PropagateDeps, name string, dry bool, only []string) (Propagation, error) {
	answer := Propagation{
		Timestamp: d.Now().UTC(),
		Mode:      modeApply,
	}
	dry, forced, err := d.preview(dry)
	if err != nil {
		return answer, err
	}
	answer.ForcedBy = forced
	if dry {
		answer.Mode = modePreview
	}
	if len(only) == 0 {
		only = propagate.All
	}

	outcome, err := d.Propagator.Run(ctx, name, dry, only)
	if err != nil {
		return answer, err
	}
	answer.Results = outcome.Results
	answer.Run = len(outcome.Results)
	answer.Diff, answer.Entry = outcome.Diff, outcome.Entry
	for _, r := range outcome.Results {
		answer.AlreadyCurrent += r.Current
	}
	for _, f := range outcome.Files {
		if f.Status == edit.Updated || f.Status == edit.WouldUpdate {
			answer.ChangedFiles++
		}
	}
	return answer, nil
}

// preview reports whether nothing may be written: the caller asks for it, or the workspace
// file says so.
func (d PropagateDeps) preview(dry bool) (bool, string, error) {
	state, err := d.Workspace.Load()
	if err != nil {
		return true, "", &tool.Error{
			Code:    "not_configured",
			Message: "The workspace file cannot be read: " + err.Error(),
			Hint:    "A person must repair " + workspace.FileName + ".",
		}
	}
	if state.Config.Propagation.Mode == modePreview {
		return true, byConfig, nil
	}
	return dry, "", nil
}
