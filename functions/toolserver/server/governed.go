package server

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/tools/core"
)

// governed is the project that the server governs: its files, their recorded violations,
// and the approvals.
type governed struct {
	workspace  *workspace.Workspace
	violations *violations.Log
	approvals  *approval.Book
	now        func() time.Time
	watch      time.Duration // between two comparisons, 0 for the usual
}

func openGoverned(d Deps) (*governed, error) {
	files, err := workspace.Open(d.Workspace, d.DataDir)
	if err != nil {
		return nil, err
	}

	log := &violations.Log{
		Trail:     d.Audit,
		Workspace: files,
		Now:       d.Now,
		Random:    d.Random,
	}
	book := &approval.Book{
		Workspace: files,
		Now:       d.Now,
		Random:    d.Random,
		Record:    log.Note,
	}
	log.Approved = book.Holds

	return &governed{
		workspace:  files,
		violations: log,
		approvals:  book,
		now:        d.Now,
		watch:      d.Watch,
	}, nil
}

// hide redacts the path of the workspace and recognizable secrets in a text.
func (g *governed) hide(text string) string {
	return mask.Shapes(g.workspace.Hide(text))
}

// about describes the setup of the workspace; an unreadable one counts as not set up.
func (g *governed) about() core.Workspace {
	state, err := g.workspace.Load()
	if err != nil {
		return core.Workspace{}
	}

	about := core.Workspace{
		Configured:  state.Configured,
		Untouchable: len(state.Config.Untouchable),
		Protected:   len(state.Config.Protected),
	}

	if info, err := fs.Stat(g.workspace.Files(), state.Config.Session.Handoff); err == nil {
		age := int64(max(g.now().Sub(info.ModTime()), 0) / time.Second)
		about.HandoffAge = &age
	}
	return about
}

// rules returns the rules with the settings of the workspace. If it cannot be read, all
// rules apply.
func (g *governed) rules() []framework.Rule {
	state, err := g.workspace.Load()
	if err != nil {
		return framework.Rules()
	}

	extra := []framework.Rule{}
	for _, r := range state.Config.Rules.Extra {
		extra = append(extra, framework.Rule{
			ID:          r.ID,
			Name:        cmp.Or(r.Name, r.ID),
			Rule:        r.Rule,
			Trigger:     r.Trigger,
			Enforcement: r.Enforcement,
			Prevents:    r.Prevents,
		})
	}

	return framework.With(state.Config.Rules.Disabled, extra)
}

// count counts the files that the lists match, except the service's own.
func (g *governed) count() (untouchable, protected uint64, err error) {
	state, err := g.workspace.Load()
	if err != nil {
		return 0, 0, err
	}

	err = g.workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			if name == workspace.StateDir || name == ".git" {
				return fs.SkipDir
			}
			return nil
		}

		switch decision, rule := state.Policy.Decide(name); {
		case decision == policy.Blocked && !g.workspace.Own(rule):
			untouchable++
		case decision == policy.Protected:
			protected++
		}
		return nil
	})
	return untouchable, protected, err
}

// net compares the governed files with their baseline.
func (g *governed) net() *baseline.Net {
	return &baseline.Net{
		Workspace: g.workspace,
		Log:       g.violations,
		Now:       g.now,
		Approved:  g.approvals.UsedSince,
	}
}

// sayRehearsal says at the start that hooks refuse nothing.
func (g *governed) sayRehearsal(ctx context.Context) {
	state, err := g.workspace.Load()
	if err == nil && state.Config.Mode == workspace.Observe {
		slog.WarnContext(ctx, "the guard only rehearses: hooks write down what they would refuse, and let it pass",
			"mode", state.Config.Mode)
	}
}

// journal takes what hooks wrote down into the audit chain.
func (g *governed) journal() outcome.Drain {
	return outcome.Drain{
		Journal: outcome.Journal{
			Workspace: g.workspace,
			Now:       g.now,
			Random:    g.violations.Random,
		},
		Log: g.violations,
	}
}
