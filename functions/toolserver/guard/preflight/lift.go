package preflight

import (
	"context"
	"log/slog"
	"slices"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// ActionOf is what a person would approve: one file and what happens to it.
func ActionOf(agent, operation, path string) approval.Action {
	return approval.Action{
		Agent:     agent,
		Operation: operation,
		Paths:     []string{path},
	}
}

// CommandAction is what a person would approve of a command: just this text.
func CommandAction(agent, text string) approval.Action {
	return approval.Action{
		Agent:     agent,
		Operation: "command",
		Command:   text,
	}
}

// Approvable is an action with the version of the lists that it is asked under.
type Approvable struct {
	approval.Action
	Policy string
}

// NotApprovable says why no person can approve something.
type NotApprovable struct{ why string }

func (e *NotApprovable) Error() string { return e.why }

// Actions are what a person must approve for changes of files, or for a command. The
// error is a [*NotApprovable], or says that the workspace file cannot be read.
func (g *Gate) Actions(agent, operation string, paths []string, text string) ([]Approvable, error) {
	state, err := g.Workspace.Load()
	if err != nil {
		return nil, &NotApprovable{"The workspace file cannot be read: " + err.Error()}
	}

	if text != "" {
		action, err := g.commandAction(state, agent, text)
		return []Approvable{{action, state.Policy.Version()}}, err
	}

	var actions []Approvable
	for _, name := range paths {
		switch result := g.decide(state, ".", name, operation); result.Decision {
		case policy.Blocked:
			return nil, &NotApprovable{result.Path + " is untouchable: no approval lifts that."}
		case policy.Protected:
			actions = append(actions, Approvable{ActionOf(agent, operation, result.Path), state.Policy.Version()})
		}
	}

	if len(actions) == 0 {
		return nil, &NotApprovable{"None of these files is protected, so there is nothing to approve."}
	}
	return actions, nil
}

// commandAction is a command with the files that it would change, as far as anybody can see.
func (g *Gate) commandAction(state workspace.State, agent, text string) (approval.Action, error) {
	action := CommandAction(agent, text)
	report := g.judgeCommand(state, ".", analyze(text, g.scene(".")))
	for _, result := range report.Results {
		if result.Decision == policy.Blocked {
			return action, &NotApprovable{"The command changes " + result.Path + ", which is untouchable: no approval lifts that."}
		}
		action.Files = append(action.Files, result.Path)
	}

	slices.Sort(action.Files)
	action.Files = slices.Compact(action.Files)
	return action, nil
}

// lift lets protected files pass for which there are approvals. They are used up
// only if nothing else stands in the way.
func (g *Gate) lift(ctx context.Context, state workspace.State, a Action, report Report) Report {
	if g.Approvals == nil || report.Decision != policy.Protected {
		return report
	}
	var actions []approval.Action
	seen := map[string]bool{} // one approval is enough for a file that is named twice
	lifted := Report{Decision: policy.OK, Results: []Result{}}
	for _, result := range report.Results {
		if result.Decision == policy.Protected {
			action := ActionOf(a.Agent, a.Operation, result.Path)
			found := g.found(ctx, action, state)
			if found == nil {
				return report
			}
			if !seen[result.Path] {
				seen[result.Path] = true
				actions = append(actions, action)
			}

			result.Decision, result.Approval, result.Reason = policy.OK, &found.ID, "A person approved this change."
		}

		lifted.add(result)
	}

	if g.Fenced {
		return toWriteOutside(report, lifted)
	}
	if !g.spend(ctx, actions, state) {
		return report
	}
	return lifted
}

// toWriteOutside is the refusal of an approved change that is made from outside the fence.
func toWriteOutside(report, lifted Report) Report {
	for i := range report.Results {
		if id := lifted.Results[i].Approval; id != nil {
			report.Results[i].Approval = id
			report.Results[i].Reason = "A person approved this change, which is made from outside the fence."
		}
	}
	return report
}

func (g *Gate) liftCommand(ctx context.Context, state workspace.State, a Action, report Report) Report {
	if g.Approvals == nil || report.Decision != policy.Protected {
		return report
	}
	action := CommandAction(a.Agent, a.Command)
	found := g.found(ctx, action, state)
	if found == nil || !g.spend(ctx, []approval.Action{action}, state) {
		return report
	}

	for i := range report.Results {
		report.Results[i].Decision, report.Results[i].Approval = policy.OK, &found.ID
	}

	report.Decision = policy.OK
	return report
}

// found looks for an approval. If the book cannot be read there is none.
func (g *Gate) found(ctx context.Context, a approval.Action, state workspace.State) *approval.Approval {
	found, err := g.Approvals.Find(a, state.Policy.Version())
	if err != nil {
		slog.WarnContext(ctx, "approvals cannot be read", "error", err.Error())
		return nil
	}
	return found
}

// spend uses approvals up, if the change follows at once. Two callers at the same
// time do not both succeed.
func (g *Gate) spend(ctx context.Context, actions []approval.Action, state workspace.State) bool {
	if !g.Enforces {
		return true
	}
	for _, a := range actions {
		used, err := g.Approvals.Use(ctx, a, state.Policy.Version())
		if err != nil || used == nil {
			return false
		}
	}
	return true
}
