package pages

import (
	"errors"
	"io/fs"
	"time"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
)

// ErrSince says what a baseline may be.
var ErrSince = errors.New("since is a date as 2027-01-31, a time as 2027-01-31T12:00:00Z, or a revision of the repository")

// baseline finds what the pages are compared with. Close it after use.
func (w *Watch) baseline(site *Site, since string) (baseline, func(), error) {
	nothing := func() {}
	if since == "" {
		was, err := w.storedBaseline(site, time.Time{})
		return was, nothing, err
	}

	at, isTime := timeOf(since)
	repository, err := git.Open(w.Workspace)
	absent := errors.Is(err, git.ErrNone) || errors.Is(err, git.ErrNoCommit)
	switch {
	case err != nil && !absent:
		return baseline{}, nothing, err
	case absent && isTime:
		was, err := w.storedBaseline(site, at)
		return was, nothing, err
	case absent:
		return baseline{}, nothing, ErrSince
	case isTime:
		err = repository.Back(at)
	default:
		err = repository.At(since)
	}
	if errors.Is(err, git.ErrNoRevision) {
		err = ErrSince
	}
	if err != nil {
		repository.Close()
		return baseline{}, nothing, err
	}

	was, err := committedBaseline(site, repository)
	return was, repository.Close, err
}

// timeOf reads a date or a time.
func timeOf(text string) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}

	at, err := time.Parse(time.DateOnly, text)
	return at, err == nil
}

// storedBaseline are the copies of the last mark, or of the last one until a time.
func (w *Watch) storedBaseline(site *Site, until time.Time) (baseline, error) {
	m, err := w.lastMark(site, until)
	if err != nil {
		return baseline{}, err
	}

	b := baseline{
		name: "stored copies",
		at:   m.At,
		read: func(page string) ([]byte, error) {
			return w.Workspace.ReadFile(copyFile(m.Pages[page]), int64(site.tree.Config.Limits.MaxFileBytes))
		},
	}

	for page := range m.Pages {
		b.pages = append(b.pages, page)
	}
	return b, nil
}

// committedBaseline are the pages of a commit.
func committedBaseline(site *Site, repository *git.Repository) (baseline, error) {
	made, err := repository.Made()
	if err != nil {
		return baseline{}, err
	}

	files, err := repository.Files(site.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return baseline{}, err
	}

	b := baseline{
		name: "commit " + repository.Commit(),
		at:   made.UTC(),
		read: func(page string) ([]byte, error) { return repository.File(site.File(page)) },
	}

	for _, file := range files {
		if site.wasPage(file) {
			b.pages = append(b.pages, site.NameOf(file))
		}
	}
	return b, nil
}

// wasPage reports whether a file that may be gone was a page of the website.
func (s *Site) wasPage(file string) bool {
	matches := func(globs []workspace.Glob) bool {
		for _, g := range s.below(globs) {
			if p, err := policy.Compile(g.Pattern, false); err == nil && p.Match(file) {
				return true
			}
		}
		return false
	}
	return matches(s.pageGlobs()) && !matches(s.config.Exclude) && !s.tree.Ignored(file)
}
