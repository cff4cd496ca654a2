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
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
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

// Hook answers the calls of one agent.
type Hook struct {
	Gate  *preflight.Gate
	Agent string // a name of [Agents]
	// Event is what the settings registered this call for, "" if they do not say. It counts
	// where the agent does not name the event itself.
	Event string
}

// Run answers one call of an agent that names its events.
func Run(ctx context.Context, gate *preflight.Gate, name string, stdin io.Reader) Answer {
	return Hook{Gate: gate, Agent: name}.Answer(ctx, stdin)
}

// Answer answers one call: a question before a step, or a report after one.
func (h Hook) Answer(ctx context.Context, stdin io.Reader) Answer {
	agent := Agents[h.Agent]
	text, err := io.ReadAll(io.LimitReader(stdin, maxCall+1))
	if err != nil || len(text) > maxCall {
		return agent.answer("", deny, "The call cannot be read, so it is refused.")
	}

	m, err := parseMessage(text)
	if err != nil {
		return agent.answer("", deny, "The call is refused: "+err.Error()+".")
	}

	event := first(m.Event, m.Action, h.Event)
	if report, told := agent.Reports[event]; told {
		return h.noted(report, m)
	}
	return h.judged(ctx, m)
}

// judged answers a question before a step.
func (h Hook) judged(ctx context.Context, m message) Answer {
	agent := Agents[h.Agent]
	c, err := m.call()
	if err != nil {
		return agent.answer("", deny, "The call is refused: "+err.Error()+".")
	}

	j := judge(ctx, h.Gate, h.Agent, c)
	if j.verdict == ask && !agent.asks(c.Event) {
		j.verdict = deny
	}

	state, err := h.Gate.Workspace.Load()
	if err != nil { // then nothing is allowed that could be left out
		return agent.answer(c.Event, j.verdict, j.reason)
	}

	err = h.intend(state, m, c, j)
	if j.rehearsed() {
		j.verdict = pass
	}
	if err != nil && j.verdict == pass && !c.reads() {
		j.verdict, j.reason = deny, "The step cannot be written down ("+err.Error()+"), so it is refused. Tell a person."
	}
	return agent.answer(c.Event, j.verdict, j.reason)
}

// noted writes a report down. What is reported has happened, so a failure is only shown.
func (h Hook) noted(report coder.Report, m message) Answer {
	state, err := h.Gate.Workspace.Load()
	if err != nil {
		return unnoted(err)
	}

	var answer Answer
	if report == coder.Stopped || report == coder.SubagentStopped {
		answer, err = h.stop(state, kinds[report], m)
	} else {
		err = h.tell(state, report, m)
	}
	if err != nil {
		return unnoted(err)
	}
	if report == coder.SessionStarted && state.Config.Mode == workspace.Observe {
		return h.greet()
	}
	return answer
}

// rehearsal says that nothing is refused.
const rehearsal = "The governance guard only rehearses here (mode: observe in " + workspace.FileName + "): it writes down what it would refuse, and lets it pass."

// greet tells a person at the start of a session that the guard only rehearses, where the
// agent shows such a message.
func (h Hook) greet() Answer {
	if !Agents[h.Agent].greets {
		return Answer{}
	}
	return object(map[string]any{"systemMessage": rehearsal})
}

func unnoted(err error) Answer {
	return Answer{
		Stderr: "hook: the report of the agent is not on the record: " + err.Error() + "\n",
		Status: 1,
	}
}

// judgement is what the guard says about a call.
type judgement struct {
	verdict verdict
	reason  string
	rule    string   // pattern that decided, "" if none did
	named   []string // governed files that the call is about
	hidden  int      // parts that do not show what they change
	logged  []string // ids of the recorded refusals
	lifted  []string // ids of the approvals that let parts pass
	// enforced says that a part of the refusal holds also while the rules are rehearsed.
	enforced bool
}

// take takes the decision about a part of the call, if it is stricter than those before.
func (j *judgement) take(report preflight.Report, hidden []string, err error) {
	v, text := opinion(report, hidden)
	if err != nil && v != pass {
		text += " The refusal could not be recorded; tell a person."
	}
	if v > j.verdict {
		j.verdict, j.reason, j.rule = v, text, ""
	}
	if v != pass && !report.Rehearsed {
		j.enforced = true
	}

	j.hidden += len(hidden)
	if report.Logged != "" {
		j.logged = append(j.logged, report.Logged)
	}
	for _, result := range report.Results {
		j.name(report, result)
	}
}

// name keeps a governed file that a call is about, and the pattern that decided.
func (j *judgement) name(report preflight.Report, result preflight.Result) {
	if id := result.Approval; id != nil && !slices.Contains(j.lifted, *id) {
		j.lifted = append(j.lifted, *id)
	}
	if result.Matched == nil {
		return
	}
	outside := strings.HasPrefix(result.Path, "(") || result.Via == preflight.Checkout
	if !outside {
		j.named = append(j.named, result.Path)
	}
	if j.rule == "" && result.Decision == report.Decision {
		j.rule = result.Matched.Pattern
	}
}

// final reports whether nothing further can change the answer.
func (j *judgement) final() bool { return j.verdict == deny && j.enforced }

// rehearsed reports whether the call passes although the guard would refuse it.
func (j *judgement) rehearsed() bool { return j.verdict != pass && !j.enforced }

// judge asks the gate about all that a call would change.
func judge(ctx context.Context, gate *preflight.Gate, agent string, c call) judgement {
	var j judgement
	action := preflight.Action{
		Agent:     agent,
		AgentID:   c.ID,
		AgentType: c.Kind,
		Tool:      c.Tool,
		Dir:       c.Dir,
	}

	files, commands := c.files(), c.commands()
	if mustRead(gate, c) && c.mayChange(gate, files, commands) {
		report, err := gate.RefuseType(ctx, action)
		j.take(report, nil, err)
		return j
	}

	for operation, paths := range files {
		action := action
		action.Operation, action.Paths = operation, paths
		report, err := gate.Check(ctx, action)
		j.take(report, nil, err)
	}

	for _, command := range commands {
		report, err := gate.CheckCommand(ctx, action, command)
		j.take(report.Report, report.Unresolved, err)
	}

	if c.reads() || j.final() {
		return j
	}
	for _, program := range c.programs() {
		report, err := gate.CheckProgram(ctx, action, program)
		j.take(report.Report, report.Unresolved, err)
	}

	names := c.unjudged(files)
	unseen := len(files) == 0 &&
		len(commands) == 0 // nothing else has asked whether anything may change at all
	if !j.final() && (unseen || len(names) > 0) {
		action.Operation, action.Paths = preflight.Edit, names
		report, err := gate.CheckNames(ctx, action)
		j.take(report, nil, err)
	}

	return j
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
