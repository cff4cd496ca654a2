// Package violations records what the guard refused, and other breaches of the
// rules, in the audit chain.
//
// The hook of an agent has no time to open the chain and no right to it. It leaves
// each record as a file in the folder spool of the workspace's state; the server
// appends them. A record has its id from the beginning, so it is never appended
// twice, and the folder is untouchable for agents.
package violations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mask"
	"governance.internal/functions/toolserver/workspace"
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
)

// Types are all of them.
var Types = []string{BlockedUntouchable, BlockedProtected, StaleHandoff, RuleBreach, UnapprovedLogic, Fabrication, Other, GuardBypassed}

// others are the types of what else the guard, the command line and agents of ours record.
// Nothing else is taken from the spool, which whoever runs as the same user can write: what
// the kill switch, the dispatcher and the payments record comes from the server alone.
var others = []string{
	"WORKLOG", "HANDOFF_WRITTEN", "STEP_BACK", "BASELINE_TAKEN", "APPROVAL_REQUESTED", "APPROVAL_DECIDED", "APPROVAL_USED",
}

// spool is the folder of records that the chain has not taken yet.
const spool = workspace.StateDir + "/spool"

// maxRecord is the size of a spooled record, in bytes, and maxFlush how many are
// appended at once.
const (
	maxRecord = 64 << 10
	maxFlush  = 500
)

// Log records violations.
type Log struct {
	Trail     audit.Store // nil where only the spool can be reached
	Workspace *workspace.Workspace
	Now       func() time.Time
	Random    io.Reader
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
	event := audit.Event{ID: id, Actor: l.hide(actor), Type: kind, Payload: detail}
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
	return Entry{ID: id, Timestamp: at, Type: kind, Detail: payload}, l.Workspace.WriteFile(spool+"/"+id, draft.Content())
}

// discreet takes secrets and the place of the workspace out of the texts of a detail:
// callers put in what others told them.
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

// hide makes a text fit for the chain: valid Unicode, without what must not be told.
func (l *Log) hide(text string) string {
	return mask.Text(l.Workspace.Hide(strings.ToValidUTF8(text, "\uFFFD")))
}

// Note records something else of the guard in the same way.
func (l *Log) Note(ctx context.Context, actor, event string, detail map[string]any) error {
	_, err := l.Record(ctx, actor, event, detail)
	return err
}

// Flush appends what is in the spool, oldest first.
func (l *Log) Flush(ctx context.Context) error {
	list, err := fs.ReadDir(l.Workspace.Files(), spool)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("violations: the spool cannot be read")
	}
	names := []string{}
	for _, entry := range list {
		if path.Ext(entry.Name()) == "" { // and not one that is being written
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), maxFlush)] {
		if err := l.flush(ctx, spool+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// flush appends one record. One that is damaged is put aside, where a person finds it.
func (l *Log) flush(ctx context.Context, name string) error {
	text, err := l.Workspace.ReadFile(name, maxRecord)
	if errors.Is(err, workspace.ErrNotRegular) || errors.Is(err, workspace.ErrTooLarge) { // it would hold up all others
		slog.ErrorContext(ctx, "what stands in the spool is no record and was put aside", "id", path.Base(name))
		return l.Workspace.Rename(name, name+".damaged")
	}
	if err != nil {
		return fmt.Errorf("violations: %w", err)
	}
	event, ok := eventOf(text)
	if !ok || !slices.Contains(Types, event.Type) && !slices.Contains(others, event.Type) {
		slog.ErrorContext(ctx, "a spooled record is damaged, or of a type that is not spooled, and was put aside", "id", path.Base(name))
		return errors.Join(l.Workspace.WriteFile(name+".damaged", text), l.Workspace.Remove(name))
	}
	if _, err := l.Trail.Append(ctx, event); err != nil {
		return fmt.Errorf("violations: %w", err)
	}
	return l.Workspace.Remove(name)
}

// eventOf reads a spooled record: a draft in its only spelling.
func eventOf(text []byte) (audit.Event, bool) {
	if _, err := audit.ParseDraft(text); err != nil {
		return audit.Event{}, false
	}
	var parts struct {
		ID      string          `json:"id"`
		Actor   string          `json:"actor"`
		Event   string          `json:"event"`
		Payload json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(text, &parts) != nil {
		return audit.Event{}, false
	}
	return audit.Event{ID: parts.ID, Actor: parts.Actor, Type: parts.Event, Payload: parts.Payload}, true
}
