// Package outcome keeps the journal of what agents wanted to do and what then happened.
//
// Before each call of a tool the hook writes an intent: who calls what, and what the guard
// said. Afterwards it writes an outcome: whether the call succeeded, and which bytes the files
// then had. Both name the call, so that they are joined into a [Pair]. An intent whose outcome
// never came is shown as unknown, never as done and never as not done.
//
// The journal is a line of JSON for each record, appended under a lock. Each line counts one
// up and holds the digest of the line before, so a line that is missing, changed or put in
// between is found by [Journal.Read]. A server takes the lines into the audit chain; until
// then a process of the same user can rewrite the journal as a whole.
package outcome

import (
	"encoding/json"
	"errors"
	"time"
)

// Kinds of records.
const (
	Intent          = "intent"
	Outcome         = "outcome"
	SessionStarted  = "session_started"
	SessionEnded    = "session_ended"
	SubagentStarted = "subagent_started"
	SubagentStopped = "subagent_stopped"
	Stopped         = "stopped"
)

// Decisions about an intent.
const (
	Allowed = "allowed"
	Asked   = "asked"  // a person was asked; the agent says afterwards whether it ran
	Denied  = "denied" // by the guard
)

// Results of a call.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Refused   = "refused" // by a person or by the agent's own rules
	Ended     = "ended"   // the agent does not tell with which result
)

// Record is one line of the journal. It never holds contents of files or texts of commands.
type Record struct {
	Seq      uint64    `json:"seq"`  // counts from 1 without a gap
	Prev     string    `json:"prev"` // SHA-256 of the line before, in hexadecimal; "" for the first
	ID       string    `json:"id"`   // of its entry in the audit chain
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"`
	Boundary string    `json:"boundary"` // whose hook wrote it, such as claude-code
	Session  string    `json:"session,omitempty"`
	Actor    Actor     `json:"actor"`
	Fenced   bool      `json:"fenced,omitempty"` // behind a fence of the kernel

	// Call joins an intent and its outcome: the id that the agent gives, or a digest of the
	// call if it gives none.
	Call    string `json:"call,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Program string `json:"program,omitempty"`        // first word of a shell command
	Command string `json:"command_sha256,omitempty"` // of a shell command
	Files   []File `json:"files,omitempty"`
	Reads   bool   `json:"reads,omitempty"`  // the call changes nothing, by the name of its tool
	Hidden  int    `json:"hidden,omitempty"` // parts of a command whose effect cannot be seen
	Checks  []Ran  `json:"checks,omitempty"` // that the command is a run of

	Decision  string `json:"decision,omitempty"`
	Rehearsed bool   `json:"rehearsed,omitempty"` // the decision was not enforced
	Rule      string `json:"rule,omitempty"`      // pattern that decided
	Policy    string `json:"policy,omitempty"`    // version of the lists
	// Approvals are the ids of the approvals by which a person let the call pass.
	Approvals []string `json:"approvals,omitempty"`
	// Refusals are the ids of the entries that record why the guard refused.
	Refusals []string `json:"refusals,omitempty"`

	Result string `json:"result,omitempty"`
	Exit   *int   `json:"exit,omitempty"`
	Millis *int64 `json:"millis,omitempty"` // that the call took, as the agent says
	Tests  *int   `json:"tests,omitempty"`  // that ran, as the output says

	Passed *bool `json:"passed,omitempty"` // whether all tests passed, as the output says

	// Settled says that the agent did not report the outcome: its transcript tells it.
	Settled bool `json:"settled,omitempty"`

	Unproved []string `json:"unproved,omitempty"` // checks that were missing at a stop
}

// Actor is who does something, as the agent says.
type Actor struct {
	Kind string `json:"kind"`           // agent, subagent, or service for the service itself
	ID   string `json:"id,omitempty"`   // of a subagent
	Type string `json:"type,omitempty"` // such as code-reviewer
}

// Ran says that a command is a run of a check of the workspace file.
type Ran struct {
	Name   string `json:"name"`
	Proves bool   `json:"proves"` // the command succeeds only if the check does
	// ByOutput says that it does so only if the output tells that all tests passed.
	ByOutput bool `json:"by_output,omitempty"`
}

// File is a file that a call names as its target.
type File struct {
	Path      string `json:"path"` // from the root of the workspace
	Operation string `json:"operation,omitempty"`
	List      string `json:"list,omitempty"` // untouchable or protected, "" for neither
	// Digest is the state of the file when the record was written: before the call in an
	// intent, after it in an outcome. It is [Gone] where there is no file, [Folder] for a
	// folder and "" if it was not looked at.
	Digest string `json:"digest,omitempty"`
	// Other says that the file holds something else than the call wrote.
	Other bool `json:"other,omitempty"`
}

// States of a file that are no digest.
const (
	Gone   = "gone"
	Folder = "folder"
)

var errRecord = errors.New("this is no record of the journal")

// ParseRecord reads a line of the journal, without its newline.
func ParseRecord(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return Record{}, errRecord
	}
	if r.Seq == 0 || r.ID == "" || r.Kind == "" || r.At.IsZero() {
		return Record{}, errRecord
	}
	return r, nil
}
