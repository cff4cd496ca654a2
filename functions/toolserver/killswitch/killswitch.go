// Package killswitch halts everything that the tool server runs for agents, and
// keeps it halted: the flag is a file that survives every restart. Only a person
// lifts it, with the same secret; a lift that is not on record does not happen.
//
// Whoever asks for a halt gets it first; the audit trail learns of it before the
// answer if it can be reached within half a second, and else as soon as it can.
package killswitch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"governance.internal/shared/audit"
)

// Types of the audit entries.
const (
	EventHalt    = "KILL_SWITCH"
	EventRefused = "KILL_SWITCH_REFUSED"
	EventLifted  = "KILL_SWITCH_LIFTED"
)

// Scopes are what can be asked to stop.
var Scopes = []string{"all", "dispatches", "processes"}

// auditBudget is how long a halt waits for the audit trail.
const auditBudget = 500 * time.Millisecond

// Halt is the content of the flag.
type Halt struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	Source string    `json:"source"` // http, mcp, sse or stdio
	Scope  string    `json:"scope"`
	// Pending says that the other tasks do not know of the halt yet.
	Pending bool `json:"pending,omitempty"`
}

// Order is a request to halt whose secret was right.
type Order struct {
	Reason string // 3 to 500 characters
	Scope  string
	Source string
}

// Outcome says what was done. The lists name what was running and is stopped.
type Outcome struct {
	Activated bool       `json:"activated"`
	Complete  bool       `json:"complete"` // nothing survives, and every task knows
	Timestamp time.Time  `json:"timestamp"`
	Reason    string     `json:"reason"`
	Scope     string     `json:"scope"`
	Source    string     `json:"source"`
	Stopped   Stopped    `json:"stopped"`
	Survivors []Survivor `json:"survivors"`
	Halted    bool       `json:"halted"`
	Entry     *EntryRef  `json:"audit_entry"`
	Audit     string     `json:"audit"` // written, or deferred until the trail can be reached
	Lift      string     `json:"lift"`  // what a person does to end the halt
}

// Stopped is what was running.
type Stopped struct {
	Dispatches []string `json:"dispatches"`
	Processes  []string `json:"processes"`
}

// Survivor is a process that is still alive.
type Survivor struct {
	PID     int    `json:"pid"`
	Command string `json:"cmd"`
}

// EntryRef names an entry of the audit chain.
type EntryRef struct {
	Seq  uint64     `json:"seq"`
	ID   string     `json:"id"`
	Hash audit.Hash `json:"hash"`
}

// Switch is the kill switch. It is safe for concurrent use.
type Switch struct {
	dir    string
	trail  audit.Store
	now    func() time.Time
	random io.Reader
	shared Flag // nil if this is the only task

	mu sync.Mutex
}

// Open opens the switch of a data directory. Several tasks share a flag besides; it
// is nil for one that is alone.
func Open(dir string, shared Flag, trail audit.Store, now func() time.Time, random io.Reader) *Switch {
	return &Switch{dir: dir, shared: shared, trail: trail, now: now, random: random}
}

func (s *Switch) flag() string { return filepath.Join(s.dir, "HALT") }

// Halted returns the halt that is in force, nil if there is none. A flag that
// cannot be read halts: the switch fails closed.
func (s *Switch) Halted() *Halt {
	text, err := os.ReadFile(s.flag())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	halt := new(Halt)
	if err != nil || json.Unmarshal(text, halt) != nil {
		return &Halt{Reason: "the flag HALT cannot be read", Pending: s.shared != nil}
	}
	return halt
}

// Activate halts. The error means that the flag could not be written: nothing is
// halted then.
func (s *Switch) Activate(ctx context.Context, o Order) (Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.now().UTC()
	if err := s.raise(Halt{at, o.Reason, o.Source, o.Scope, s.shared != nil}); err != nil {
		return Outcome{}, fmt.Errorf("halt: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not stop a halt
	everywhere := s.publish(ctx)
	out := Outcome{
		Activated: true, Complete: everywhere, Timestamp: at, Reason: o.Reason, Scope: o.Scope, Source: o.Source, Halted: true,
		Stopped: Stopped{[]string{}, []string{}}, Survivors: []Survivor{}, Audit: "deferred",
		Lift: `A person sends {"resume":true,"reason":"..."} to POST /kill with the kill secret.`,
	}
	intent, asked := s.record(ctx, EventHalt, map[string]any{"phase": "asked", "reason": o.Reason, "scope": o.Scope, "source": o.Source})
	// Dispatches and managed processes are stopped here once the server runs any.
	_, done := s.record(ctx, EventHalt, map[string]any{"phase": "done", "scope": o.Scope, "stopped": 0, "survivors": 0})
	out.Entry = intent
	if asked && done {
		out.Audit = "written"
	}
	return out, nil
}

// Lifted says what [Switch.Lift] did.
type Lifted struct {
	Resumed   bool      `json:"resumed"` // false if nothing was halted
	Timestamp time.Time `json:"timestamp"`
	Reason    string    `json:"reason"`
	Halted    bool      `json:"halted"`
	Was       *Halt     `json:"was"`
	Entry     *EntryRef `json:"audit_entry"`
}

// ErrNoRecord means that the audit trail or the shared flag did not take the lift, so
// that the halt is still in force.
var ErrNoRecord = errors.New("the end of the halt cannot be recorded")

// Lift ends the halt. Unlike a halt it waits for the audit trail: the entry comes
// first.
func (s *Switch) Lift(ctx context.Context, reason, source string) (Lifted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	epoch, err := s.sync(ctx)
	if err != nil {
		return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	out := Lifted{Timestamp: s.now().UTC(), Reason: reason, Was: s.Halted()}
	if out.Was == nil {
		return out, nil
	}
	id, err := audit.NewID(s.now(), s.random)
	if err != nil {
		return Lifted{}, err
	}
	ctx = context.WithoutCancel(ctx)
	entries, err := s.trail.Append(ctx, audit.Event{ID: id, Actor: "killswitch", Type: EventLifted, Payload: map[string]any{
		"reason": reason, "source": source, "since": out.Was.Since.Format(time.RFC3339Nano),
	}})
	if err != nil {
		return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	out.Entry = &EntryRef{entries[0].Seq, entries[0].ID, entries[0].Hash}
	if s.shared != nil {
		if err := s.shared.Lift(ctx, epoch); err != nil {
			return Lifted{}, fmt.Errorf("%w: %w", ErrNoRecord, err)
		}
	}
	if err := os.Remove(s.flag()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Lifted{}, fmt.Errorf("lift: %w", err)
	}
	out.Resumed = true
	return out, nil
}

// raise writes the flag so that it is whole or not there after a crash. The first
// halt stays: it tells since when.
func (s *Switch) raise(h Halt) error {
	if s.Halted() != nil {
		return nil
	}
	return s.write(h)
}

func (s *Switch) write(h Halt) error {
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	return replace(s.flag(), append(text, '\n'))
}

// Refused records an attempt with a wrong secret.
func (s *Switch) Refused(ctx context.Context, source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(context.WithoutCancel(ctx), EventRefused, map[string]any{"source": source})
}

// record appends an entry within the budget, or notes it down for later.
func (s *Switch) record(ctx context.Context, event string, payload map[string]any) (*EntryRef, bool) {
	id, err := audit.NewID(s.now(), s.random)
	if err != nil {
		slog.ErrorContext(ctx, "kill switch: no id for the audit entry", "error", err.Error())
		return nil, false
	}
	e := audit.Event{ID: id, Actor: "killswitch", Type: event, Payload: payload}
	ctx, cancel := context.WithTimeout(ctx, auditBudget)
	defer cancel()
	entries, err := s.trail.Append(ctx, e)
	if err == nil {
		return &EntryRef{entries[0].Seq, entries[0].ID, entries[0].Hash}, true
	}
	slog.WarnContext(ctx, "kill switch: the audit entry comes later", "error", err.Error())
	if err := s.spool(e); err != nil {
		slog.ErrorContext(ctx, "kill switch: the audit entry is lost", "event", event, "error", err.Error())
	}
	return nil, false
}
