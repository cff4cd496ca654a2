// Package preflight is the guard: it decides before a change whether an agent may
// make it. The lists are those of the workspace file; what counts is the file that
// would really change, whatever name it is given.
package preflight

import (
	"context"
	"strings"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Operations on a file.
const (
	Edit    = "edit"
	Create  = "create"
	Delete  = "delete"
	Rename  = "rename"
	Execute = "execute"
	Read    = "read" // only what is untouchable may not be read
)

// Ways in which a name leads to the file that a rule is about.
const (
	Direct   = "direct"
	Symlink  = "symlink"
	Hardlink = "hardlink"
	Parent   = "parent"   // a folder above it
	Case     = "case"     // another spelling of its name
	Checkout = "checkout" // another checkout of the repository
)

// Result is the decision about one path.
type Result struct {
	Path     string          `json:"path"`
	Decision policy.Decision `json:"decision"`
	Matched  *policy.Rule    `json:"matched"`
	Via      string          `json:"via"`
	Approval *string         `json:"approval_id"`
	Reason   string          `json:"reason"`
}

// Report is the decision about an action.
type Report struct {
	Decision policy.Decision `json:"decision"`
	ExitCode int             `json:"exit_code"` // 0 OK, 1 PROTECTED, 2 BLOCKED, 3 UNKNOWN
	Results  []Result        `json:"results"`
	Logged   string          `json:"logged_entry,omitempty"` // id of the audit entry of a refusal
	Next     string          `json:"next"`
	// Rehearsed says that the workspace file asks only to write refusals down (mode observe).
	Rehearsed bool `json:"rehearsed,omitempty"`
}

var exitCodes = map[policy.Decision]int{policy.OK: 0, policy.Protected: 1, policy.Blocked: 2, policy.Unknown: 3}

// Action is what an agent wants to do with files.
type Action struct {
	Agent     string // who asks, as it calls itself
	AgentID   string // of a subagent, "" for none
	AgentType string // of the agent within its session, "" if it does not say
	Tool      string // through which it asks
	Operation string
	Dir       string // folder of relative paths: absolute, or from the root
	Paths     []string
	Command   string // the shell command, if it is one
}

// Gate decides. It is safe for concurrent use.
type Gate struct {
	Workspace *workspace.Workspace
	Log       *violations.Log
	Approvals *approval.Book // nil if approvals are off
	// Enforces means that the change follows if the answer is OK, which uses up an
	// approval. Otherwise the answer only reports that there is one.
	Enforces bool
	// Installed says that a person put the gate in front of an agent. Without rules nothing
	// passes it.
	Installed bool
	// Fenced says that who asks is behind a fence of the kernel, in which protected files are
	// read-only: an approved change is made from outside, so no answer uses its approval up.
	Fenced bool
	Behind int // the process that asks then; 0 if it is not known
	// Snapshot keeps the workspace as it is before a destructive command, and returns the id
	// of the snapshot; nil if this gate only judges.
	Snapshot func(context.Context) (id string, err error)
	// Halted says why everything is halted, "" if it is not; nil without a kill switch.
	Halted func() string
}

// Check decides about files, and records a refusal. An error means that the refusal
// could not be recorded; the decision holds all the same.
func (g *Gate) Check(ctx context.Context, a Action) (Report, error) {
	state, err := g.Workspace.Load()
	if why := g.without(state, err); why != "" && (err != nil || a.Operation != Read) {
		return g.refuseAll(ctx, a, why)
	}

	report := Report{Decision: policy.OK, Results: []Result{}}
	for _, name := range a.Paths {
		result := g.decide(state, a.Dir, name, a.Operation)
		if a.Operation == Read && result.Decision == policy.Protected {
			result.Decision, result.Reason = policy.OK, "The file is protected from changes and may be read."
		}
		report.add(result)
	}

	report = g.lift(ctx, state, a, report)
	return g.finish(ctx, state, a, report)
}

// Look decides about files as [Gate.Check] does, and records nothing. A tool that changes
// files itself asks so: with spend the change follows at once, and approvals are used up.
func (g *Gate) Look(ctx context.Context, a Action, spend bool) Report {
	report := Report{Decision: policy.OK, Results: []Result{}}
	state, err := g.Workspace.Load()
	if why := g.without(state, err); why != "" {
		report.Decision, report.Next = policy.Blocked, why
		return report
	}

	for _, name := range a.Paths {
		report.add(g.decide(state, a.Dir, name, a.Operation))
	}

	asked := *g
	asked.Enforces = spend
	return asked.lift(ctx, state, a, report)
}

// CheckNames decides about texts that may be names of files, for a tool of which the guard does not
// knows what it does with them. Only names that are on a list count. They are judged from the
// folder of the action and from the root: servers of other tools count from there.
func (g *Gate) CheckNames(ctx context.Context, a Action) (Report, error) {
	state, err := g.Workspace.Load()
	if why := g.without(state, err); why != "" {
		a.Paths = []string{"."}
		return g.refuseAll(ctx, a, why)
	}

	report := Report{Decision: policy.OK, Results: []Result{}}
	for _, name := range a.Paths {
		for _, dir := range []string{a.Dir, "."} {
			report.add(g.onLists(state, dir, name, a.Operation)...)
		}
	}

	report = g.lift(ctx, state, a, report)
	return g.finish(ctx, state, a, report)
}

func (g *Gate) onLists(state workspace.State, dir, name, operation string) []Result {
	if strings.ContainsAny(name, "*?[") &&
		!strings.Contains(name, " ") { // a sentence may ask something
		return named(g.matching(state, dir, name, operation)...)
	}
	return named(g.decide(state, dir, name, operation))
}

// without says why nothing may be changed, whatever it is, and what to do: everything is
// halted, or there are no rules to decide by. It is "" otherwise.
func (g *Gate) without(state workspace.State, problem error) string {
	if g.Halted != nil {
		if reason := g.Halted(); reason != "" {
			return "Everything is halted (" + reason + "), so nothing may be changed until a person lifts the halt."
		}
	}

	switch {
	case problem != nil:
		return "The workspace file cannot be read, so nothing may be changed: " + problem.Error() + ". A person must repair it."
	case g.Installed && !state.Configured:
		return "A guard is installed here and there is no " + workspace.FileName + " to say what agents may change, so nothing may be changed. A person writes one with governance init, or takes the hook out of the settings of the agent."
	}
	return ""
}

// refuseAll refuses a change, whatever it is.
func (g *Gate) refuseAll(ctx context.Context, a Action, why string) (Report, error) {
	report := Report{Decision: policy.Blocked, Results: []Result{}}
	for _, name := range a.Paths {
		report.Results = append(report.Results, Result{
			Path:     g.shown(a.Dir, name),
			Decision: policy.Blocked,
			Via:      Direct,
			Reason:   why,
		})
	}
	return g.finish(ctx, workspace.State{}, a, report)
}

// shown is the name of a file for people: never one above the workspace.
func (g *Gate) shown(dir, name string) string {
	p, err := g.Workspace.Locate(dir, name)
	switch {
	case err != nil:
		return "(not a path)"
	case p.Name != "":
		return p.Name
	case p.Real != "":
		return p.Real
	}
	return "(outside of the workspace)"
}

// finish records a refusal and says what to do next.
func (g *Gate) finish(ctx context.Context, state workspace.State, a Action, report Report) (Report, error) {
	report.ExitCode = exitCodes[report.Decision]
	report.Rehearsed = rehearsed(state, report)
	switch report.Decision {
	case policy.OK:
		report.Next = "Make the change, and note it in the worklog."
		return report, nil
	case policy.Unknown:
		report.Next = "Nothing was checked. Ask a person before you change what others rely on."
		return report, nil
	case policy.Protected:
		report.Next = nextOfProtected(report)
	case policy.Blocked:
		report.Next = "Do not make the change, and do not try another way. Tell the person what you wanted to do."
	}
	return g.record(ctx, a, report)
}

// nextOfProtected is what to do about a protected file. With an approval it is refused only behind
// a fence.
func nextOfProtected(report Report) string {
	for _, result := range report.Results {
		if result.Approval != nil {
			return "The file is read-only here. Have it written from outside: governance write -agent NAME FILE, with the name that the approval is for and the new content on standard input."
		}
	}
	return "Do not make the change. Ask a person, with request_approval where it is offered, and wait for the answer."
}

func (g *Gate) record(ctx context.Context, a Action, report Report) (Report, error) {
	kind := violations.BlockedProtected
	if report.Decision == policy.Blocked {
		kind = violations.BlockedUntouchable
	}
	if report.Rehearsed {
		kind = violations.WouldBlock
	}

	detail := map[string]any{
		"agent":     shorten(a.Agent, 100),
		"tool":      shorten(a.Tool, 100),
		"operation": a.Operation,
	}

	if a.AgentID != "" {
		detail["agent_id"] = shorten(a.AgentID, 100)
	}
	if a.AgentType != "" {
		detail["agent_type"] = shorten(a.AgentType, 100)
	}
	if a.Command != "" {
		detail["command_sha256"], detail["program"] = digest(a.Command), programOf(a.Command)
	}

	for _, result := range report.Results {
		if result.Decision == report.Decision {
			detail["path"], detail["via"] = result.Path, result.Via
			if result.Matched != nil {
				detail["pattern"] = result.Matched.Pattern
			}
			break
		}
	}

	entry, err := g.Log.Record(ctx, "guard", kind, detail)
	if err == nil {
		report.Logged = entry.ID
	}

	return report, err
}
