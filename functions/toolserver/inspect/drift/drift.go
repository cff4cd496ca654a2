// Package drift finds where a project no longer agrees with itself: a version that a page
// repeats wrongly, a link to a file that is gone, a process that should run and does not.
//
// A scope is one kind of agreement. A scope that has nothing to look at is skipped with the
// reason, so that nothing counts as clean which was not checked.
package drift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Scopes.
const (
	Full         = "full"
	Roles        = "roles"
	Versions     = "versions"
	Files        = "files"
	Processes    = "processes"
	Website      = "website"
	Platforms    = "platforms"
	Docs         = "docs"
	Bots         = "bots"
	Members      = "members"
	SessionFacts = "session_facts"
)

// Drift is one disagreement.
type Drift struct {
	Type     string `json:"type"`
	Source   string `json:"source"` // where the truth stands
	Target   string `json:"target"` // the file or the process that disagrees
	Field    string `json:"field"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Severity string `json:"severity"` // as of package finding
	Line     int    `json:"line"`     // 0 if the target has none
	Fixable  bool   `json:"fixable"`
	Message  string `json:"message"`
}

// Result is what one scope found.
type Result struct {
	Checked int
	Drifts  []Drift
	Skipped []finding.Skipped
}

func (r *Result) found(d Drift) {
	r.Drifts = append(r.Drifts, d)
}

func (r *Result) skip(check, reason, enable string) {
	r.Skipped = append(r.Skipped, finding.Skipped{Check: check, Reason: reason, Enable: enable})
}

// Process is one of the workspace file as it is now.
type Process struct {
	Name     string
	State    string // running, or any other word
	Known    bool   // that its provider could be asked
	Restarts int    // in the last hour
	PID      int    // 0 for none on this machine
	Why      string
}

// Running is the state of a process that runs.
const Running = "running"

// SessionFact is something that a session noted for good.
type SessionFact struct {
	Title   string
	At      time.Time
	File    string
	Line    int
	Damaged bool // the line could not be read, so the title and the time are unknown
}

// Audit holds a workspace against itself. Functions that are nil make their checks skipped.
type Audit struct {
	Workspace *workspace.Workspace
	Builtins  fact.Builtins
	Net       *baseline.Net
	Now       func() time.Time

	Processes func(context.Context) ([]Process, error)
	Listening func() (map[int]bool, error)
	Facts     func(ctx context.Context, since time.Time) ([]SessionFact, error)
	Bots      func(ctx context.Context, t *tree.Tree) (Result, error)
}

// scan is one run over a workspace.
type scan struct {
	*Audit
	state  workspace.State
	tree   *tree.Tree
	claims map[string]fact.Findings // of versions and counts, once they were read
}

// check looks at one scope.
type check func(*scan, context.Context) (Result, error)

// scopes are all scopes in their order.
var scopes = []struct {
	name  string
	check check
}{
	{Roles, (*scan).roles},
	{Members, (*scan).members},
	{Versions, (*scan).versions},
	{Files, (*scan).files},
	{Processes, (*scan).processes},
	{Website, (*scan).website},
	{Platforms, (*scan).platforms},
	{Docs, (*scan).docs},
	{Bots, (*scan).bots},
	{SessionFacts, (*scan).sessionFacts},
}

// Report is the answer of an audit.
type Report struct {
	Drifts  []Drift
	Scopes  map[string]Scope
	Skipped []finding.Skipped
	Checked int
	Clean   int // scopes that were checked and hold
}

// Scope is what one scope came to.
type Scope struct {
	Checked int    `json:"checked"`
	Drifts  int    `json:"drifts"`
	Skipped string `json:"skipped,omitempty"` // why nothing was checked
}

// Run checks a scope, or all of them with [Full]. Progress receives the number of checked
// files. The error is that of the workspace file, or of the context.
func (a *Audit) Run(ctx context.Context, scope string, progress func(done int)) (Report, error) {
	s, err := a.scan()
	if err != nil {
		return Report{}, err
	}
	s.tree.Progress = progress

	report := Report{
		Drifts:  []Drift{},
		Scopes:  map[string]Scope{},
		Skipped: []finding.Skipped{},
	}
	for _, each := range scopes {
		if scope != Full && scope != each.name {
			continue
		}
		result, err := each.check(s, ctx)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if err != nil {
			return report, fmt.Errorf("scope %s: %w", each.name, err)
		}
		report.add(each.name, result)
	}

	if _, err := s.tree.Files(ctx); errors.Is(err, workspace.ErrManyFiles) {
		report.Skipped = append(report.Skipped, finding.Skipped{
			Check:  scope,
			Reason: err.Error(),
			Enable: "Raise limits.max_files in " + workspace.FileName + ".",
		})
	}
	report.sort()
	return report, ctx.Err()
}

// scan prepares a run. The error is that of the workspace file.
func (a *Audit) scan() (*scan, error) {
	state, err := a.Workspace.Load()
	if err != nil {
		return nil, err
	}
	return &scan{
		Audit: a,
		state: state,
		tree:  tree.Of(a.Workspace, state.Config),
	}, nil
}

func (r *Report) add(name string, result Result) {
	summary := Scope{
		Checked: result.Checked,
		Drifts:  len(result.Drifts),
	}
	if result.Checked == 0 && len(result.Skipped) > 0 {
		summary.Skipped = result.Skipped[0].Reason
	}
	if result.Checked > 0 && len(result.Drifts) == 0 {
		r.Clean++
	}

	r.Scopes[name] = summary
	r.Checked += result.Checked
	r.Skipped = append(r.Skipped, result.Skipped...)
	for _, d := range result.Drifts {
		d.Expected, d.Found = mask.Text(d.Expected), mask.Text(d.Found)
		d.Message = mask.Text(d.Message)
		r.Drifts = append(r.Drifts, d)
	}
}

// sort puts the drifts in the order of their places, and removes those that two scopes
// found.
func (r *Report) sort() {
	slices.SortStableFunc(r.Drifts, func(a, b Drift) int {
		return cmp.Or(
			strings.Compare(a.Target, b.Target),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Type, b.Type),
			strings.Compare(a.Field, b.Field),
			strings.Compare(a.Expected, b.Expected),
			strings.Compare(a.Found, b.Found),
		)
	})
	r.Drifts = slices.CompactFunc(r.Drifts, func(a, b Drift) bool {
		return a.Target == b.Target &&
			a.Line == b.Line &&
			a.Type == b.Type &&
			a.Field == b.Field &&
			a.Expected == b.Expected &&
			a.Found == b.Found
	})
}

// enable tells what a person writes so that a scope is checked.
func enable(section string) string {
	return "Describe " + section + " in " + workspace.FileName + "."
}
