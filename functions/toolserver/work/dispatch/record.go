package dispatch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/functions/toolserver/work/statefile"
)

// taskFile has the text of a task, in the folder of its dispatch.
const taskFile = "task.md"

// States of a record.
const (
	Running = "running"
	Ended   = "ended"
)

// Record is what is known of a dispatch.
type Record struct {
	ID         string             `json:"id"`
	State      string             `json:"state"`
	Identity   processes.Identity `json:"process"`
	StartedAt  time.Time          `json:"started_at"`
	MaxTurns   int                `json:"max_turns"`
	TimeoutS   int                `json:"timeout_s"`
	TaskDigest string             `json:"task_sha256"`
	Key        string             `json:"key_sha256,omitempty"`
	Log        string             `json:"log"` // below the data directory
	Runner     string             `json:"runner"`
	Guarded    bool               `json:"guarded"` // each change that the agent makes is checked first
	Fence      fence.Standing     `json:"fence"`   // of the kernel
	Lease      Lease              `json:"lease"`
	Server     processes.Identity `json:"server"` // that watches it

	EndedAt  *time.Time `json:"ended_at,omitempty"`
	ExitCode *int       `json:"exit_code,omitempty"` // not known for what an earlier server started
	Signal   string     `json:"signal,omitempty"`
	Reason   string     `json:"reason,omitempty"` // exit, timeout, log_limit, killed, cancelled, lease_lost, server_ended or lost; "" while it is being written
	Stop     string     `json:"stop,omitempty"`   // why the agent says that it ended
}

// alive reports whether any process of the dispatch is alive.
func (d *Dispatcher) alive(r Record) bool {
	return r.State == Running && processes.Alive(d.trace(r))
}

// trace is what leads to the processes of a dispatch.
func (d *Dispatcher) trace(r Record) processes.Trace {
	return processes.Trace{
		ID:       r.ID,
		Identity: r.Identity,
		Notes:    d.notes(r.ID),
	}
}

// notes are where the processes of a dispatch are noted, for a server that comes after a
// crash.
func (d *Dispatcher) notes(id string) string {
	return filepath.Join(d.dir, id, "processes.json")
}

func (d *Dispatcher) aliveAmong(records []Record) (n int) {
	for _, r := range records {
		if d.alive(r) {
			n++
		}
	}
	return n
}

// records returns all records, the newest first. A folder without a record belongs to a
// failed start, or the agent removed it.
func (d *Dispatcher) records() ([]Record, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}

	var records []Record
	for _, e := range slices.Backward(entries) {
		if !e.IsDir() {
			continue
		}
		r, err := d.read(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			if r = unrecorded(e.Name()); !d.alive(r) {
				continue
			}
		} else if err != nil {
			return nil, err
		}

		records = append(records, r)
	}

	return records, nil
}

// read reads a record. A damaged one yields a dispatch of which only the marker is known.
func (d *Dispatcher) read(id string) (r Record, err error) {
	text, err := statefile.Read(filepath.Join(d.dir, id, "record.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if err != nil || json.Unmarshal(text, &r) != nil || r.ID != id {
		return unrecorded(id), nil
	}
	return r, nil
}

// Task is the text of a dispatch's task; "" if it is kept no longer.
func (d *Dispatcher) Task(id string) string {
	if id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return ""
	}
	text, err := statefile.Read(filepath.Join(d.dir, id, taskFile))
	if err != nil {
		return ""
	}
	return string(text)
}

// unrecorded is a dispatch of which only the marker is known.
func unrecorded(id string) Record {
	return Record{
		ID:       id,
		State:    Running,
		Identity: processes.Expected(),
		Log:      logOf(id),
	}
}

// logOf is where the log of a dispatch is, below the data directory.
func logOf(id string) string { return filepath.Join("dispatches", id, "log") }

// write replaces a record, whole or not at all.
func (d *Dispatcher) write(r Record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return statefile.Replace(filepath.Join(d.dir, r.ID, "record.json"), append(text, '\n'))
}

// List gives the dispatches that run and the newest of those that ended.
func (d *Dispatcher) List(most int) (active, completed []Record, err error) {
	records, err := d.records()
	if err != nil {
		return nil, nil, err
	}

	for _, r := range records {
		if d.alive(r) {
			active = append(active, r)
			continue
		}

		if r, err = d.ended(r); err != nil {
			return nil, nil, err
		}
		if len(completed) < most {
			completed = append(completed, r)
		}
	}

	return active, completed, nil
}

// ended returns the record of a dispatch that is not alive. Its end may be about to be
// written; if no process here is doing so, it has been written or never will be.
func (d *Dispatcher) ended(r Record) (Record, error) {
	if r.State == Ended {
		return r, nil
	}
	watched := d.watches(r.ID)
	r, err := d.read(r.ID)
	if err == nil && r.State == Running {
		r.State = Ended
		if !watched { // its server is gone
			r.Reason = "lost"
		}
	}
	return r, err
}

// watches reports whether this dispatcher will write the end of a dispatch.
func (d *Dispatcher) watches(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[id] != nil
}
