package preflight

import (
	"context"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// rehearsed reports whether a refusal is only written down: the workspace file says so, and
// nothing is at stake on which the rehearsal itself stands. A halt and a workspace file that
// cannot be read come with an empty state, so they are never rehearsed.
func rehearsed(state workspace.State, report Report) bool {
	refused := report.Decision == policy.Blocked || report.Decision == policy.Protected
	if !refused || state.Config.Mode != workspace.Observe {
		return false
	}
	for _, result := range report.Results {
		if result.Decision == policy.Blocked && isFixed(result.Matched) {
			return false
		}
	}
	return true
}

// isFixed reports whether a rule protects the guard itself: its rules, its state and the
// settings through which agents call it.
func isFixed(rule *policy.Rule) bool {
	return rule != nil &&
		rule.Line == 0 &&
		rule.List == policy.Untouchable &&
		!workspace.OfGit(rule)
}

// MayChange reports whether a shell command that runs in a folder of the workspace may change any file.
func (g *Gate) MayChange(dir, text string) bool {
	return mayChange(analyze(text, g.scene(dir)))
}

// RefuseType refuses a call because of the type of the agent that makes it.
func (g *Gate) RefuseType(ctx context.Context, a Action) (Report, error) {
	state, err := g.Workspace.Load()
	if err != nil { // then everything is refused that changes something
		state = workspace.State{}
	}
	report := Report{
		Decision: policy.Blocked,
		Results: []Result{{
			Path:     ".",
			Decision: policy.Blocked,
			Via:      Direct,
			Reason:   "Agents of the type " + a.AgentType + " only read here (agents in " + workspace.FileName + ").",
		}},
	}
	return g.finish(ctx, state, a, report)
}
