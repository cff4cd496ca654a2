// Package violations records what the guard refused, and other breaches of the
// rules, in the audit chain.
//
// The hook of an agent has no time to open the chain and no right to it. It leaves
// each record as a file in the folder spool of the workspace's state; the server
// appends them. A record has its id from the beginning, so it is never appended
// twice, and the folder is untouchable for agents. But a process of the same user can
// write it all the same: the chain says of each record that it came from there.
package violations

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// Types of violations, which are types of audit entries.
const (
	BlockedUntouchable = "BLOCKED_UNTOUCHABLE"
	BlockedProtected   = "BLOCKED_PROTECTED"
	StaleHandoff       = "STALE_HANDOFF"
	RuleBreach         = "RULE_BREACH"
	UnapprovedLogic    = "UNAPPROVED_LOGIC_CHANGE"
	Fabrication        = "FABRICATION"
	Other              = "OTHER"
	GuardBypassed      = "GUARD_BYPASSED" // a change of a governed file that did not pass the guard
	WouldBlock         = "WOULD_BLOCK"    // what the guard would have refused, in a rehearsal
	ForgedRecord       = "FORGED_RECORD"  // an entry of the spool that no rightful writer wrote
)

// WrittenOutside is the type of the entry of a file that was written from outside a fence for an
// agent behind it.
const WrittenOutside = "WRITTEN_OUTSIDE"

// Types are all of them.
var Types = []string{BlockedUntouchable, BlockedProtected, StaleHandoff, RuleBreach, UnapprovedLogic, Fabrication, Other, GuardBypassed, WouldBlock, ForgedRecord}

// Log records violations.
type Log struct {
	Trail     audit.Store // nil where only the spool can be reached
	Workspace *workspace.Workspace
	Now       func() time.Time
	Random    io.Reader
	// Approved reports whether the book of approvals holds an approval of this digest that
	// is, or was, in a state. Without it no spooled record of an approval is taken.
	Approved func(id, digest, state string) (bool, error)
}

// Entry is a recorded violation. Its place in the chain is known only when the
// chain took it at once.
type Entry struct {
	ID        string          `json:"id"`
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Seq       uint64          `json:"seq,omitempty"`
	Detail    json.RawMessage `json:"detail"`
	Hash      *audit.Hash     `json:"hash,omitempty"`
	PrevHash  *audit.Hash     `json:"prev_hash,omitempty"`
}

// Record records a violation, durably: in the chain, or in the spool if the chain
// cannot be reached. The detail is an object without secrets.
func (l *Log) Record(ctx context.Context, actor, kind string, detail map[string]any) (Entry, error) {
	at := l.Now().UTC()
	id, err := audit.NewID(at, l.Random)
	if err != nil {
		return Entry{}, err
	}

	detail = l.discreet(detail)
	event := audit.Event{
		ID:      id,
		Actor:   l.hide(actor),
		Type:    kind,
		Payload: detail,
	}

	if l.Trail != nil {
		entries, err := l.Trail.Append(context.WithoutCancel(ctx), event)
		if err == nil {
			e := entries[0]
			return Entry{e.ID, e.Time, kind, e.Seq, e.Payload, &e.Hash, &e.PrevHash}, nil
		}

		if errors.Is(err, audit.ErrProfile) || errors.Is(err, audit.ErrTooLarge) {
			return Entry{}, err
		}
		slog.WarnContext(ctx, "the violation comes later into the audit chain", "error", err.Error())
	}

	draft, err := audit.NewDraft(event)
	if err != nil {
		return Entry{}, err
	}

	payload, err := json.Marshal(detail)
	if err != nil {
		return Entry{}, err
	}

	return Entry{
		ID:        id,
		Timestamp: at,
		Type:      kind,
		Detail:    payload,
	}, l.Workspace.WriteFile(spool+"/"+id, draft.Content())
}

// discreet redacts secrets and the path of the workspace in the texts of a detail, because
// callers include foreign text.
func (l *Log) discreet(detail map[string]any) map[string]any {
	clean := map[string]any{}
	for name, value := range detail {
		if text, ok := value.(string); ok {
			value = l.hide(text)
		}
		clean[name] = value
	}
	return clean
}

// hide prepares a text for the chain: valid Unicode, with secrets redacted.
func (l *Log) hide(text string) string {
	return mask.Text(l.Workspace.Hide(strings.ToValidUTF8(text, "\uFFFD")))
}

// Note records something else of the guard in the same way.
func (l *Log) Note(ctx context.Context, actor, event string, detail map[string]any) error {
	_, err := l.Record(ctx, actor, event, detail)
	return err
}
