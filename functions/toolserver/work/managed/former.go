package managed

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"governance.internal/functions/toolserver/work/statefile"
)

// Was is the state of a process before a halt stopped it.
type Was struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Value    string `json:"value"` // in the words of the provider
}

// Former stores the former states durably in a file. It is safe for concurrent use.
type Former struct {
	Path string

	mu sync.Mutex
}

// Keep stores the state of a process before it is stopped. It keeps an earlier state,
// because a second halt finds the process stopped.
func (f *Former) Keep(p Process, value string) error {
	f.mu.Lock()
	defer f.mu.Unlock()

	list, err := f.read()
	if err != nil {
		return err
	}

	if slices.ContainsFunc(list, func(w Was) bool {
		return w.Provider == p.Provider &&
			w.Name == p.Name
	}) {
		return nil
	}
	return f.write(append(list, Was{p.Provider, p.Name, value}))
}

// All returns the stored states, the oldest first. An unreadable file counts as empty.
func (f *Former) All() []Was {
	f.mu.Lock()
	defer f.mu.Unlock()
	list, _ := f.read()
	return list
}

// Drop forgets.
func (f *Former) Drop(was Was) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	list, err := f.read()
	if err != nil {
		return err
	}
	return f.write(slices.DeleteFunc(list, func(w Was) bool { return w == was }))
}

func (f *Former) read() (list []Was, err error) {
	text, err := statefile.Read(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list, err
}

// write replaces the file as a whole, durably.
func (f *Former) write(list []Was) error {
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return statefile.Replace(f.Path, append(text, '\n'))
}
