package reconcile

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
)

// maxCommitted is the size of a committed file that is looked at, in bytes.
const maxCommitted = 8 << 20

// addCommits finds covered files whose last commit holds what no entry explains: git writes
// commits also of what was never in the working tree. It runs before the replay is done, so it
// only notes what to compare; a project without a repository has nothing.
func (r *replay) addCommits(w *workspace.Workspace, now time.Time) {
	head, err := git.Open(w)
	if err != nil {
		return
	}
	defer head.Close()

	before, err := git.Open(w)
	if err != nil {
		return
	}
	defer before.Close()
	hasBefore := before.Back(r.standing.Taken) == nil

	for _, path := range slices.Sorted(maps.Keys(r.tracks)) {
		text, err := head.File(path)
		if err != nil || len(text) > maxCommitted {
			continue
		}
		if hasBefore {
			if old, err := before.File(path); err == nil && bytes.Equal(old, text) {
				continue
			}
		}
		r.committed = append(r.committed, commit{path, text, now})
	}
	r.digests = w.DigestsOf
}

// commit is a covered file as the last commit has it, if that differs from the commit at the
// time of the baseline.
type commit struct {
	path string
	text []byte
	at   time.Time
}

// compareCommits runs when all states are known that the record explains.
func (r *replay) compareCommits() {
	for _, c := range r.committed {
		t := r.tracks[c.path]
		found := r.digests(c.text)
		if slices.ContainsFunc(found, func(state string) bool { return t.known[state] }) {
			continue
		}

		r.changes = append(r.changes, Change{
			Kind:   Unexplained,
			Path:   c.path,
			List:   t.list,
			From:   outcome.Gone,
			To:     found[0],
			After:  r.standing.Taken,
			Before: c.at,
			Seen:   seenByGit,
		})
	}
}
