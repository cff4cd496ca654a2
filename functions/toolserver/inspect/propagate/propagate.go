// Package propagate makes the places that repeat a fact agree with its source: roles,
// versions, counts, members, and what documents state. Only bytes that state a fact are
// replaced, and only where the workspace file says so.
package propagate

import (
	"context"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Propagators, in their order.
const (
	Role    = "role"
	Version = "version"
	Content = "content"
)

// All are the propagators.
var All = []string{Role, Version, Content}

// event is the audit entry of a propagation.
const event = "PROPAGATE"

// Propagator writes facts to the places that repeat them.
type Propagator struct {
	Audit  *drift.Audit
	Writer *edit.Writer
}

// Result is what one propagator came to.
type Result struct {
	Propagator string      `json:"propagator"`
	Status     string      `json:"status"`     // current, would_update, updated, blocked or error
	Configured bool        `json:"configured"` // the workspace file names places for it; else nothing was compared
	Files      []edit.File `json:"files"`
	Unfixable  []Unfixable `json:"unfixable"`
	Current    int         `json:"already_current"` // places that are right
}

// Unfixable is a place, or a source, that a person must see to.
type Unfixable struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Type   string `json:"type"`
	Fact   string `json:"fact"`
	Reason string `json:"reason"`
}

// Outcome is what the propagators came to together.
type Outcome struct {
	Results []Result
	Files   []edit.File
	Diff    string
	Entry   string
}

// plan is what one propagator wants to change.
type plan struct {
	name       string
	configured bool
	group      edit.Group
	unfixable  []Unfixable
	broken     bool // a source cannot be read
	current    int
}

func newPlan(name string) *plan {
	return &plan{
		name:  name,
		group: edit.Group{},
	}
}

// add plans the edits of claims that are wrong.
func (p *plan) add(found fact.Findings) {
	for _, c := range found.Claims {
		p.configured = true
		switch {
		case !c.Wrong():
			p.current++
		case c.Fixed != "":
			p.unfixable = append(p.unfixable, Unfixable{
				File:   c.File,
				Line:   c.Line,
				Type:   c.Kind,
				Fact:   c.Fact,
				Reason: c.Fixed,
			})
		default:
			p.group.Add(c.File, editOf(c))
		}
	}

	for _, problem := range found.Problems {
		p.configured = true
		p.broken = p.broken || problem.Severity == finding.Error
		p.unfixable = append(p.unfixable, Unfixable{
			File:   problem.File,
			Line:   problem.Line,
			Type:   problem.Type,
			Fact:   problem.Fact,
			Reason: problem.Message,
		})
	}
}

func editOf(c fact.Claim) edit.Edit {
	e := edit.Edit{
		Start: c.Start,
		End:   c.End,
		Was:   c.Found,
		Write: c.Write,
		Line:  c.Line,
		From:  c.Found,
		To:    c.Write,
	}
	if c.Written != "" { // with quotes and escapes
		e.Was = c.Written
		e.To = c.Expected
	}
	return e
}

// Run lets the named propagators make every place right, or shows what they would do. All
// files are written in one go, with one entry in the audit chain.
func (p *Propagator) Run(ctx context.Context, tool string, dry bool, names []string) (Outcome, error) {
	state, err := p.Audit.Workspace.Load()
	if err != nil {
		return Outcome{}, err
	}
	t := tree.Of(p.Audit.Workspace, state.Config)
	byKind, err := drift.Claims(ctx, t, p.Audit.Builtins)
	if err != nil {
		return Outcome{}, err
	}

	var plans []*plan
	for _, name := range All {
		if !slices.Contains(names, name) {
			continue
		}
		each := newPlan(name)
		switch name {
		case Role:
			found, err := roles(ctx, t, state.Config)
			if err != nil {
				return Outcome{}, err
			}
			each.add(found)
		case Version:
			each.add(byKind[fact.Version])
		case Content:
			each.add(byKind[fact.Count])
		}
		plans = append(plans, each)
	}
	return p.carryOut(ctx, tool, dry, plans)
}

// roles are the fields of members in all targets.
func roles(ctx context.Context, t *tree.Tree, c workspace.Config) (fact.Findings, error) {
	var all fact.Findings
	if c.RolesSource == nil {
		return all, nil
	}
	roster, err := fact.ReadRoster(t, *c.RolesSource)
	if err != nil {
		all.Problems = append(all.Problems, fact.Problem{
			Kind:     fact.Role,
			Type:     fact.SourceMissing,
			Severity: finding.Error,
			Fact:     "roles_source",
			Source:   roster.Where,
			File:     c.RolesSource.File,
			Message:  err.Error(),
		})
		return all, nil
	}

	for _, target := range c.Members.Targets {
		place, err := fact.Compare(ctx, t, roster, target)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if err != nil {
			all.Problems = append(all.Problems, fact.Problem{
				Kind:     fact.Role,
				Type:     fact.Unreadable,
				Severity: finding.Error,
				Fact:     "members",
				Source:   roster.Where,
				File:     target.File,
				Message:  err.Error(),
			})
			continue
		}
		all.Claims = append(all.Claims, place.Fields...)
	}
	return all, nil
}

// carryOut writes the plans, and tells each propagator what became of its files.
func (p *Propagator) carryOut(ctx context.Context, tool string, dry bool, plans []*plan) (Outcome, error) {
	merged := edit.Group{}
	for _, each := range plans {
		for file, edits := range each.group {
			for _, e := range edits {
				merged.Add(file, e)
			}
		}
	}

	written, err := p.Writer.Run(ctx, tool, event, dry, merged.Files())
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Files: written.Files,
		Diff:  written.Diff,
		Entry: written.Entry,
	}
	for _, each := range plans {
		outcome.Results = append(outcome.Results, each.result(written.Files))
	}
	return outcome, nil
}

// result is a plan with what became of its files.
func (p *plan) result(written []edit.File) Result {
	r := Result{
		Propagator: p.name,
		Configured: p.configured,
		Files:      p.group.Files(),
		Unfixable:  append([]Unfixable{}, p.unfixable...),
		Current:    p.current,
	}
	for i := range r.Files {
		at := slices.IndexFunc(written, func(f edit.File) bool { return f.Path == r.Files[i].Path })
		r.Files[i].Status = written[at].Status
		r.Files[i].Reason = written[at].Reason
		r.Files[i].Backup = written[at].Backup
	}

	r.Status = p.status(r.Files)
	return r
}

// status is the worst that became of the files.
func (p *plan) status(files []edit.File) string {
	has := func(status string) bool {
		return slices.ContainsFunc(files, func(f edit.File) bool { return f.Status == status })
	}
	switch {
	case p.broken || has(edit.Failed):
		return edit.Failed
	case has(edit.Blocked):
		return edit.Blocked
	case has(edit.Updated):
		return edit.Updated
	case has(edit.WouldUpdate):
		return edit.WouldUpdate
	}
	return edit.Current
}
