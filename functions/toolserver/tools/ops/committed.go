package ops

import (
	"errors"
	"fmt"
	"io/fs"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
)

// committed reports whether the last commit contains the file, or all files of the folder,
// as they are. Then they can be restored without the archive.
func (s ArchiveDeps) committed(state workspace.State, p workspace.Path) ArchiveCheck {
	unknown := func(err error) ArchiveCheck {
		return ArchiveCheck{"committed", "unknown", []string{err.Error()}}
	}
	if p.Info == nil || p.Real == "" {
		return unknown(errors.New("there is no such file"))
	}

	repository, err := git.Open(s.Workspace)
	switch {
	case errors.Is(err, git.ErrNone):
		return ArchiveCheck{"committed", "skip", []string{"there is no git repository in the workspace, so no earlier version is kept"}}
	case errors.Is(err, git.ErrNoCommit):
		return ArchiveCheck{"committed", "fail", []string{err.Error()}}
	case err != nil:
		return unknown(err)
	}
	defer repository.Close()

	c := ArchiveCheck{"committed", "pass", []string{}}
	limits := state.Config.Limits
	err = s.Workspace.Walk(p.Real, limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			return nil
		}
		why, err := differs(s.Workspace, repository, name, int64(limits.MaxFileBytes))
		if err != nil {
			return err
		}
		if why != "" {
			c.Status, c.Evidence = "fail", append(c.Evidence, name+": "+why)
		}
		if len(c.Evidence) >= maxEvidence {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil && c.Status == "pass" {
		return unknown(err)
	}

	return c
}

// differs says how a file differs from the last commit, "" if it does not.
func differs(w *workspace.Workspace, repository *git.Repository, name string, limit int64) (string, error) {
	text, err := w.ReadFile(name, limit)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return repository.Differs(name, text)
}
