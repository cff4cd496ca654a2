// Package reconcile compares what is on the record with what is there: it finds changes of
// governed files that no outcome explains, and records that are missing.
//
// The replay begins with the files as the baseline knew them. Each outcome of an allowed call
// moves the files that the call named to the state that the hook saw afterwards. Wherever a
// file is in another state than the replay says, something changed it without an entry.
package reconcile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
)

// Unexplained is the name of a change of a governed file without an entry.
const Unexplained = "unexplained_change"

// Change is a change of a governed file that no outcome explains.
type Change struct {
	Kind string `json:"kind"` // [Unexplained]
	Path string `json:"path"`
	List string `json:"list,omitempty"`
	// From and To identify the states of the file before and after; "gone" for no file.
	From string `json:"from"`
	To   string `json:"to"`
	// After and Before are the times between which it happened.
	After  time.Time `json:"after"`
	Before time.Time `json:"before"`
	// Seen says who saw it: the hook before a call, the watcher, git, or this comparison.
	Seen string `json:"seen"`
	// During are calls that ran meanwhile and did not name the file, or of which nobody knows
	// how they ended.
	During []string `json:"during,omitempty"`
}

// Sources of findings.
const (
	seenByHook    = "hook"
	seenByWatcher = "watcher"
	seenByGit     = "git"
	seenNow       = "comparison"
)

// track is the replay of one file.
type track struct {
	list  string
	state string // that the record explains
	since time.Time
	known map[string]bool // all states of which the record knows
	open  int             // allowed calls that name the file and have not ended
}

// replay moves files through the records.
type replay struct {
	standing baseline.Standing
	tracks   map[string]*track
	pairs    map[uint64]outcome.Pair // by the seq of the intent
	ends     map[uint64]outcome.Pair // by the seq of the outcome
	all      []outcome.Pair

	committed []commit
	digests   func(text []byte) []string

	changes   []Change
	explained int
}

func newReplay(standing baseline.Standing, pairs []outcome.Pair) *replay {
	r := &replay{
		standing: standing,
		tracks:   map[string]*track{},
		pairs:    map[uint64]outcome.Pair{},
		ends:     map[uint64]outcome.Pair{},
		all:      pairs,
	}

	for name, state := range standing.Origin {
		r.tracks[name] = trackOf(state.List, state.Digest, state.At)
	}
	for name, state := range standing.Present {
		if r.tracks[name] == nil {
			r.tracks[name] = trackOf(state.List, outcome.Gone, standing.Taken)
		}
	}

	for _, p := range pairs {
		if p.Intent != nil {
			r.pairs[p.Intent.Seq] = p
		}
		if p.Outcome != nil {
			r.ends[p.Outcome.Seq] = p
		}
	}
	return r
}

func trackOf(list, state string, since time.Time) *track {
	return &track{
		list:  list,
		state: state,
		since: since,
		known: map[string]bool{state: true},
	}
}

// run replays the records and then compares with what is there.
func (r *replay) run(records []outcome.Record, now time.Time) {
	for i := range records {
		record := &records[i]
		if p, begins := r.pairs[record.Seq]; begins && allowed(p) {
			r.begin(p)
		}
		if p, ends := r.ends[record.Seq]; ends && p.Intent != nil && allowed(p) {
			r.end(p)
		}
	}

	r.compareSeen(now)
	r.comparePresent(now)
	r.compareCommits()
	slices.SortStableFunc(r.changes, func(a, b Change) int {
		return cmp.Or(a.Before.Compare(b.Before), cmp.Compare(a.Path, b.Path))
	})
}

// allowed reports whether a call may explain changes. One that the guard refused explains
// none, even if it ran.
func allowed(p outcome.Pair) bool {
	return p.State != outcome.NotRun &&
		p.State != outcome.RanDenied &&
		p.State != outcome.Refused
}

// begin checks the files before a call.
func (r *replay) begin(p outcome.Pair) {
	for _, file := range named(p.Intent) {
		t := r.trackFor(file)
		older := t != nil && !t.since.After(p.Intent.At) // else the baseline is younger
		if !older || file.Digest == "" {
			continue
		}

		if found := fileState(file.Digest); found != t.state && t.open == 0 {
			r.report(file.Path, t, found, p.Intent.At, seenByHook)
		}
		if p.Outcome != nil { // else the next look finds what the call did
			t.open++
		}
	}
}

// trackFor is the replay of a file that a call names, nil if it is not governed.
func (r *replay) trackFor(file outcome.File) *track {
	t := r.tracks[file.Path]
	if t == nil && file.List != "" && file.Digest != outcome.Folder {
		t = trackOf(file.List, outcome.Gone, r.standing.Taken)
		r.tracks[file.Path] = t
	}
	return t
}

// end moves the files that a call named to the state after it: those that the intent names,
// those below a folder that it names, and those that are gone.
func (r *replay) end(p outcome.Pair) {
	intended := named(p.Intent)
	after := map[string]outcome.File{}
	for _, file := range p.Outcome.Files {
		if isNamed(intended, file.Path) {
			after[file.Path] = file
		}
	}

	for _, file := range intended {
		seen, looked := after[file.Path]
		if file.Digest == outcome.Folder && seen.Digest == outcome.Gone {
			r.removeBelow(file.Path, p.Outcome.At)
		}
		if !looked && matchesOne(intended, file.Path) && len(p.Outcome.Files) < len(intended) {
			after[file.Path] = outcome.File{Path: file.Path, Digest: outcome.Gone}
		}
		if t := r.tracks[file.Path]; t != nil && file.Digest != "" {
			t.open = max(t.open-1, 0)
		}
	}

	for _, path := range slices.Sorted(maps.Keys(after)) {
		r.settle(after[path], p)
	}
}

// settle moves one file to the state after a call.
func (r *replay) settle(file outcome.File, p outcome.Pair) {
	t := r.trackFor(file)
	if t == nil || file.Digest == "" || t.since.After(p.Outcome.At) {
		return
	}

	digest := fileState(file.Digest)
	if file.Other {
		r.report(file.Path, t, digest, p.Outcome.At, seenByHook)
		return
	}
	if digest != t.state {
		r.explained++
	}
	t.move(digest, p.Outcome.At)
}

// fileState is the state of a file: a folder in its place means that there is none.
func fileState(digest string) string {
	if digest == outcome.Folder {
		return outcome.Gone
	}
	return digest
}

// isNamed reports whether an intent names a file, or a folder that it is in.
func isNamed(intended []outcome.File, path string) bool {
	return slices.ContainsFunc(intended, func(f outcome.File) bool {
		return f.Path == path || strings.HasPrefix(path, f.Path+"/")
	}) || matchesOne(intended, path)
}

// matchesOne reports whether a pattern of the shell that an intent names matches a file.
func matchesOne(intended []outcome.File, path string) bool {
	return slices.ContainsFunc(intended, func(f outcome.File) bool {
		if f.Path == path || !strings.ContainsAny(f.Path, "*?[") {
			return false
		}
		matcher, err := policy.Compile(f.Path, true)
		return err == nil && matcher.Match(path)
	})
}

// removeBelow: a call that named a folder explains that all in it is gone.
func (r *replay) removeBelow(folder string, at time.Time) {
	for name, t := range r.tracks {
		if strings.HasPrefix(name, folder+"/") && t.state != outcome.Gone {
			r.explained++
			t.move(outcome.Gone, at)
		}
	}
}

func (t *track) move(state string, at time.Time) {
	t.state, t.since = state, at
	t.known[state] = true
}

// named are the files that a call named as its targets.
func named(intent *outcome.Record) []outcome.File {
	if intent.Reads {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(intent.Files), func(f outcome.File) bool {
		return f.Operation == ""
	})
}

// report adds a change and goes on from the state that was found.
func (r *replay) report(path string, t *track, found string, at time.Time, seen string) {
	r.changes = append(r.changes, Change{
		Kind:   Unexplained,
		Path:   path,
		List:   t.list,
		From:   t.state,
		To:     found,
		After:  t.since,
		Before: at,
		Seen:   seen,
		During: r.during(t.since, at),
	})
	t.move(found, at)
}

// mostDuring is how many calls are named with a change.
const mostDuring = 5

// during are the calls that may have made a change: those that ran between two times, and
// those of which nobody knows how they ended.
func (r *replay) during(after, before time.Time) []string {
	var calls []string
	for _, p := range r.all {
		if mayHaveRun(p, after, before) && len(calls) < mostDuring {
			calls = append(calls, p.Intent.Call+" ("+p.State+")")
		}
	}
	return calls
}

func mayHaveRun(p outcome.Pair, after, before time.Time) bool {
	if p.Intent == nil || p.Intent.Reads || p.State == outcome.NotRun {
		return false
	}

	begun := !p.Intent.At.After(before)
	ended := p.Outcome != nil && !p.Outcome.At.After(after)
	return begun && !ended
}

// compareSeen looks at what the watcher saw: a state that was there for a while and of which
// the record knows nothing.
func (r *replay) compareSeen(now time.Time) {
	for path, seen := range r.standing.Seen {
		t := r.tracks[path]
		if t == nil {
			t = trackOf("", outcome.Gone, r.standing.Taken)
			r.tracks[path] = t
		}
		state := stateSeen(seen)
		if state == "" || t.known[state] || state == r.present(path) {
			continue
		}
		r.changes = append(r.changes, Change{
			Kind:   Unexplained,
			Path:   path,
			List:   t.list,
			From:   "",
			To:     state,
			After:  r.standing.Taken,
			Before: now,
			Seen:   seenByWatcher,
		})
		t.known[state] = true
	}
}

// stateSeen is the digest in what the watcher remembers: a kind and a digest.
func stateSeen(seen string) string {
	kind, digest, _ := strings.Cut(seen, " ")
	if kind == baseline.Deleted {
		return outcome.Gone
	}
	return digest
}

func (r *replay) present(path string) string {
	if state, there := r.standing.Present[path]; there {
		return state.Digest
	}
	return outcome.Gone
}

// comparePresent compares the end of the replay with what is there.
func (r *replay) comparePresent(now time.Time) {
	for path, t := range r.tracks {
		if found := r.present(path); found != t.state {
			r.report(path, t, found, now, seenNow)
		}
	}
}
