package ops

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/projectscan"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/functions/toolserver/mcp/tool"
)

// AnalyzerDeps is what mcp_analyzer works with.
type AnalyzerDeps struct {
	Workspace *workspace.Workspace
	Writer    *edit.Writer
	Now       func() time.Time
}

type analyzerInput struct {
	Mode string `json:"mode" enum:"analyze,write,reload" default:"analyze"`
	Path string `json:"output_path" enum:"CLAUDE.md,AGENTS.md,.github/copilot-instructions.md" default:"CLAUDE.md"`
}

// Analysis is the answer of mcp_analyzer.
type Analysis struct {
	Timestamp  time.Time                    `json:"timestamp"`
	Mode       string                       `json:"mode"`
	Type       string                       `json:"project_type"`
	Languages  []string                     `json:"languages"`
	Frameworks []string                     `json:"frameworks"`
	HasConfig  bool                         `json:"has_config"`
	Tools      []projectscan.Recommendation `json:"recommended_tools"`
	Servers    []projectscan.Servers        `json:"mcp_configs"`
	Details    *projectscan.Project         `json:"details"`
	Suggested  string                       `json:"config_suggestions,omitempty"` // a draft of the workspace file, "" if there is one
	WrittenTo  string                       `json:"written_to,omitempty"`
	Diff       string                       `json:"diff,omitempty"`
	ForcedBy   string                       `json:"forced_by,omitempty"` // config, if nothing may be written
	Entry      string                       `json:"audit_entry,omitempty"`
}

// Modes of mcp_analyzer.
const (
	modeAnalyze = "analyze"
	modeReload  = "reload" // as write, where the section exists
)

// guidanceEvent is the type of the audit entry of a guidance file.
const guidanceEvent = "GUIDANCE_WRITTEN"

// maxGuidance bounds a guidance file, in bytes.
const maxGuidance = 4 << 20

// AnalyzeProject says what a project is made of and which of the offered tools help it, and
// keeps a section of a guidance file up to date.
func AnalyzeProject(d AnalyzerDeps, offered func(tool string) bool) *tool.Tool {
	var writing sync.Mutex // two calls would take each other's change for a foreign one

	return tool.Define(tool.Tool{
		Name:        "mcp_analyzer",
		Title:       "Analyze the project",
		Toolset:     "ops",
		Description: "What the project is made of and which tools help; can keep a section of a guidance file.",
		Hints: tool.Hints{
			Destructive: true,
			Idempotent:  true,
		},
	}, func(ctx context.Context, _ *tool.Call, in analyzerInput) (Analysis, error) {
		state, err := d.Workspace.Load()
		if err != nil {
			return Analysis{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
				Hint:    "A person must repair " + workspace.FileName + ".",
			}
		}
		project, err := projectscan.Scan(ctx, tree.Of(d.Workspace, state.Config), state)
		if err != nil {
			return Analysis{}, err
		}

		answer := d.analysis(state, project, offered)
		answer.Mode = in.Mode
		if in.Mode == modeAnalyze {
			return answer, nil
		}

		writing.Lock()
		defer writing.Unlock()
		guide := project.Guide(answer.Tools)
		err = d.write(ctx, state, in, guide, &answer)
		return answer, err
	})
}

func (d AnalyzerDeps) analysis(state workspace.State, p *projectscan.Project, offered func(string) bool) Analysis {
	answer := Analysis{
		Timestamp:  d.Now().UTC(),
		Type:       p.Type,
		Languages:  p.Languages,
		Frameworks: p.Frameworks,
		HasConfig:  state.Configured,
		Tools:      p.Recommend(offered),
		Servers:    p.Servers,
		Details:    p,
	}
	if state.Configured {
		return answer
	}

	name := cmp.Or(state.Config.Project.Name, "project")
	draft, err := d.Workspace.Draft(name)
	if err != nil {
		p.LimitsHit = append(p.LimitsHit, "config_suggestions: the files could not be listed")
	}
	answer.Suggested = draft
	return answer
}

// write brings the section of a guidance file up to date.
func (d AnalyzerDeps) write(ctx context.Context, state workspace.State, in analyzerInput, guide string, answer *Analysis) error {
	planned, err := d.plan(in, guide)
	if err != nil || planned == nil {
		return err
	}

	dry := state.Config.Propagation.Mode == modePreview
	if dry {
		answer.ForcedBy = byConfig
	}
	done, err := d.Writer.Run(ctx, "mcp_analyzer", guidanceEvent, dry, []edit.File{{
		Path:   in.Path,
		Edits:  []edit.Edit{*planned},
		Create: true,
	}})
	if err != nil {
		return err
	}

	answer.Diff, answer.Entry = done.Diff, done.Entry
	file := done.Files[0]
	switch file.Status {
	case edit.Updated:
		answer.WrittenTo = in.Path
	case edit.Blocked:
		return &tool.Error{
			Code:    "approval_required",
			Message: in.Path + " is not written. " + file.Reason + ".",
			Hint:    "Nothing was changed.",
		}
	case edit.Failed:
		return &tool.Error{
			Code:    "conflict",
			Message: in.Path + ": " + file.Reason + ".",
			Hint:    "Look at the file, then call again.",
		}
	}
	return nil
}

// plan is the edit of a guidance file, nil if its section is up to date.
func (d AnalyzerDeps) plan(in analyzerInput, guide string) (*edit.Edit, error) {
	text, err := d.Workspace.ReadFile(in.Path, maxGuidance)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && (!isNew || in.Mode == modeReload) {
		return nil, tool.FileError(in.Path, err)
	}

	section, err := projectscan.FindSection(text)
	if err == nil && in.Mode == modeReload && !section.Found {
		err = projectscan.ErrNoSection
	}
	switch {
	case errors.Is(err, projectscan.ErrNoSection):
		return nil, &tool.Error{
			Code:    "not_found",
			Message: in.Path + ": " + err.Error() + ".",
			Hint:    "Call with mode write, which adds one at the end.",
		}
	case err != nil:
		return nil, &tool.Error{
			Code:    "conflict",
			Message: in.Path + ": " + err.Error() + ", so nothing is written.",
			Hint:    "A person must repair the file.",
		}
	}
	return section.Edit(text, guide), nil
}
