package violations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// spool is the folder of records that the chain has not taken yet.
const spool = workspace.StateDir + "/spool"

// maxRecord is the size of a spooled record, in bytes, and maxFlush how many are
// appended at once.
const (
	maxRecord = 64 << 10
	maxFlush  = 500
)

// spooler is the actor of every entry from the spool. The author that the record claims is
// in the payload as said_by.
const spooler = "spool"

// others are the other types that the guard, the command line and our own agents record. No
// other type is accepted from the spool: entries of the kill switch, the dispatcher and the
// payments come from the server alone.
var others = []string{
	"WORKLOG", "HANDOFF_WRITTEN", "STEP_BACK", "BASELINE_TAKEN", "SESSION_PERSIST",
	"SNAPSHOT", "PROPAGATE", "PROPAGATE_FAILED", "DOC_DRIFT_FIXED", "DOC_DRIFT_FIXED_FAILED",
	"GUIDANCE_WRITTEN", "GUIDANCE_WRITTEN_FAILED", WrittenOutside,
	"NETWORK_ALLOWED", "NETWORK_REFUSED", "NETWORK_SUMMARY",
}

// approvals are the types of records that are taken if the book of approvals says the same.
var approvals = []string{"APPROVAL_REQUESTED", "APPROVAL_DECIDED", "APPROVAL_USED"}

// errUndecided says that the book of approvals cannot be read, so that its records wait.
var errUndecided = errors.New("the book of approvals cannot be read")

// Flush appends what is in the spool, oldest first. An entry that no rightful writer of the spool
// wrote is put aside and recorded as a violation.
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
	var waits error
	for _, name := range names[:min(len(names), maxFlush)] {
		switch err := l.flush(ctx, spool+"/"+name); {
		case errors.Is(err, errUndecided): // it holds up no others
			waits = err
		case err != nil:
			return err
		}
	}

	return waits
}

// flush appends one record.
func (l *Log) flush(ctx context.Context, name string) error {
	text, err := l.Workspace.ReadFile(name, maxRecord)
	if errors.Is(err, workspace.ErrNotRegular) ||
		errors.Is(err, workspace.ErrTooLarge) { // it would hold up all others
		return l.putAside(ctx, name, "", "it is no record")
	}

	if err != nil {
		return fmt.Errorf("violations: %w", err)
	}
	event, ok := eventOf(text)
	if !ok {
		return l.putAside(ctx, name, "", "it is no record")
	}

	why, err := l.refuses(event)
	if err == nil && why == "" {
		why, err = l.take(ctx, event)
	}

	switch {
	case err != nil:
		return fmt.Errorf("violations: %w", err)
	case why != "":
		return l.putAside(ctx, name, event.Type, why)
	}

	return l.Workspace.Remove(name)
}

// take appends a record under the name of the spool. The chain may have it already, under
// the name of the server, which spools what it does not know to be appended.
func (l *Log) take(ctx context.Context, said audit.Event) (why string, err error) {
	marked, err := mark(said)
	if err != nil {
		return "", err
	}

	_, err = l.Trail.Append(ctx, marked)
	if errors.Is(err, audit.ErrIDReused) {
		_, err = l.Trail.Append(ctx, said)
	}

	if errors.Is(err, audit.ErrIDReused) ||
		errors.Is(err, audit.ErrTooLarge) ||
		errors.Is(err, audit.ErrProfile) {
		return "the chain does not take it", nil
	}

	return "", err
}

// mark is a record as the chain takes it: all that is known is that it was in the spool.
func mark(said audit.Event) (audit.Event, error) {
	payload := map[string]json.RawMessage{}
	text, _ := said.Payload.(json.RawMessage)
	if err := json.Unmarshal(text, &payload); err != nil {
		return audit.Event{}, err
	}

	var err error
	if payload["said_by"], err = json.Marshal(said.Actor); err != nil {
		return audit.Event{}, err
	}

	said.Actor, said.Payload = spooler, payload
	return said, nil
}

// refuses says why a record is not taken; "" if it is.
func (l *Log) refuses(event audit.Event) (why string, err error) {
	switch {
	case slices.Contains(Types, event.Type), slices.Contains(others, event.Type):
		return "", nil
	case !slices.Contains(approvals, event.Type):
		return "records of this type come from the server alone", nil
	}

	var says struct{ Approval, Digest, Status string }
	known := false
	if payload, ok := event.Payload.(json.RawMessage); ok &&
		json.Unmarshal(payload, &says) == nil &&
		l.Approved != nil {
		if known, err = l.Approved(says.Approval, says.Digest, says.Status); err != nil {
			return "", errUndecided
		}
	}

	if known {
		return "", nil
	}
	return "the book of approvals does not say so", nil
}

// putAside takes something out of the way of the others, where a person finds it.
func (l *Log) putAside(ctx context.Context, name, kind, why string) error {
	id := path.Base(name)
	slog.ErrorContext(ctx, "a spooled record was put aside", "id", id, "why", why)
	if _, err := l.Record(ctx, spooler, ForgedRecord, map[string]any{
		"id":   id,
		"type": kind,
		"why":  why,
	}); err != nil {
		return fmt.Errorf("violations: %w", err)
	}
	return l.Workspace.Rename(name, name+".damaged")
}

// eventOf reads a spooled record: a draft in its only spelling, whose payload is an object.
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
	if json.Unmarshal(text, &parts) != nil || !bytes.HasPrefix(parts.Payload, []byte("{")) {
		return audit.Event{}, false
	}

	return audit.Event{
		ID:      parts.ID,
		Actor:   parts.Actor,
		Type:    parts.Event,
		Payload: parts.Payload,
	}, true
}
