package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"governance.internal/functions/toolserver/statefile"
)

// FileSlots are the slots of the servers of one machine, in a file that they share.
type FileSlots struct{ path string }

// NewFileSlots are those of a file; beside it is its lock.
func NewFileSlots(path string) *FileSlots { return &FileSlots{path} }

var _ Slots = (*FileSlots)(nil)

// change changes the places under the lock. A place that nobody holds keeps its number.
func (f *FileSlots) change(most int, decide func(places []Lease) error) error {
	unlock, err := statefile.Lock(f.path+".lock", lockLimit)
	if err != nil {
		return err
	}
	defer unlock()
	var places []Lease
	text, err := statefile.Read(f.path)
	if err == nil {
		err = json.Unmarshal(text, &places)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	for len(places) < most {
		places = append(places, Lease{Slot: len(places) + 1})
	}
	before := slices.Clone(places)
	if err := decide(places); err != nil || slices.Equal(before, places) {
		return err
	}
	if text, err = json.Marshal(places); err != nil {
		return err
	}
	return statefile.Replace(f.path, text)
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
			if free < 0 && (l.Owner == "" || now.After(l.Expires)) {
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
			if l.Owner != "" && !now.After(l.Expires) {
				held = append(held, l)
			}
		}
		return nil
	})
}
