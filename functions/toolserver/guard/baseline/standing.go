package baseline

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

// State is a governed file at some time.
type State struct {
	List   string
	Digest string // as [workspace.Workspace.Digest]
	At     time.Time
}

// Standing is what the governed files were when the baseline was taken, and what they are now.
type Standing struct {
	Taken   time.Time // of the baseline
	Origin  map[string]State
	Present map[string]State
	// Seen are states in which the watcher saw files that had changed around the guard, by
	// path: a kind of change and a digest.
	Seen map[string]string
	// Fresh says that there was no baseline, so that nothing is known of the time before.
	Fresh bool
	// Lost says that the baseline was removed.
	Lost bool
}

// Stand compares nothing: it tells what the files were and are. Without a baseline it takes
// one.
func (n *Net) Stand(ctx context.Context) (Standing, error) {
	_, err := fs.Stat(n.Workspace.Files(), file)
	fresh := errors.Is(err, fs.ErrNotExist)

	_, r, err := n.compare(ctx)
	if err != nil {
		return Standing{}, err
	}
	if fresh && !r.lost { // the first one was just taken
		if r, err = n.read(); errors.Is(err, fs.ErrNotExist) {
			return Standing{}, errors.New("there is no " + workspace.FileName + ", so no file is governed")
		} else if err != nil {
			return Standing{}, err
		}
	}

	state, err := n.Workspace.Load()
	if err != nil {
		return Standing{}, err
	}
	present, err := n.look(state)
	if err != nil {
		return Standing{}, err
	}

	return Standing{
		Taken:   r.Taken,
		Origin:  states(r.Origin),
		Present: states(present),
		Seen:    maps.Clone(r.Reported),
		Fresh:   fresh,
		Lost:    r.lost,
	}, nil
}

// TakeFirst takes the first baseline, if there is none.
func (n *Net) TakeFirst(ctx context.Context) error {
	_, err := fs.Stat(n.Workspace.Files(), file)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, _, err = n.compare(ctx)
	return err
}

func states(files map[string]entry) map[string]State {
	all := map[string]State{}
	for name, e := range files {
		all[name] = State{
			List:   e.List,
			Digest: e.Sum,
			At:     e.At,
		}
	}
	return all
}

// completeOrigin fills in what a baseline of an earlier version does not say.
func (r *record) completeOrigin() {
	if r.Origin == nil {
		r.Origin = maps.Clone(r.Files)
	}
	if !r.Taken.IsZero() {
		return
	}
	for _, e := range r.Files {
		if r.Taken.IsZero() || e.At.Before(r.Taken) {
			r.Taken = e.At
		}
	}
}
