package hook

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
)

// settlement is what a line of a transcript says of a call.
type settlement struct {
	call   string
	result string    // "" for a line that says nothing
	ran    bool      // the call ran, whatever came of it
	at     time.Time // zero if the transcript does not say
}

// settle looks in the transcript of an agent for calls that ended without a report: Claude Code
// reports no call that a person or a rule refused, and Codex no patch that cannot be applied.
// Only what the agent itself writes beside the result counts, not the text of a result. A call
// that ran and that the hook was never asked about is written down, too.
func (h Hook) settle(journal *outcome.Journal, m message) error {
	settled := Agents[h.Agent].settled
	if settled == nil {
		return nil
	}
	calls, err := callsOf(journal, h.Agent, m)
	if err != nil || calls.began.IsZero() {
		return err
	}

	file := first(m.AgentTranscript, m.Transcript)
	tail, err := tailOf(file)
	if err != nil { // then they stay unknown
		return nil
	}

	for line := range bytes.Lines(tail) {
		r, tells := h.settled(calls, settled(line), m)
		if !tells {
			continue
		}
		if _, err := journal.Append(r, false); err != nil {
			return err
		}
	}
	return nil
}

// settled is the outcome that a line of a transcript adds to the record.
func (h Hook) settled(calls *sessionCalls, s settlement, m message) (r outcome.Record, tells bool) {
	intent := calls.open[s.call]
	switch {
	case s.result == "":
		return r, false
	case intent != nil && !s.ran:
		delete(calls.open, s.call)
		return outcomeOf(intent, s.result), true
	case s.ran && !calls.known[s.call] && s.at.After(calls.began):
		calls.known[s.call] = true
		r = h.record(outcome.Outcome, m)
		r.Call, r.Result, r.Settled = shortened(s.call, 128), s.result, true
		return r, true
	}
	return r, false
}

// sessionCalls are the calls of an agent in its session.
type sessionCalls struct {
	began time.Time // first record of the session; zero if there is none
	known map[string]bool
	open  map[string]*outcome.Record // intents without an outcome
}

func callsOf(journal *outcome.Journal, agent string, m message) (*sessionCalls, error) {
	records, err := journal.Recent()
	if err != nil {
		return nil, err
	}

	calls := &sessionCalls{
		known: map[string]bool{},
		open:  map[string]*outcome.Record{},
	}
	own := slices.DeleteFunc(records, func(r outcome.Record) bool {
		return r.Boundary != agent || r.Session != m.session()
	})
	if len(own) > 0 {
		calls.began = own[0].At
	}

	for _, p := range outcome.Join(own, journal.Now()) {
		calls.add(p, m.ID)
	}
	return calls, nil
}

func (c *sessionCalls) add(p outcome.Pair, subagent string) {
	if p.Intent == nil {
		c.known[p.Outcome.Call] = true
		return
	}

	c.known[p.Intent.Call] = true
	waits := p.Outcome == nil && p.State != outcome.NotRun
	if waits && p.Intent.Actor.ID == subagent {
		c.open[p.Intent.Call] = p.Intent
	}
}

// outcomeOf is the outcome of a call as the transcript tells it.
func outcomeOf(intent *outcome.Record, result string) outcome.Record {
	return outcome.Record{
		Kind:     outcome.Outcome,
		Boundary: intent.Boundary,
		Session:  intent.Session,
		Actor:    intent.Actor,
		Call:     intent.Call,
		Tool:     intent.Tool,
		Program:  intent.Program,
		Command:  intent.Command,
		Result:   result,
		Settled:  true,
	}
}

// claudeSettled reads a line of a transcript of Claude Code 2.1: a result that a person or a
// rule refused bears the kind of the refusal, and one that is an error may come from before the
// call.
func claudeSettled(line []byte) settlement {
	if !bytes.Contains(line, []byte(`"tool_result"`)) {
		return settlement{}
	}
	var entry struct {
		Type    string    `json:"type"`
		At      time.Time `json:"timestamp"`
		Denial  string    `json:"toolDenialKind"`
		Message struct {
			Content []struct {
				Type  string `json:"type"`
				Use   string `json:"tool_use_id"`
				Error bool   `json:"is_error"`
			} `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &entry) != nil || entry.Type != "user" {
		return settlement{}
	}

	for _, part := range entry.Message.Content {
		if part.Type != "tool_result" {
			continue
		}
		if entry.Denial != "" {
			return settlement{call: part.Use, result: outcome.Refused}
		}
		if !part.Error {
			return settlement{part.Use, outcome.Ended, true, entry.At}
		}
	}
	return settlement{}
}

// notApplied begins the result of a patch that Codex 0.169 did not apply.
const notApplied = "apply_patch verification failed"

// codexSettled reads a line of a transcript of Codex.
func codexSettled(line []byte) settlement {
	if !bytes.Contains(line, []byte(notApplied)) {
		return settlement{}
	}
	var entry struct {
		Type    string `json:"type"`
		Payload struct {
			Type   string `json:"type"`
			Call   string `json:"call_id"`
			Output string `json:"output"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &entry) != nil || entry.Type != "response_item" {
		return settlement{}
	}

	patch := entry.Payload.Type == "custom_tool_call_output" // commands have another type
	if patch && strings.HasPrefix(entry.Payload.Output, notApplied) {
		return settlement{call: entry.Payload.Call, result: outcome.Failed}
	}
	return settlement{}
}
