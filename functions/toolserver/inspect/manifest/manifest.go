// Package manifest remembers which files a workspace had at one moment, and says what
// changed since.
package manifest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/tree"
)

// File is what is remembered of a file.
type File struct {
	Size int64  `json:"size"`
	Mode string `json:"mode"`
	Sum  string `json:"sha256"` // "" of a file that is too large or cannot be read
}

// Manifest are the files by path.
type Manifest map[string]File

// maxHashed bounds a file whose content is compared, in bytes; of a larger one size and
// permissions count.
const maxHashed = 64 << 20

// Of lists the files of a scan.
func Of(ctx context.Context, t *tree.Tree) (Manifest, error) {
	names, err := t.Files(ctx)
	if err != nil && !errors.Is(err, workspace.ErrManyFiles) {
		return nil, err
	}

	m := Manifest{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, ok := read(t.Workspace, name)
		if ok {
			m[name] = f
		}
	}
	return m, nil
}

// read looks at one file. It is not ok if the file vanished.
func read(w *workspace.Workspace, name string) (File, bool) {
	info, err := fs.Stat(w.Files(), name)
	if err != nil {
		return File{}, false
	}
	found := File{
		Size: info.Size(),
		Mode: fmt.Sprintf("%04o", info.Mode().Perm()),
	}
	if info.Size() > maxHashed {
		return found, true
	}

	f, err := w.Open(name)
	if err != nil {
		return found, true
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err == nil {
		found.Sum = hex.EncodeToString(sum.Sum(nil))
	}
	return found, true
}

// Renamed is a file that has another name.
type Renamed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Changes are what differs between two moments, sorted.
type Changes struct {
	Added    []string  `json:"added"`
	Modified []string  `json:"modified"`
	Deleted  []string  `json:"deleted"`
	Renamed  []Renamed `json:"renamed"`
}

// Count is the number of changes.
func (c Changes) Count() int {
	return len(c.Added) + len(c.Modified) + len(c.Deleted) + len(c.Renamed)
}

// Paths are all names that a change touched, sorted.
func (c Changes) Paths() []string {
	paths := slices.Concat(c.Added, c.Modified, c.Deleted)
	for _, r := range c.Renamed {
		paths = append(paths, r.From, r.To)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Since compares what was with what is.
func (m Manifest) Since(before Manifest) Changes {
	c := Changes{
		Added:    []string{},
		Modified: []string{},
		Deleted:  []string{},
		Renamed:  []Renamed{},
	}
	for name, now := range m {
		was, there := before[name]
		switch {
		case !there:
			c.Added = append(c.Added, name)
		case was != now:
			c.Modified = append(c.Modified, name)
		}
	}
	for name := range before {
		if _, there := m[name]; !there {
			c.Deleted = append(c.Deleted, name)
		}
	}

	slices.Sort(c.Added)
	slices.Sort(c.Modified)
	slices.Sort(c.Deleted)
	c.findRenames(before, m)
	return c
}

// findRenames pairs a deleted file with an added one of the same content. Empty files all
// have the same content, so they are no pairs.
func (c *Changes) findRenames(before, now Manifest) {
	bySum := map[string][]string{}
	for _, name := range c.Added {
		if f := now[name]; f.Sum != "" && f.Size > 0 {
			bySum[f.Sum] = append(bySum[f.Sum], name)
		}
	}

	paired := map[string]bool{}
	for _, name := range c.Deleted {
		candidates := bySum[before[name].Sum]
		if len(candidates) == 0 {
			continue
		}
		bySum[before[name].Sum] = candidates[1:]
		paired[name], paired[candidates[0]] = true, true
		c.Renamed = append(c.Renamed, Renamed{
			From: name,
			To:   candidates[0],
		})
	}

	isPaired := func(name string) bool { return paired[name] }
	c.Added = slices.DeleteFunc(c.Added, isPaired)
	c.Deleted = slices.DeleteFunc(c.Deleted, isPaired)
	slices.SortFunc(c.Renamed, func(a, b Renamed) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
}
