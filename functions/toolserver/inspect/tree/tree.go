// Package tree lists and reads the files of a workspace for one scan. The list is made
// once, leaves out what the workspace file ignores, and is bounded by its limits.
package tree

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Tree is a workspace during one scan. It is not safe for concurrent use.
type Tree struct {
	Workspace *workspace.Workspace
	Config    workspace.Config

	// Progress reports the number of files that were listed or read; nil to not report it.
	Progress func(done int)

	ignored policy.Patterns
	files   []string
	walked  bool
	listed  error
	texts   map[string]read
	held    int64 // bytes of texts
	done    int
}

type read struct {
	text []byte
	err  error
}

// maxHeld bounds the texts that are kept for a second reading, in bytes.
const maxHeld = 64 << 20

// skipped are folders that no scan reads: what the service, git and package managers keep.
var skipped = []string{".git", "node_modules", workspace.StateDir, workspace.DataDir}

// Of prepares a scan.
func Of(w *workspace.Workspace, config workspace.Config) *Tree {
	return &Tree{
		Workspace: w,
		Config:    config,
		texts:     map[string]read{},
	}
}

// Files are the regular files, sorted. The error is [workspace.ErrManyFiles] if there are
// more than the limits allow; the files up to the limit come with it.
func (t *Tree) Files(ctx context.Context) ([]string, error) {
	if t.walked {
		return t.files, t.listed
	}

	ignored, err := t.ignore()
	if err != nil {
		return nil, err
	}

	t.walked = true
	t.listed = t.Workspace.Walk(".", t.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		leftOut := slices.Contains(skipped, entry.Name()) || ignored.Match(name)
		if leftOut && entry.IsDir() {
			return fs.SkipDir
		}
		if leftOut {
			return nil
		}

		if entry.Type().IsRegular() {
			t.files = append(t.files, name)
			t.step()
		}
		return nil
	})

	slices.Sort(t.files)
	if ctx.Err() != nil {
		t.walked, t.files = false, nil
		return nil, ctx.Err()
	}
	return t.files, t.listed
}

func (t *Tree) step() {
	t.done++
	if t.Progress != nil {
		t.Progress(t.done)
	}
}

// Ignored reports whether the workspace file, or the kind of a folder, leaves a name out of
// every scan.
func (t *Tree) Ignored(name string) bool {
	if slices.Contains(skipped, path.Base(name)) {
		return true
	}
	ignored, err := t.ignore()
	return err == nil && ignored.Match(name)
}

// ignore are the compiled patterns of the section ignore.
func (t *Tree) ignore() (policy.Patterns, error) {
	if t.ignored == nil {
		compiled, err := policy.CompileAll(workspace.Texts(t.Config.Ignore))
		if err != nil {
			return nil, err
		}
		t.ignored = compiled
	}
	return t.ignored, nil
}

// Matching are the files that any of the patterns of the workspace file means, sorted. A
// pattern that names one file means it even where it is ignored.
func (t *Tree) Matching(ctx context.Context, globs []workspace.Glob) ([]string, error) {
	var found []string
	var patterns []string
	for _, g := range globs {
		if isPlain(g.Pattern) {
			if name := path.Clean(g.Pattern); t.IsFile(name) {
				found = append(found, name)
			}
			continue
		}

		patterns = append(patterns, g.Pattern)
	}

	wild, err := policy.CompileAll(patterns)
	if err != nil {
		return nil, err
	}
	if len(wild) > 0 {
		files, err := t.Files(ctx)
		if err != nil && !errors.Is(err, workspace.ErrManyFiles) {
			return nil, err
		}
		for _, name := range files {
			if wild.Match(name) {
				found = append(found, name)
			}
		}
	}

	slices.Sort(found)
	return slices.Compact(found), nil
}

// isPlain reports whether a pattern is the name of one file.
func isPlain(pattern string) bool {
	return !strings.ContainsAny(pattern, "*?[{\\")
}

// IsFile reports whether a name is a regular file.
func (t *Tree) IsFile(name string) bool {
	info, err := fs.Stat(t.Workspace.Files(), name)
	return err == nil && info.Mode().IsRegular()
}

// IsThere reports whether a name is a file or a folder.
func (t *Tree) IsThere(name string) bool {
	_, err := fs.Stat(t.Workspace.Files(), name)
	return err == nil
}

// Read reads a regular file of at most limits.max_file_bytes. A file is read once in a
// scan, unless there are very many.
func (t *Tree) Read(name string) ([]byte, error) {
	if known, ok := t.texts[name]; ok {
		return known.text, known.err
	}

	text, err := t.Workspace.ReadFile(name, int64(t.Config.Limits.MaxFileBytes))
	t.step()
	if t.held += int64(len(text)); t.held <= maxHeld {
		t.texts[name] = read{text, err}
	}
	return text, err
}
