package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/proof"
	"governance.internal/functions/toolserver/guard/workspace"
)

// journalOf is the journal of a governed project; without rules there is none.
func (h Hook) journalOf(state workspace.State) *outcome.Journal {
	if !state.Configured {
		return nil
	}
	return &outcome.Journal{
		Workspace: h.Gate.Workspace,
		Now:       h.Gate.Log.Now,
		Random:    h.Gate.Log.Random,
	}
}

// record is what all records of a message have in common.
func (h Hook) record(kind string, m message) outcome.Record {
	r := outcome.Record{
		Kind:     kind,
		Boundary: h.Agent,
		Session:  shortened(m.session(), 128),
		Actor:    outcome.Actor{Kind: "agent", Type: shortened(m.Kind, 100)},
		Fenced:   h.Gate.Fenced,
	}
	if m.ID != "" {
		r.Actor.Kind, r.Actor.ID = "subagent", shortened(m.ID, 100)
	}
	return r
}

// describe adds what is called.
func (h Hook) describe(r *outcome.Record, c call, state workspace.State) {
	r.Call = c.key()
	r.Tool = shortened(bareTool(c.Tool), 100)
	r.Reads = c.reads()
	if text, runs := c.command(); runs {
		sum := sha256.Sum256([]byte(text))
		r.Command, r.Program = hex.EncodeToString(sum[:]), programOf(text)
	}
	if r.Reads {
		r.Files = c.readFile(h.Gate.Workspace)
		return
	}
	r.Files = c.targets(h.Gate.Workspace, state)
}

var decisions = map[verdict]string{pass: outcome.Allowed, ask: outcome.Asked, deny: outcome.Denied}

// intend writes down what a call wants and what the guard said. An error means that it could
// not be written down.
func (h Hook) intend(state workspace.State, m message, c call, j judgement) error {
	journal := h.journalOf(state)
	if journal == nil {
		return nil
	}

	r := h.record(outcome.Intent, m)
	h.describe(&r, c, state)
	h.addNamed(&r, j, state)
	r.Decision, r.Rule, r.Hidden = decisions[j.verdict], j.rule, j.hidden
	r.Policy, r.Refusals, r.Approvals = state.Policy.Version(), j.logged, j.lifted
	r.Checks, r.Rehearsed = checksIn(c, state.Config.Checks), j.rehearsed()

	// A refusal is on the disk with its own entry; what passes has only this one.
	governed := slices.ContainsFunc(r.Files, func(f outcome.File) bool { return f.List != "" })
	durable := governed && j.verdict == pass

	_, err := journal.Append(discreet(r), durable)
	if errors.Is(err, errors.ErrUnsupported) { // no locks here, so no journal
		return nil
	}
	return err
}

// addNamed adds the files that the guard found in a command and that no target is.
func (h Hook) addNamed(r *outcome.Record, j judgement, state workspace.State) {
	for _, name := range j.named {
		known := false
		for _, file := range r.Files {
			known = known || file.Path == name
		}
		if known || len(r.Files) >= mostTargets {
			continue
		}
		r.Files = append(r.Files, outcome.Look(h.Gate.Workspace, state.Policy, name, ""))
	}
}

// tell writes down what an agent reports.
func (h Hook) tell(state workspace.State, report coder.Report, m message) error {
	journal := h.journalOf(state)
	if journal == nil {
		return nil
	}

	r := h.record(kinds[report], m)
	if kinds[report] == outcome.Outcome {
		c, err := m.call()
		if err != nil {
			return err
		}
		h.describe(&r, c, state)
		compareWritten(h.Gate.Workspace, report, c, m, r.Files)

		end := Agents[h.Agent].ended(report, c, m)
		r.Result, r.Exit, r.Millis = end.result, end.exit, m.milliseconds()
		if c.runsShell() {
			countTests(&r, m.output())
		}
	}

	if report == coder.SessionStarted && journal.Empty() {
		h.takeBaseline()
	}

	_, err := journal.Append(discreet(r), report == coder.SessionEnded)
	return err
}

// countTests adds what the output of a test runner tells.
func countTests(r *outcome.Record, output string) {
	if n, told := proof.Tests(output); told {
		r.Tests = &n
	}
	if passed, told := proof.Passed(output); told {
		r.Passed = &passed
	}
}

// discreet redacts what looks like a secret in names that an agent chose.
func discreet(r outcome.Record) outcome.Record {
	r.Tool, r.Program = mask.Text(r.Tool), mask.Text(r.Program)
	for i := range r.Files {
		r.Files[i].Path = mask.Text(r.Files[i].Path)
	}
	return r
}

// takeBaseline remembers the governed files before the first session, so that changes after it
// can be compared. Later nobody but a person takes one: a baseline that is gone was removed.
func (h Hook) takeBaseline() {
	net := baseline.Net{
		Workspace: h.Gate.Workspace,
		Log:       h.Gate.Log,
		Now:       h.Gate.Log.Now,
	}
	if err := net.TakeFirst(context.Background()); err != nil {
		slog.Warn("the first baseline could not be taken", "error", err.Error())
	}
}

// kinds of records, by report.
var kinds = map[coder.Report]string{
	coder.Succeeded:       outcome.Outcome,
	coder.Failed:          outcome.Outcome,
	coder.Refused:         outcome.Outcome,
	coder.SessionStarted:  outcome.SessionStarted,
	coder.SessionEnded:    outcome.SessionEnded,
	coder.SubagentStarted: outcome.SubagentStarted,
	coder.SubagentStopped: outcome.SubagentStopped,
	coder.Stopped:         outcome.Stopped,
}

// bareTool is the name of a tool in the call before and in the report afterwards, where an
// agent names the event instead of the tool.
func bareTool(name string) string {
	for _, phase := range []string{"pre_", "post_", "before", "after"} {
		if rest, ok := strings.CutPrefix(name, phase); ok {
			return rest
		}
	}
	return name
}

// programOf is the first word of a command, "" if it may hold more than a name.
func programOf(text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 || strings.ContainsAny(fields[0], "=$`'\"") {
		return ""
	}
	return shortened(path.Base(fields[0]), 64)
}

func shortened(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
