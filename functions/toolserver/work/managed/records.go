package managed

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"

	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/functions/toolserver/work/statefile"
)

// record is what a later server needs to take over.
type record struct {
	Name    string             `json:"name"`
	ID      string             `json:"id"`
	Process processes.Identity `json:"process"`
}

// trace is what leads to the processes of a record.
func (s *Supervisor) trace(r record) processes.Trace {
	return processes.Trace{
		ID:       r.ID,
		Identity: r.Process,
		Notes:    s.notes(r.Name),
	}
}

// notes are where what belongs to a process is noted, for a server that comes after a crash.
func (s *Supervisor) notes(name string) string {
	return filepath.Join(s.folder(name), "processes.json")
}

func writeRecord(folder string, r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return statefile.Replace(filepath.Join(folder, "record.json"), text)
}

// take takes the lock of the directory, if it is free, and with it what runs there.
// The caller holds the mutex.
func (s *Supervisor) take() (err error) {
	if s.unlock != nil {
		return nil
	}
	s.unlock, err = statefile.Lock(filepath.Join(s.dir, "lock"), 0)
	if errors.Is(err, statefile.ErrLocked) {
		s.children = map[string]*child{}
		s.recorded(func(r record) {
			s.children[r.Name] = &child{
				process: Process{
					Name:     r.Name,
					Provider: "supervised",
				},
				group: processes.Known(s.trace(r)),
			}
		})

		return nil
	}

	if err != nil {
		return err
	}
	s.children = map[string]*child{}
	s.recorded(func(r record) {
		if group, ok := processes.Resume(s.trace(r)); ok {
			group.Keep()
			c := &child{
				process: Process{
					Name:     r.Name,
					Provider: "supervised",
				},
				group: group,
			}
			s.children[r.Name] = c
			go s.follow(c, group)
		}
	})

	return nil
}

// recorded visits the records of what runs.
func (s *Supervisor) recorded(visit func(record)) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "*", "record.json")) // the pattern is valid
	for _, file := range files {
		var r record
		text, err := statefile.Read(file)
		if err == nil &&
			json.Unmarshal(text, &r) == nil &&
			processes.Alive(s.trace(r)) {
			visit(r)
		}
	}
}

// refresh takes the lock as soon as it is free, and looks at what another server runs until
// then. It reports whether this one supervises. The caller holds the mutex.
func (s *Supervisor) refresh() bool {
	if err := s.take(); err != nil {
		slog.Error("managed processes are not supervised", "error", err.Error())
	}
	return s.unlock != nil
}
