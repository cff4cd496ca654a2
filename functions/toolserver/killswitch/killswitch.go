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

	"governance.internal/functions/toolserver/managed"
	"governance.internal/functions/toolserver/processes"
	"governance.internal/shared/audit"
)

// Types of the audit entries.
const (
	EventHalt    = "KILL_SWITCH"
	EventRefused = "KILL_SWITCH_REFUSED"
	EventLifted  = "KILL_SWITCH_LIFTED"
	EventRestore = "KILL_SWITCH_RESTORE"
)

// Scopes are what can be asked to stop.
var Scopes = []string{"all", "dispatches", "processes"}

const (
	auditBudget  = 500 * time.Millisecond // that a halt waits for the audit trail
	sharedBudget = time.Second            // for a look at the shared flag, which a halt waits for
	trailLimit   = 3 * time.Second        // for the trail, where an entry must come first
)

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
	Asked     Asked      `json:"asked"` // to end
	Stopped   Stopped    `json:"stopped"`
	Survivors []Survivor `json:"survivors"` // what could not be ended, and why
	Halted    bool       `json:"halted"`
	Entry     *EntryRef  `json:"audit_entry"`
	Audit     string     `json:"audit"` // written, or deferred until the trail can be reached
	Lift      string     `json:"lift"`  // what a person does to end the halt
}

// Asked names everything that was told to end.
type Asked struct {
	Dispatches []string `json:"dispatches"`
	Processes  []string `json:"processes"`
}

// Stopped is what became of it.
type Stopped struct {
	Dispatches []Dispatch        `json:"dispatches"`
	Processes  []managed.Outcome `json:"processes"`
}

// Dispatch is an agent that was to end.
type Dispatch struct {
	ID      string   `json:"id"`
	PID     int      `json:"pid"`
	Signals []string `json:"signals"`
	Ended   bool     `json:"ended"`
}

// Survivor is a process that is still alive.
type Survivor = processes.Survivor

// Stops are the ways to end what runs, and to bring it back.
type Stops struct {
	// Dispatches ends all of them and everything else that began below this server,
	// except managed processes.
	Dispatches func(context.Context) ([]processes.Outcome, []processes.Survivor)
	// Processes ends the managed processes; here are those on this machine alone, which
	// are ended when another server was told to halt.
	Processes func(ctx context.Context, here bool) []managed.Outcome
	// Restore brings back the managed processes that halts ended.
	Restore func(context.Context) []managed.Restored
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
	stops  Stops
	shared Flag // nil if this is the only task

	late     sync.Mutex // the spool
	flushing sync.Mutex

	mu     sync.Mutex
	obeyed bool // what runs here was ended for the halt that is in force
}

// Open opens the switch of a data directory. Several tasks share a flag besides; it
// is nil for one that is alone.
func Open(dir string, shared Flag, trail audit.Store, now func() time.Time, random io.Reader, stops Stops) *Switch {
	return &Switch{dir: dir, shared: shared, trail: trail, now: now, random: random, stops: stops}
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
	s.obeyed = true
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not stop a halt
	told := make(chan bool, 1)
	go func() { told <- s.publish(ctx) }()
	out := Outcome{
		Activated: true, Timestamp: at, Reason: o.Reason, Scope: o.Scope, Source: o.Source, Halted: true, Audit: "deferred",
		Asked: Asked{[]string{}, []string{}}, Stopped: Stopped{[]Dispatch{}, []managed.Outcome{}}, Survivors: []Survivor{},
		Lift: `A person sends {"resume":true,"reason":"..."} to POST /kill with the kill secret; with "restore":true what was stopped at a provider comes back.`,
	}
	asked := make(chan *EntryRef, 1)
	go func() { // nothing waits for the trail before it is ended
		entry, _ := s.record(ctx, EventHalt, map[string]any{"phase": "asked", "reason": o.Reason, "scope": o.Scope, "source": o.Source})
		asked <- entry
	}()
	s.end(ctx, o.Scope, false, &out)
	out.Complete = <-told && len(out.Survivors) == 0
	out.Entry = <-asked
	_, done := s.record(ctx, EventHalt, map[string]any{
		"phase": "done", "scope": o.Scope, "dispatches": len(out.Asked.Dispatches), "processes": len(out.Asked.Processes), "survivors": len(out.Survivors),
	})
	if out.Entry != nil && done {
		out.Audit = "written"
	}
	return out, nil
}

// end ends what a scope names, all at once, and takes in what became of it. Elsewhere is
// for a halt that another server was told.
func (s *Switch) end(ctx context.Context, scope string, elsewhere bool, out *Outcome) {
	var outcomes []processes.Outcome
	var others []processes.Survivor
	var ended []managed.Outcome
	var wait sync.WaitGroup
	if scope != "processes" && s.stops.Dispatches != nil {
		wait.Go(func() { outcomes, others = s.stops.Dispatches(ctx) })
	}
	if scope != "dispatches" && s.stops.Processes != nil {
		wait.Go(func() { ended = s.stops.Processes(ctx, elsewhere) })
	}
	wait.Wait()
	for _, each := range outcomes {
		signals := each.Signals
		if signals == nil {
			signals = []string{} // it had ended by itself
		}
		out.Asked.Dispatches = append(out.Asked.Dispatches, each.ID)
		out.Stopped.Dispatches = append(out.Stopped.Dispatches, Dispatch{each.ID, each.PID, signals, each.Ended})
		out.Survivors = append(out.Survivors, each.Survivors...)
	}
	out.Survivors = append(out.Survivors, others...)
	for _, each := range ended {
		out.Asked.Processes = append(out.Asked.Processes, each.Name)
		out.Stopped.Processes = append(out.Stopped.Processes, each)
		out.Survivors = append(out.Survivors, each.Survivors...)
	}
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
