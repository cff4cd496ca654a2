package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"governance.internal/functions/toolserver/work/statefile"
)

// FileSlots are the slots of the servers of one machine, in a file that they share.
type FileSlots struct {
	path string

	// The leases according to the process table, and the function that reports a damaged
	// file; nil if there is only the file.
	living  func() ([]Lease, error)
	damaged func(why string)
}

// NewFileSlots are those of a file; beside it is its lock.
func NewFileSlots(path string) *FileSlots { return &FileSlots{path: path} }

var _ Slots = (*FileSlots)(nil)

// longest is above the duration of any lease. A lease beyond it is ignored: it was forged,
// or the clock was set back.
const longest = 2 * time.Minute

func (l Lease) holds(now time.Time) bool {
	return l.Owner != "" &&
		!now.After(l.Expires) &&
		!l.Expires.After(now.Add(longest))
}

// change changes the places under the lock. A free place keeps its number.
func (f *FileSlots) change(most int, decide func(places []Lease) error) error {
	why, err := f.changeLocked(most, decide)
	if why != "" && f.damaged != nil {
		f.damaged(why)
	}
	return err
}

// changeLocked says why the file had to be rebuilt, if it had.
func (f *FileSlots) changeLocked(most int, decide func(places []Lease) error) (why string, err error) {
	unlock, err := statefile.Lock(f.path+".lock", lockLimit)
	if err != nil {
		return "", err
	}
	defer unlock()

	places, why := f.read()
	if why != "" {
		if places, err = f.rebuild(why); err != nil {
			return why, err
		}
	}

	if why == missing && !slices.ContainsFunc(places, func(l Lease) bool { return l.Owner != "" }) {
		why = "" // there has been no lease yet
	}

	for len(places) < most {
		places = append(places, Lease{Slot: len(places) + 1})
	}

	before := slices.Clone(places)
	if err := decide(places); err != nil || why == "" && slices.Equal(before, places) {
		return why, err
	}

	text, err := json.Marshal(places)
	if err != nil {
		return why, err
	}

	return why, statefile.Replace(f.path, text)
}

const missing = "the file is not there"

// read reads the places, or says why they cannot be.
func (f *FileSlots) read() (places []Lease, why string) {
	text, err := statefile.Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing
	case errors.Is(err, statefile.ErrNotRegular), errors.Is(err, statefile.ErrTooLarge):
		return nil, err.Error()
	case err != nil:
		return nil, "the file cannot be read"
	case json.Unmarshal(text, &places) != nil:
		return nil, "the file does not hold leases"
	}

	for i, l := range places {
		if l.Slot != i+1 || i >= MostAtOnce {
			return nil, "the file holds leases of places that are not there"
		}
	}

	return places, ""
}

// rebuild renames a damaged file and makes leases for the running dispatches.
func (f *FileSlots) rebuild(why string) ([]Lease, error) {
	if aside := f.path + ".damaged"; why != missing {
		if err := errors.Join(os.RemoveAll(aside), os.Rename(f.path, aside)); err != nil {
			return nil, err
		}
	}

	places := make([]Lease, MostAtOnce)
	for i := range places {
		places[i].Slot = i + 1
	}

	if f.living == nil {
		return places, nil
	}
	living, err := f.living()
	for _, l := range living {
		if l.taken() && l.Fence >= places[l.Slot-1].Fence {
			places[l.Slot-1] = l
		}
	}

	return places, err
}

// Take implements Slots.
func (f *FileSlots) Take(_ context.Context, owner string, most int, now, until time.Time) (taken Lease, err error) {
	return taken, f.change(most, func(places []Lease) error {
		free := -1
		for i, l := range places[:most] {
			if l.Owner == owner {
				free = i
				break
			}

			if free < 0 && !l.holds(now) {
				free = i
			}
		}

		if free < 0 {
			return ErrNoSlot
		}
		places[free] = Lease{free + 1, owner, places[free].Fence + 1, until}
		taken = places[free]
		return nil
	})
}

// Renew implements Slots.
func (f *FileSlots) Renew(_ context.Context, l Lease, until time.Time) error {
	if !l.taken() {
		return ErrLost
	}
	return f.change(MostAtOnce, func(places []Lease) error {
		at := &places[l.Slot-1]
		if at.Owner != l.Owner || at.Fence != l.Fence {
			return ErrLost
		}
		at.Expires = until
		return nil
	})
}

// Release implements Slots.
func (f *FileSlots) Release(_ context.Context, l Lease) error {
	if !l.taken() {
		return nil
	}
	return f.change(MostAtOnce, func(places []Lease) error {
		if at := &places[l.Slot-1]; at.Owner == l.Owner && at.Fence == l.Fence {
			*at = Lease{Slot: l.Slot, Fence: l.Fence}
		}
		return nil
	})
}

// Held implements Slots.
func (f *FileSlots) Held(_ context.Context, most int, now time.Time) (held []Lease, err error) {
	return held, f.change(most, func(places []Lease) error {
		for _, l := range places[:most] {
			if l.holds(now) {
				held = append(held, l)
			}
		}
		return nil
	})
}
