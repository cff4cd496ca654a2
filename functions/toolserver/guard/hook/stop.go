package hook

import (
	"io/fs"
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/proof"
	"governance.internal/functions/toolserver/guard/workspace"
)

// stopping are the members of a report that an agent wants to stop.
type stopping struct {
	Active bool `json:"stop_hook_active"` // it goes on because a hook refused its stop
	Loops  int  `json:"loop_count"`       // the same, in Cursor
	// AgentTranscript is the transcript of the subagent that stops.
	AgentTranscript string `json:"agent_transcript_path"`
}

// stop decides whether an agent may stop, and writes it down. A stop with missing checks is
// refused once; the next one passes, and the record says what is unproved.
func (h Hook) stop(state workspace.State, kind string, m message) (Answer, error) {
	journal := h.journalOf(state)
	if journal == nil {
		return Answer{}, nil
	}

	if err := h.settle(journal, m); err != nil {
		return Answer{}, err
	}

	r := h.record(kind, m)
	r.Decision = outcome.Allowed
	lacks, asked, err := h.lacks(state, journal, r)
	if err != nil {
		return Answer{}, err
	}
	for _, lack := range lacks {
		r.Unproved = append(r.Unproved, lack.Name)
	}

	refuse := Agents[h.Agent].refuseStop
	again := asked || m.Active || m.Loops > 0
	rehearses := state.Config.Mode == workspace.Observe
	answer := Answer{}
	if len(lacks) > 0 && !again && refuse != nil {
		r.Decision, r.Rehearsed = outcome.Denied, rehearses
		if !rehearses {
			answer = refuse(proof.Words(lacks))
		}
	}

	_, err = journal.Append(r, true)
	return answer, err
}

// lacks are the checks that are missing for a stop, and whether a stop was refused since the
// last edit.
func (h Hook) lacks(state workspace.State, journal *outcome.Journal, stop outcome.Record) (lacks []proof.Lack, asked bool, err error) {
	if len(state.Config.Checks) == 0 {
		return nil, false, nil
	}
	records, err := journal.Recent()
	if err != nil {
		return nil, false, err
	}

	session := proof.Session{
		Boundary: stop.Boundary,
		ID:       stop.Session,
		Subagent: stop.Actor.ID,
		Newer: func(check workspace.Check, since time.Time) string {
			return newerFile(h.Gate.Workspace, state, check, since)
		},
	}
	return session.Missing(state.Config.Checks, records), session.Asked(state.Config.Checks, records), nil
}

// newerFile is a file that a check is for and that changed after a time.
func newerFile(w *workspace.Workspace, state workspace.State, check workspace.Check, since time.Time) string {
	found := ""
	_ = w.Walk(".", state.Config.Limits.MaxFiles, func(name string, e fs.DirEntry) error { // what cannot be read is no proof of a change
		if e.IsDir() {
			if slices.Contains([]string{workspace.StateDir, ".git", "node_modules"}, e.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil || !info.ModTime().After(since) || !proof.IsFor(check, name) {
			return nil
		}
		found = name
		return fs.SkipAll
	})
	return found
}

// Refusals of a stop, by what an agent reads.
func goOn(reason string) Answer { return status("", deny, reason) }

func followUp(reason string) Answer { return object(map[string]any{"followup_message": reason}) }

func blockStop(reason string) Answer {
	return object(map[string]any{"decision": "block", "reason": reason})
}

// checksIn are the checks that a command runs.
func checksIn(c call, checks []workspace.Check) []outcome.Ran {
	text, runs := c.command()
	if !runs {
		return nil
	}
	var all []outcome.Ran
	for _, check := range checks {
		if run := proof.Read(check, text); run.Ran {
			all = append(all, outcome.Ran{
				Name:     check.Name,
				Proves:   run.Proves,
				ByOutput: run.ByOutput,
			})
		}
	}
	return all
}
