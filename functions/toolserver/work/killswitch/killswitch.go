// Package killswitch halts everything that the tool server runs for agents, and keeps it
// halted: the flag is a file that survives every restart. Only a person lifts it, with the
// same secret; a lift that cannot be recorded is refused.
//
// A halt does not wait for the audit trail: its entry is appended before the answer if the
// trail responds within half a second, and otherwise as soon as it does.
package killswitch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/work/descriptors"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/functions/toolserver/work/statefile"
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
	auditBudget  = 500 * time.Millisecond  // that a halt waits for the audit trail
	sharedBudget = time.Second             // for a look at the shared flag, which a halt waits for
	endLimit     = 5400 * time.Millisecond // that a halt waits until what runs has ended
	trailLimit   = 3 * time.Second         // for the trail, where an entry must come first
)

// Halt is the content of the flag.
type Halt struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	Source string    `json:"source"` // http, mcp, sse or stdio
	Scope  string    `json:"scope"`
	// Told is set when the other tasks know of the halt. It is not set in a flag that a
	// person wrote.
	Told bool `json:"told,omitempty"`
}

// Order is a request to halt whose secret was right.
type Order struct {
	Reason string // 3 to 500 characters
	Scope  string
	Source string
}

// Outcome is the result of a halt. The lists name what was running and is stopped.
type Outcome struct {
	Activated bool       `json:"activated"`
	Complete  bool       `json:"complete"` // nothing survives, the halt is kept, and every task knows
	Timestamp time.Time  `json:"timestamp"`
	Reason    string     `json:"reason"`
	Scope     string     `json:"scope"`
	Source    string     `json:"source"`
	Asked     Asked      `json:"asked"` // to end
	Stopped   Stopped    `json:"stopped"`
	Survivors []Survivor `json:"survivors"` // what could not be ended, and why
	Halted    bool       `json:"halted"`
	Kept      bool       `json:"kept"` // false if the halt cannot be written, so that it ends with this server
	Entry     *EntryRef  `json:"audit_entry"`
	Audit     string     `json:"audit"` // written, or deferred until the trail can be reached
	Lift      string     `json:"lift"`  // what a person does to end the halt
}

// Asked names everything that was asked to end.
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
	// Processes ends the managed processes. With here set, it ends only those on this
	// machine, because another server received the request to halt.
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

	unwritten atomic.Pointer[Halt] // that is in force and could not be written
}

// Open opens the switch of a data directory. Several tasks share a flag besides; it
// is nil for one that is alone.
func Open(dir string, shared Flag, trail audit.Store, now func() time.Time, random io.Reader, stops Stops) *Switch {
	return &Switch{
		dir:    dir,
		shared: shared,
		trail:  trail,
		now:    now,
		random: random,
		stops:  stops,
	}
}

func (s *Switch) flag() string {
	return filepath.Join(s.dir, "HALT")
}

// Halted returns the halt that is in force, nil if there is none. A flag that
// cannot be read halts: the switch fails closed.
func (s *Switch) Halted() *Halt {
	unwritten := s.unwritten.Load() // first: it may be written meanwhile
	text, err := statefile.Read(s.flag())
	if errors.Is(err, fs.ErrNotExist) {
		return unwritten
	}
	halt := new(Halt)
	if err != nil || json.Unmarshal(text, halt) != nil {
		return &Halt{Reason: "the flag HALT cannot be read"}
	}
	return halt
}

// Activate halts. It ends the processes even if the flag cannot be written, because the
// disk is full or another process prevents it.
func (s *Switch) Activate(ctx context.Context, o Order) Outcome {
	again := descriptors.Free() // to read the process table and to write what happens
	defer again()

	s.mu.Lock()
	defer s.mu.Unlock()

	at := s.now().UTC()
	kept := s.raise(ctx, Halt{at, o.Reason, o.Source, o.Scope, false})
	s.obeyed = true
	ctx = context.WithoutCancel(ctx) // a client that hangs up does not stop a halt
	told := make(chan bool, 1)
	go func() { told <- s.publish(ctx) }()
	out := Outcome{
		Activated: true,
		Timestamp: at,
		Reason:    o.Reason,
		Scope:     o.Scope,
		Source:    o.Source,
		Halted:    true,
		Kept:      kept,
		Audit:     "deferred",
		Asked:     Asked{[]string{}, []string{}},
		Stopped:   Stopped{[]Dispatch{}, []managed.Outcome{}},
		Survivors: []Survivor{},
		Lift:      `A person sends {"resume":true,"reason":"..."} to POST /kill with the kill secret; with "restore":true what was stopped at a provider comes back.`,
	}

	asked := make(chan *EntryRef, 1)
	go func() { // nothing waits for the trail before it is ended
		entry, _ := s.record(
			ctx,
			EventHalt,
			map[string]any{
				"phase":  "asked",
				"reason": o.Reason,
				"scope":  o.Scope,
				"source": o.Source,
			},
		)
		asked <- entry
	}()

	s.end(ctx, o.Scope, false, &out)
	out.Complete = <-told && kept && len(out.Survivors) == 0
	out.Entry = <-asked
	_, done := s.record(ctx, EventHalt, map[string]any{
		"phase":      "done",
		"scope":      o.Scope,
		"dispatches": len(out.Asked.Dispatches),
		"processes":  len(out.Asked.Processes),
		"survivors":  len(out.Survivors),
	})
	if out.Entry != nil && done {
		out.Audit = "written"
	}

	return out
}

// end ends what a scope names, all at once, and adds the results to out. Elsewhere is set
// for a halt that another server received.
func (s *Switch) end(ctx context.Context, scope string, elsewhere bool, out *Outcome) {
	limit, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()

	parts := make(chan func(), 2)
	missing := map[string]bool{}
	if scope != "processes" && s.stops.Dispatches != nil {
		missing["dispatches"] = true
		go func() {
			outcomes, others := s.stops.Dispatches(ctx)
			parts <- func() {
				out.takeDispatches(outcomes, others)
				delete(missing, "dispatches")
			}
		}()
	}

	if scope != "dispatches" && s.stops.Processes != nil {
		missing["processes"] = true
		go func() {
			ended := s.stops.Processes(ctx, elsewhere)
			parts <- func() { out.takeProcesses(ended); delete(missing, "processes") }
		}()
	}

	for len(missing) > 0 {
		select {
		case take := <-parts:
			take()
		case <-limit.Done():
			for _, name := range slices.Sorted(maps.Keys(missing)) {
				out.Survivors = append(out.Survivors, Survivor{
					Name: name,
					Why:  "they are being ended, and a halt waits no longer for what becomes of them",
				})
			}
			return
		}
	}
}

func (out *Outcome) takeDispatches(outcomes []processes.Outcome, others []processes.Survivor) {
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
}

func (out *Outcome) takeProcesses(ended []managed.Outcome) {
	for _, each := range ended {
		out.Asked.Processes = append(out.Asked.Processes, each.Name)
		out.Stopped.Processes = append(out.Stopped.Processes, each)
		out.Survivors = append(out.Survivors, each.Survivors...)
	}
}

// raise writes the flag atomically, or holds the halt in memory until it can be written;
// such a halt is not kept. The first halt stays, because it has the start time.
func (s *Switch) raise(ctx context.Context, h Halt) (kept bool) {
	err := s.writeLate()
	if s.Halted() == nil {
		err = s.keep(h)
	}
	if err != nil {
		slog.ErrorContext(ctx, "kill switch: the halt cannot be written, so it ends with this server",
			"error", err.Error())
		return false
	}
	return true
}

// keep holds a halt until it is written.
func (s *Switch) keep(h Halt) error {
	s.unwritten.Store(&h)
	return s.writeLate()
}

// writeLate writes a halt that could not be written before.
func (s *Switch) writeLate() error {
	halt := s.unwritten.Load()
	if halt == nil {
		return nil
	}
	err := s.write(*halt)
	if err == nil {
		s.unwritten.Store(nil)
	}
	return err
}

func (s *Switch) write(h Halt) error {
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	return statefile.Replace(s.flag(), append(text, '\n'))
}

// clear takes the flag away.
func (s *Switch) clear() error {
	if err := os.Remove(s.flag()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.unwritten.Store(nil)
	return nil
}

// Refused records an attempt with a wrong secret.
func (s *Switch) Refused(ctx context.Context, source string) {
	s.record(context.WithoutCancel(ctx), EventRefused, map[string]any{"source": source})
}

// record appends an entry within the budget, or spools it for later.
func (s *Switch) record(ctx context.Context, event string, payload map[string]any) (*EntryRef, bool) {
	id, err := audit.NewID(s.now(), s.random)
	if err != nil {
		slog.ErrorContext(ctx, "kill switch: no id for the audit entry", "error", err.Error())
		return nil, false
	}

	e := audit.Event{
		ID:      id,
		Actor:   "killswitch",
		Type:    event,
		Payload: payload,
	}

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
