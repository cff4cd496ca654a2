package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Copies are stored by the digests of their texts. A mark names the copies of one time.
const (
	copiesDir  = workspace.StateDir + "/pages"
	markEnding = ".json"
	copyEnding = ".html"
	markTime   = "20060102T150405.000Z"
	maxMarks   = 20
	maxMark    = 16 << 20 // bytes
)

// mark is the pages of one time.
type mark struct {
	At    time.Time         `json:"at"`
	Root  string            `json:"root"`  // of the website
	Pages map[string]string `json:"pages"` // the digest of each
}

// present are the pages of the mark.
func (m mark) present() map[string]bool {
	names := map[string]bool{}
	for name := range m.Pages {
		names[name] = true
	}
	return names
}

// Mark stores copies of one page, or [All], to compare with later. It returns when.
func (w *Watch) Mark(ctx context.Context, page string) (time.Time, error) {
	site, err := w.site()
	if err != nil {
		return time.Time{}, err
	}

	files, err := site.Pages(ctx)
	if err != nil {
		return time.Time{}, err
	}

	m := mark{
		At:    w.Now().UTC(),
		Root:  site.root,
		Pages: map[string]string{},
	}
	if page != All {
		last, err := w.lastMark(site, time.Time{})
		if err == nil {
			maps.Copy(m.Pages, last.Pages)
		}

		file, there := site.PageNamed(files, page)
		name, marked := named(site, last.present(), page)
		if !there && !marked {
			return time.Time{}, ErrNoPage
		}

		delete(m.Pages, name)
		files = slices.DeleteFunc(files, func(each string) bool { return each != file })
	}

	for _, file := range files {
		digest, err := w.copyPage(site, file)
		if err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", file, err)
		}

		m.Pages[site.NameOf(file)] = digest
	}
	if err := w.saveMark(m); err != nil {
		return time.Time{}, err
	}
	return m.At, w.prune()
}

// copyPage stores the text of a page. One that is stored already is kept.
func (w *Watch) copyPage(site *Site, file string) (digest string, err error) {
	text, err := site.tree.Read(file)
	if err != nil {
		return "", err
	}

	sum := sha256.Sum256(text)
	digest = hex.EncodeToString(sum[:])
	name := copyFile(digest)
	if _, err := fs.Stat(w.Workspace.Files(), name); err == nil {
		return digest, nil
	}
	return digest, w.Workspace.WriteFile(name, text)
}

func copyFile(digest string) string {
	return path.Join(copiesDir, digest+copyEnding)
}

func (w *Watch) saveMark(m mark) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.Workspace.WriteFile(path.Join(copiesDir, m.At.Format(markTime)+markEnding), text)
}

// marks are the names of the stored marks, the oldest first.
func (w *Watch) marks() []string {
	return w.stored(markEnding)
}

// stored are the names of what is stored with an ending.
func (w *Watch) stored(ending string) []string {
	entries, err := fs.ReadDir(w.Workspace.Files(), copiesDir)
	if err != nil {
		return nil
	}

	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok {
			names = append(names, name)
		}
	}

	slices.Sort(names)
	return names
}

// lastMark is the last mark, or the last one that is no younger than a time.
func (w *Watch) lastMark(site *Site, until time.Time) (mark, error) {
	for _, name := range slices.Backward(w.marks()) {
		if !until.IsZero() && name > until.UTC().Format(markTime) {
			continue
		}

		m, err := w.readMark(name)
		if err != nil {
			return mark{}, err
		}
		if m.Root == site.root {
			return m, nil
		}
	}
	return mark{}, ErrNoBaseline
}

func (w *Watch) readMark(name string) (mark, error) {
	var m mark
	text, err := w.Workspace.ReadFile(path.Join(copiesDir, name+markEnding), maxMark)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("the mark %s cannot be read: %w", name, err)
	}
	return m, nil
}

// prune removes the oldest marks beyond the number that is kept, and copies that no mark
// names.
func (w *Watch) prune() error {
	marks := w.marks()
	for len(marks) > maxMarks {
		if err := w.Workspace.Remove(path.Join(copiesDir, marks[0]+markEnding)); err != nil {
			return err
		}

		marks = marks[1:]
	}

	needed := set{}
	for _, name := range marks {
		m, err := w.readMark(name)
		if err != nil {
			return err
		}

		for _, digest := range m.Pages {
			needed[digest] = true
		}
	}

	for _, digest := range w.stored(copyEnding) {
		if needed[digest] {
			continue
		}
		if err := w.Workspace.Remove(copyFile(digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
