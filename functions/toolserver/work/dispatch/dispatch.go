// Package dispatch runs agents in the background, never more than two at once.
//
// A dispatch is a folder in the data directory: the task, the log, and a record of the
// program. The record never decides whether it still runs: the process table does, by
// process ID and start time. So the limit holds for every server that uses the directory,
// and over restarts; agents that an earlier server started are counted, watched and ended
// like its own. Machines that share no directory share [Slots].
package dispatch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"governance.internal/functions/toolserver/work/fence/egress"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/functions/toolserver/work/statefile"
	"governance.internal/shared/audit"
)

// Types of the audit entries.
const (
	EventStart     = "DISPATCH"
	EventEnd       = "DISPATCH_END"
	EventCancelled = "DISPATCH_CANCELLED"     // a person ended it; its end follows
	EventSlots     = "DISPATCH_SLOTS_REBUILT" // the file of the leases was damaged
)

// The limits of the contract, which settings can only make stricter.
const (
	MostAtOnce  = 2
	LeastFreeMB = 500
)

// Settings describe the agent. The zero value runs none.
type Settings struct {
	Runner    Runner        // nil for none
	Why       string        // there is none, and how to change that
	Max       int           // at once, 0 for MostAtOnce
	MinFreeMB int           // memory that must be free, if above LeastFreeMB
	Timeout   time.Duration // for tasks that name none, 0 for half an hour
	Fence     Fencing       // of the kernel around the programs
}

const (
	usualTimeout = 30 * time.Minute
	mostLog      = 10 << 20 // bytes of a log
)

func (s Settings) max() int {
	if s.Max == 0 {
		return MostAtOnce
	}
	return min(s.Max, MostAtOnce)
}

// Deps are what a dispatcher takes from outside.
type Deps struct {
	Settings func() (Settings, error) // as they are now
	Dir      string                   // working directory of agents
	LogBytes int64                    // longest log, 0 for 10 MiB
	Trail    audit.Store
	Halted   func() bool
	FreeMB   func() (int, error)
	Slots    Slots         // that the machines share; nil for those of the data directory alone
	Renewal  time.Duration // between two renewals of a lease, 0 for five seconds
	Now      func() time.Time
	Random   io.Reader
}

// Task is what an agent is to do.
type Task struct {
	Text     string
	MaxTurns int
	Timeout  time.Duration // 0 for the settings'
	Key      string        // the same key again gives the same dispatch; "" for none
}

// Refused says why nothing was started.
type Refused struct {
	Code    string // halted, disabled, command_not_found, insufficient_memory, limit_exceeded, fence_unavailable, unavailable
	Message string
	FreeMB  int // with insufficient_memory
}

// Error implements error.
func (r *Refused) Error() string { return r.Message }

var halted = &Refused{Code: "halted", Message: "The kill switch halts all work. A person lifts it."}

// Dispatcher is safe for concurrent use.
type Dispatcher struct {
	dir    string
	deps   Deps
	alone  bool             // no other directory shares the slots
	strays *processes.Group // what dispatches left behind that shows no mark of theirs

	mu      sync.Mutex
	running map[string]*run
}

// run is a dispatch that is watched.
type run struct {
	record Record
	group  *processes.Group
	runner Runner      // nil if a server before this one started it
	reason chan string // why it is ended before its time
	line   io.Closer   // ends the fence around it; nil without one
	proxy  *egress.Journal
	made   func() ([]string, error) // governed names that the fence could not hold; nil without one

	finished chan struct{} // closed when its end is recorded
}

// Open resumes watching the dispatches that run in a data directory.
func Open(dir string, d Deps) (*Dispatcher, error) {
	if d.LogBytes == 0 {
		d.LogBytes = mostLog
	}

	dir, err := filepath.Abs(filepath.Join(dir, "dispatches"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if d.Renewal == 0 {
		d.Renewal = usualRenewal
	}

	dispatcher := &Dispatcher{
		dir:     dir,
		deps:    d,
		alone:   d.Slots == nil,
		strays:  processes.Known(processes.Trace{Notes: filepath.Join(dir, "strays.json")}),
		running: map[string]*run{},
	}
	if dispatcher.alone {
		dispatcher.deps.Slots = dispatcher.ownSlots()
	}

	return dispatcher, dispatcher.resume()
}

// resume watches the dispatches that an earlier server started.
func (d *Dispatcher) resume() error {
	unlock, err := d.lock()
	switch {
	case errors.Is(err, statefile.ErrLocked): // a process that holds it for so long must not keep the kill switch from starting
		slog.Warn("dispatch: another process holds the lock", "file", "dispatches/lock")
	case err != nil:
		return err
	default:
		defer unlock()
	}

	records, err := d.records()
	if err != nil {
		return err
	}

	for _, r := range records {
		if r.State != Running {
			continue
		}
		if group, ok := processes.Resume(d.trace(r)); ok {
			d.watch(r, launched{group: group}, nil)
		}
	}

	if unlock != nil {
		d.recordLost(context.Background(), records)
		d.prune(records)
	}

	return nil
}

// Start starts an agent. The error is *[Refused] if there is a reason not to.
func (d *Dispatcher) Start(ctx context.Context, t Task) (Record, error) {
	settings, err := d.deps.Settings()
	if err != nil {
		return Record{}, err
	}

	id, err := audit.NewID(d.deps.Now(), d.deps.Random)
	if err != nil {
		return Record{}, err
	}
	if t.Timeout == 0 {
		t.Timeout = cmp.Or(settings.Timeout, usualTimeout)
	}

	job := Job{t, id, filepath.Join(d.dir, id, taskFile)}
	program, err := d.admit(settings, job)
	if err != nil {
		return Record{}, err
	}

	unlock, err := d.lock()
	if err != nil {
		return Record{}, unavailable(ctx, err)
	}
	defer unlock()

	records, err := d.records()
	if err != nil {
		return Record{}, err
	}

	if t.Key != "" {
		if at := slices.IndexFunc(records, func(r Record) bool { return r.Key == digest(t.Key) }); at >= 0 {
			return records[at], nil
		}
	}

	d.prune(records)
	lease, err := d.slot(ctx, id, settings.max(), records)
	if err != nil {
		return Record{}, err
	}

	r, err := d.start(ctx, settings, program, job, lease)
	if err != nil {
		err = errors.Join(err, d.deps.Slots.Release(context.WithoutCancel(ctx), lease))
	}

	return r, err
}

// lock excludes the other dispatchers of the directory.
func (d *Dispatcher) lock() (unlock func(), err error) {
	return statefile.Lock(filepath.Join(d.dir, "lock"), lockLimit)
}

// slot takes a place, of which there must be one by the process table of this machine and
// by the leases of all.
func (d *Dispatcher) slot(ctx context.Context, id string, most int, records []Record) (Lease, error) {
	full := &Refused{
		Code: "limit_exceeded",
		Message: fmt.Sprintf("%d of %d dispatches are running. Wait until one ends, or end one.",
			most, most),
	}

	if d.aliveAmong(records) >= most {
		return Lease{}, full
	}
	trial, cancel := context.WithTimeout(ctx, slotLimit)
	defer cancel()

	lease, err := d.take(trial, id, most, records)
	switch {
	case errors.Is(err, ErrNoSlot):
		return Lease{}, full
	case err != nil:
		return Lease{}, unavailable(ctx, err)
	}

	return lease, nil
}

func unavailable(ctx context.Context, err error) error {
	slog.WarnContext(ctx, "dispatch: no slot taken", "error", err.Error())
	return &Refused{
		Code:    "unavailable",
		Message: "The slots for agents cannot be reached right now. Try again.",
	}
}

// admit checks the reasons to refuse any dispatch, and finds the program.
func (d *Dispatcher) admit(s Settings, j Job) (Program, error) {
	if d.deps.Halted() {
		return Program{}, halted
	}
	if s.Runner == nil {
		return Program{}, &Refused{Code: "disabled", Message: s.Why}
	}

	program, err := s.Runner.Program(j)
	if err != nil {
		return Program{}, err
	}

	free, err := d.deps.FreeMB()
	if err != nil {
		return Program{}, &Refused{
			Code:    "insufficient_memory",
			Message: "The free memory cannot be read, so nothing is started.",
		}
	}

	if least := max(s.MinFreeMB, LeastFreeMB); free < least {
		return Program{}, &Refused{
			Code: "insufficient_memory",
			Message: fmt.Sprintf("%d MB of memory are free, %d are needed.",
				free, least),
			FreeMB: free,
		}
	}

	return program, nil
}

// start starts the program of a job; the lock is held.
func (d *Dispatcher) start(ctx context.Context, s Settings, p Program, j Job, lease Lease) (Record, error) {
	r := Record{
		ID:         j.ID,
		State:      Running,
		StartedAt:  d.deps.Now().UTC(),
		MaxTurns:   j.MaxTurns,
		TimeoutS:   int(j.Timeout.Seconds()),
		TaskDigest: digest(j.Text),
		Log:        logOf(j.ID),
		Runner:     s.Runner.Name(),
		Guarded:    p.Guarded,
		Lease:      lease,
		Identity:   processes.Expected(),
		Server:     processes.Own(),
	}

	if j.Key != "" {
		r.Key = digest(j.Key)
	}

	folder := filepath.Join(d.dir, j.ID)
	log, err := d.prepare(folder, r, j.Task)
	if err != nil {
		return Record{}, err
	}
	defer log.Close()

	if err := d.write(r); err != nil { // first, so that it is known after a crash
		return Record{}, errors.Join(err, os.RemoveAll(folder))
	}
	begun, err := d.launch(ctx, s.Fence, p, j, processes.Command{
		ID:     j.ID,
		Argv:   p.Argv,
		Dir:    d.deps.Dir,
		Env:    p.Env,
		Input:  p.Input,
		Output: log,
		Notes:  d.notes(j.ID),
	})
	if err != nil {
		return Record{}, errors.Join(err, os.RemoveAll(folder))
	}

	r.Identity, r.Fence = begun.group.Identity(), begun.standing
	err = d.write(r)
	if err == nil &&
		d.deps.Halted() { // since admit; the kill switch may have looked before it began
		err = errors.Join(halted, os.RemoveAll(folder))
	}

	if err != nil {
		processes.StopNow(begun.group) // it has not done anything yet
		begun.hangUp()
		return Record{}, err
	}

	d.note(
		ctx,
		EventStart,
		map[string]any{
			"dispatch":    j.ID,
			"max_turns":   j.MaxTurns,
			"runner":      r.Runner,
			"guarded":     r.Guarded,
			"fence":       r.Fence.Word(),
			"fence_parts": r.Fence,
			"task_sha256": r.TaskDigest,
		},
	)

	d.watch(r, begun, s.Runner)
	return r, nil
}

// prepare makes the folder with the task and the head of the log.
func (d *Dispatcher) prepare(folder string, r Record, t Task) (*os.File, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, taskFile), []byte(t.Text), 0o600); err != nil {
		return nil, err
	}

	log, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}

	_, err = fmt.Fprintf(log, "dispatch %s, %s, at most %d turns and %d s\n\n",
		r.ID, r.StartedAt.Format(time.RFC3339), r.MaxTurns, r.TimeoutS)
	return log, err
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// note appends an audit entry. If the trail is unavailable the dispatch ends anyway and the
// log of the server has the entry.
func (d *Dispatcher) note(ctx context.Context, event string, payload map[string]any) {
	id, err := audit.NewID(d.deps.Now(), d.deps.Random)
	if err == nil {
		_, err = d.deps.Trail.Append(context.WithoutCancel(ctx), audit.Event{
			ID:      id,
			Actor:   "dispatch",
			Type:    event,
			Payload: payload,
		})
	}

	if err != nil {
		slog.ErrorContext(ctx, "dispatch: audit entry not written", "event", event, "error", err.Error())
	}
}
