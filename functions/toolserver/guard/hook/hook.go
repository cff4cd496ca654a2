// Package hook implements the hook of coding agents: before each call of a tool the agent
// starts the hook, writes the call to its standard input and obeys the answer.
//
// Agents differ in the names of their tools and in the form of a refusal. Each has a row of
// [Agents] for the differences.
//
// A call that cannot be read is refused: a gate that opens when it is confused is
// none. A call that changes no file passes without an opinion, so that the agent
// asks its person as usual.
package hook

import (
	"context"
	"fmt"
	"io"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
)

// maxCall is the size of a call, in bytes: a file that is written is in it.
const maxCall = 32 << 20

// verdict is the answer to an agent.
type verdict int

const (
	pass verdict = iota // no opinion
	ask                 // a person decides
	deny
)

// Answer is what the process of the hook says.
type Answer struct {
	Stdout, Stderr string
	Status         int
}

// Run answers one call. The agent is a name of [Agents].
func Run(ctx context.Context, gate *preflight.Gate, name string, stdin io.Reader) Answer {
	agent := Agents[name]
	text, err := io.ReadAll(io.LimitReader(stdin, maxCall+1))
	if err != nil || len(text) > maxCall {
		return agent.answer("", deny, "The call cannot be read, so it is refused.")
	}

	c, err := parse(text)
	if err != nil {
		return agent.answer("", deny, "The call is refused: "+err.Error()+".")
	}

	v, reason := judge(ctx, gate, name, c)
	if v == ask && !agent.asks(c.Event) {
		v = deny
	}

	return agent.answer(c.Event, v, reason)
}

// judge asks the gate about all that a call would change.
func judge(ctx context.Context, gate *preflight.Gate, agent string, c call) (verdict, string) {
	worst, reason := pass, ""
	note := func(report preflight.Report, hidden []string, err error) {
		v, text := opinion(report, hidden)
		if err != nil && v != pass {
			text += " The refusal could not be recorded; tell a person."
		}
		if v > worst {
			worst, reason = v, text
		}
	}

	action := preflight.Action{
		Agent:     agent,
		AgentID:   c.ID,
		AgentType: c.Kind,
		Tool:      c.Tool,
		Dir:       c.Dir,
	}

	files, commands := c.files(), c.commands()
	for operation, paths := range files {
		action := action
		action.Operation, action.Paths = operation, paths
		report, err := gate.Check(ctx, action)
		note(report, nil, err)
	}

	for _, command := range commands {
		report, err := gate.CheckCommand(ctx, action, command)
		note(report.Report, report.Unresolved, err)
	}

	if c.reads() || worst == deny {
		return worst, reason
	}
	for _, program := range c.programs() {
		report, err := gate.CheckProgram(ctx, action, program)
		note(report.Report, report.Unresolved, err)
	}

	names := c.unjudged(files)
	unseen := len(files) == 0 &&
		len(commands) == 0 // nothing else has asked whether anything may change at all
	if worst != deny && (unseen || len(names) > 0) {
		action.Operation, action.Paths = preflight.Edit, names
		report, err := gate.CheckNames(ctx, action)
		note(report, nil, err)
	}

	return worst, reason
}

// opinion translates a decision. What only hides its effect may be shown to a
// person; a file on a list needs more than a quick yes.
func opinion(report preflight.Report, hidden []string) (verdict, string) {
	if report.Decision != policy.Blocked && report.Decision != policy.Protected {
		return pass, ""
	}
	var reasons []string
	for _, result := range report.Results {
		if result.Decision == report.Decision {
			reasons = append(reasons, fmt.Sprintf("%s: %s", result.Path, result.Reason))
		}
	}

	if len(reasons) == 0 {
		return ask, fmt.Sprintf("PROTECTED: the command does not show what it changes (%d parts hide it). A person must look at it, or do it in plain steps.", len(hidden))
	}
	if len(reasons) > 5 {
		reasons = append(reasons[:5], "and more")
	}

	return deny, fmt.Sprintf("%s: %s %s", report.Decision, strings.Join(reasons, " "), report.Next)
}
