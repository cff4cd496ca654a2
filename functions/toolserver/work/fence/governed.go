package fence

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// governed are the places of a workspace that its lists govern, from its root.
type governed struct {
	names []string // of files and folders; a folder stands for all that is in it
	links []string // those of the names that are symbolic links
}

// governedOf finds them. A folder that cannot be read counts as governed: what it holds is
// not known.
func governedOf(w *workspace.Workspace, rules *policy.Policy) (found governed, err error) {
	err = fs.WalkDir(w.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != ".":
			return nil // removed meanwhile
		case errors.Is(err, fs.ErrPermission) && name != ".":
			found.names = append(found.names, name)
			return fs.SkipDir
		case err != nil:
			return err
		}

		decision, rule := rules.Decide(name)
		isFree := decision == policy.OK || decision == policy.Unknown
		if isFree || w.Own(rule) {
			return nil
		}

		found.names = append(found.names, name)
		if entry.Type()&fs.ModeSymlink != 0 {
			found.links = append(found.links, name)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// openPatterns are the patterns of a workspace file that may match names which are not there
// yet: nothing can be mounted on those.
func openPatterns(c workspace.Config, held []string) (open []string) {
	for _, pattern := range workspace.Texts(slices.Concat(c.Untouchable, c.Protected)) {
		name := strings.TrimSuffix(strings.TrimSuffix(pattern, "**"), "/")
		if !isHeld(name, held) {
			open = append(open, pattern)
		}
	}
	return open
}

// isHeld reports whether everything that a pattern can match is below a held place.
func isHeld(pattern string, held []string) bool {
	literal := ""
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "" || strings.ContainsAny(part, "*?[{") {
			return false
		}
		literal = strings.TrimPrefix(literal+"/"+part, "/")
		if slices.Contains(held, literal) {
			return true
		}
	}
	return false
}

// NewNames are governed names that were not there when a plan was made: from the root of the
// workspace, and whole paths outside of it. No mount could hold them, so they are looked for when
// the program has ended.
func NewNames(w *workspace.Workspace, p Plan) ([]string, error) {
	state, err := w.Load()
	if err != nil {
		return nil, err
	}
	now, err := governedOf(w, state.Policy)
	if err != nil {
		return nil, err
	}

	isOld := func(name string) bool { return slices.Contains(p.Governed, name) }
	fresh := slices.DeleteFunc(now.names, isOld)
	for _, path := range p.Missing {
		if _, err := os.Lstat(path); err == nil {
			fresh = append(fresh, path)
		}
	}
	return fresh, nil
}
