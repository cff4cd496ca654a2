// Package baseline is the net under the guard. It remembers what the untouchable and
// protected files were, and finds every change that did not pass the guard: by a
// program that was not looked into, by a tool without a hook, or by a person.
//
// A change stays found until a person accepts the files as they are. A change that
// an approval let through is accepted by itself. A baseline that is gone while the
// chain knows of one is no fresh start: that is a change, too.
package baseline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// file is where the baseline is kept, in the state that no agent touches.
const file = workspace.StateDir + "/baseline.json"

const (
	maxBaseline = 32 << 20 // bytes
)

// EventTaken is the audit entry of a baseline that was taken or accepted.
const EventTaken = "BASELINE_TAKEN"

// Kinds of changes.
const (
	Added    = "added"
	Modified = "modified"
	Deleted  = "deleted"
)

// Change is a difference from the baseline.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	List string `json:"list"` // untouchable or protected
	Now  string `json:"now"`  // identifies the state that was found, "" if it is gone
}

// entry is what is remembered of a file.
type entry struct {
	List string    `json:"list"`
	Sum  string    `json:"sum"` // of content, permissions and kind
	At   time.Time `json:"at"`
}

// record is the content of the file.
type record struct {
	Version  int               `json:"version"`
	Policy   string            `json:"policy_version"`
	Files    map[string]entry  `json:"files"`
	Reported map[string]string `json:"reported"` // state of changes that are in the chain
	// Origin are the files as they were when the baseline was taken, or when a list first
	// named them. Approvals do not move it.
	Origin map[string]entry `json:"origin,omitempty"`
	Taken  time.Time        `json:"taken,omitzero"`

	lost bool // there is none any more, so nothing is written down
}

// Net compares the files of a workspace with its baseline.
type Net struct {
	Workspace *workspace.Workspace
	Log       *violations.Log
	Now       func() time.Time
	// Approved reports whether an approval of a change of the file was used since a time.
	Approved func(path string, since time.Time) bool

	told atomic.Bool // that the baseline is gone
}

// Compare returns what differs from the baseline, sorted by path, and how many files
// were compared. Without a baseline it takes one, and without a workspace file there is
// nothing to compare. It records nothing else.
func (n *Net) Compare(ctx context.Context) (changes []Change, checked int, err error) {
	changes, r, err := n.compare(ctx)
	return changes, len(r.Files), err
}

// Watch records new differences in the chain, each once, and returns them.
func (n *Net) Watch(ctx context.Context) ([]Change, error) {
	changes, r, err := n.compare(ctx)
	if err != nil {
		return nil, err
	}
	if r.lost && n.told.Swap(true) {
		return nil, nil
	}

	var fresh []Change
	for _, c := range changes {
		state := c.Kind + " " + c.Now
		if r.Reported[c.Path] == state {
			continue
		}

		if _, err := n.Log.Record(ctx, "watcher", violations.GuardBypassed, map[string]any{
			"path":   c.Path,
			"change": c.Kind,
			"list":   c.List,
		}); err != nil {
			return fresh, err
		}

		if fresh = append(fresh, c); !r.lost {
			r.Reported[c.Path] = state
		}
	}

	if len(fresh) == 0 || r.lost {
		return fresh, nil
	}
	return fresh, n.save(r)
}

// Accept takes the files as they are for right.
func (n *Net) Accept(ctx context.Context, by string) (files int, err error) {
	state, err := n.Workspace.Load()
	if err != nil {
		return 0, err
	}
	found, err := n.look(state)
	if err != nil {
		return 0, err
	}

	n.told.Store(false)
	return len(found), n.take(ctx, by, state, found)
}

func (n *Net) take(ctx context.Context, by string, state workspace.State, found map[string]entry) error {
	if err := n.Log.Note(ctx, by, EventTaken, map[string]any{
		"files":  len(found),
		"policy": state.Policy.Version(),
		"digest": digestOf(found),
	}); err != nil {
		return err
	}

	return n.save(record{
		Version:  1,
		Policy:   state.Policy.Version(),
		Files:    found,
		Reported: map[string]string{},
		Origin:   maps.Clone(found),
		Taken:    n.Now().UTC(),
	})
}

func digestOf(files map[string]entry) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %s %s\n", name, files[name].List, files[name].Sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (n *Net) compare(ctx context.Context) ([]Change, record, error) {
	state, err := n.Workspace.Load()
	if err != nil {
		return nil, record{}, err
	}
	if !state.Configured { // there are no lists
		return []Change{}, record{}, nil
	}

	found, err := n.look(state)
	if err != nil {
		return nil, record{}, err
	}

	r, err := n.read()
	if errors.Is(err, fs.ErrNotExist) {
		return n.first(ctx, state, found)
	} else if err != nil {
		return nil, record{}, err
	}

	changes, moved := n.differences(&r, state, found)
	if moved {
		err = n.save(r)
	}

	return changes, r, err
}

// first takes the first baseline. If the chain knows of an earlier one, somebody removed
// it: the check reports that until a person accepts the files.
func (n *Net) first(ctx context.Context, state workspace.State, found map[string]entry) ([]Change, record, error) {
	taken, err := n.Log.Holds(ctx, EventTaken)
	if err != nil {
		return nil, record{}, err
	}
	if taken {
		return []Change{{file, Deleted, policy.Untouchable, ""}}, record{
			Files: map[string]entry{},
			lost:  true,
		}, nil
	}
	return []Change{}, record{Files: found}, n.take(ctx, "watcher", state, found)
}

// differences compares, and takes over what approvals and new lists explain.
func (n *Net) differences(r *record, state workspace.State, found map[string]entry) (changes []Change, moved bool) {
	changes = []Change{}
	sameLists := r.Policy == state.Policy.Version()
	for name, now := range found {
		before, known := r.Files[name]
		switch {
		case known && before.Sum == now.Sum:
		case !known && !sameLists:
			r.Files[name], r.Origin[name], moved = now, now, true
		case n.approved(name, before.At):
			r.Files[name], moved = now, true
		case known:
			changes = append(changes, Change{name, Modified, now.List, now.Sum})
		default:
			changes = append(changes, Change{name, Added, now.List, now.Sum})
		}
	}

	for name, before := range r.Files {
		if _, there := found[name]; there {
			continue
		}
		decision, _ := state.Policy.Decide(name)
		if decision == policy.OK {
			delete(r.Origin, name)
		}
		if decision == policy.OK || n.approved(name, before.At) {
			delete(r.Files, name)
			moved = true
			continue
		}

		changes = append(changes, Change{name, Deleted, before.List, ""})
	}

	if !sameLists {
		r.Policy, moved = state.Policy.Version(), true
	}

	slices.SortFunc(changes, func(a, b Change) int {
		return strings.Compare(a.Path, b.Path)
	})
	return changes, moved
}

func (n *Net) approved(name string, since time.Time) bool {
	return n.Approved != nil && n.Approved(name, since)
}

// look reads all governed files.
func (n *Net) look(state workspace.State) (map[string]entry, error) {
	found := map[string]entry{}
	err := n.Workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, e fs.DirEntry) error {
		if e.IsDir() {
			if name == workspace.StateDir || e.Name() == ".git" && name == ".git" {
				return fs.SkipDir
			}
			return nil
		}

		decision, rule := state.Policy.Decide(name)
		if decision == policy.OK || n.Workspace.Own(rule) {
			return nil
		}

		sum, err := n.sum(name, e)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while we looked
		}

		found[name] = entry{rule.List, sum, n.Now().UTC()}
		return err
	})
	return found, err
}

func (n *Net) sum(name string, e fs.DirEntry) (string, error) {
	info, err := e.Info()
	if err != nil {
		return "", err
	}
	return n.Workspace.Digest(name, info)
}

func (n *Net) read() (record, error) {
	text, err := n.Workspace.ReadFile(file, maxBaseline)
	if err != nil {
		return record{}, err
	}

	var r record
	if err := json.Unmarshal(text, &r); err != nil ||
		r.Version != 1 ||
		r.Files == nil ||
		r.Reported == nil {
		return record{}, errors.New("the baseline cannot be read; a person must look at it and accept the files again")
	}
	r.completeOrigin()
	return r, nil
}

func (n *Net) save(r record) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return n.Workspace.WriteFile(file, append(text, '\n'))
}
