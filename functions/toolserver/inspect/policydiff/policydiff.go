// Package policydiff replays what agents wanted to do against two versions of the rules, and
// says which answers would change.
//
// The facts are those of the journal: which files a call names, and how much of a command
// hides its effect. They hold no contents and no commands, so a replay is not a second reading
// of the command: where the old rules do not give the answer that was given, the facts do not
// suffice, and the replay says so.
package policydiff

import (
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Change is a call that the new rules answer otherwise.
type Change struct {
	At      time.Time     `json:"at"`
	Agent   string        `json:"agent"`
	Actor   outcome.Actor `json:"actor"`
	Session string        `json:"session"`
	Call    string        `json:"call"`
	Tool    string        `json:"tool"`
	Path    string        `json:"path"` // that decides under the stricter rules, "" for none
	Before  string        `json:"before"`
	After   string        `json:"after"`
}

// Report is the result of a replay. Answers are allowed, asked and denied.
type Report struct {
	Calls      int      `json:"calls"`       // that were replayed
	Changes    []Change `json:"changes"`     // oldest first
	Stricter   int      `json:"stricter"`    // of the changes
	Milder     int      `json:"milder"`      // of the changes
	CannotTell int      `json:"cannot_tell"` // calls whose facts do not suffice
	// Rehearses says that the new rules refuse nothing, whatever their answers are.
	Rehearses bool `json:"rehearses"`
}

// Replay answers the intents of a journal by two versions of the rules.
func Replay(before, after workspace.State, records []outcome.Record, since time.Time) Report {
	report := Report{
		Changes:   []Change{},
		Rehearses: after.Config.Mode == workspace.Observe,
	}
	for i := range records {
		intent := &records[i]
		if intent.Kind != outcome.Intent || intent.At.Before(since) {
			continue
		}
		report.Calls++

		old, fresh := answerTo(before, intent), answerTo(after, intent)
		differ := before.Policy.Version() != after.Policy.Version()
		unseen := differ && old == fresh && old.decision != outcome.Denied && removesFolder(intent)
		if unseen || contradicts(before, intent, old) {
			report.CannotTell++
			continue
		}
		report.compare(intent, old, fresh)
	}
	return report
}

func (r *Report) compare(intent *outcome.Record, old, fresh answer) {
	if old.decision == fresh.decision {
		return
	}

	stricter := strictness[fresh.decision] > strictness[old.decision]
	path := old.path
	if stricter {
		path = fresh.path
		r.Stricter++
	} else {
		r.Milder++
	}

	r.Changes = append(r.Changes, Change{
		At:      intent.At,
		Agent:   intent.Boundary,
		Actor:   intent.Actor,
		Session: intent.Session,
		Call:    intent.Call,
		Tool:    intent.Tool,
		Path:    path,
		Before:  old.decision,
		After:   fresh.decision,
	})
}

// answer is what rules say about a call.
type answer struct {
	decision string
	path     string // that decides
}

var strictness = map[string]int{outcome.Allowed: 0, outcome.Asked: 1, outcome.Denied: 2}

// answerTo decides about a call by the facts of its intent. A protected file is denied until a
// person approves it; what is hidden is asked.
func answerTo(state workspace.State, intent *outcome.Record) answer {
	if intent.Reads {
		return answer{decision: outcome.Allowed}
	}
	if state.Config.Agents[intent.Actor.Type].ReadOnly && intent.Actor.Type != "" && changes(intent) {
		return answer{decision: outcome.Denied}
	}

	found := answer{decision: outcome.Allowed}
	if intent.Hidden > 0 {
		found.decision = outcome.Asked
	}
	for _, file := range intent.Files {
		if file.Operation == preflight.Read {
			continue
		}
		decision, _ := state.Policy.Decide(file.Path)
		if decision == policy.Blocked || decision == policy.Protected {
			return answer{outcome.Denied, file.Path}
		}
	}
	return found
}

// removesFolder reports whether a call removes or renames a folder: nobody wrote down what was
// in it.
func removesFolder(intent *outcome.Record) bool {
	return slices.ContainsFunc(intent.Files, func(f outcome.File) bool {
		removes := f.Operation == preflight.Delete || f.Operation == preflight.Rename
		return removes && f.Digest == outcome.Folder
	})
}

// changes reports whether a call may change anything.
func changes(intent *outcome.Record) bool {
	plainReading := intent.Command != "" && len(intent.Files) == 0 && intent.Hidden == 0
	return !plainReading
}

// contradicts reports whether the answer that was given under the same rules is another one
// than the facts give: the guard knew more than it wrote down. An approval is no contradiction,
// and neither is an agent that cannot ask.
func contradicts(state workspace.State, intent *outcome.Record, replayed answer) bool {
	if intent.Policy != state.Policy.Version() {
		return false
	}

	given := intent.Decision
	switch {
	case given == replayed.decision:
		return false
	case given == outcome.Allowed: // approved
		return false
	case given == outcome.Denied && replayed.decision == outcome.Asked:
		return false
	}
	return true
}
