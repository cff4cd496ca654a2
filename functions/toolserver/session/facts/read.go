package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

// maxRead bounds what is read at once, in bytes. The latest days are read.
const maxRead = 64 << 20

// Reading is what the files of facts hold.
type Reading struct {
	Facts   []Fact  // the oldest first
	Damaged []Place // lines that are no facts
	Cut     bool    // older files were not read
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// Since reads the facts of a folder from a time on.
func Since(w *workspace.Workspace, folder string, from time.Time) (Reading, error) {
	folder = path.Clean(folder)
	entries, err := fs.ReadDir(w.Files(), folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Reading{}, nil
	case errors.Is(err, fs.ErrInvalid):
		return Reading{}, FileError{folder, workspace.ErrOutside}
	case err != nil:
		return Reading{}, FileError{folder, errors.New("the folder cannot be read")}
	}

	first := from.UTC().Format(time.DateOnly)
	names := []string{}
	for _, entry := range entries {
		day, ok := strings.CutSuffix(entry.Name(), ".jsonl")
		if _, err := time.Parse(time.DateOnly, day); ok && err == nil && day >= first {
			names = append(names, path.Join(folder, entry.Name()))
		}
	}

	slices.Sort(names)
	slices.Reverse(names)
	return read(w, names, from)
}

// read reads files, the latest first.
func read(w *workspace.Workspace, names []string, from time.Time) (Reading, error) {
	var r Reading
	size := 0
	for _, name := range names {
		text, err := w.ReadFile(name, maxFile)
		if err != nil {
			return Reading{}, FileError{name, err}
		}
		if size += len(text); size > maxRead {
			r.Cut = true
			break
		}
		r.add(name, text, from)
	}

	slices.SortStableFunc(r.Facts, func(a, b Fact) int {
		if order := a.Timestamp.Compare(b.Timestamp); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
	slices.SortFunc(r.Damaged, func(a, b Place) int {
		if order := strings.Compare(a.File, b.File); order != 0 {
			return order
		}
		return a.Line - b.Line
	})
	return r, nil
}

func (r *Reading) add(name string, text []byte, from time.Time) {
	list, damaged := parse(text)
	for _, f := range list {
		if f.Timestamp.Before(from) {
			continue
		}
		f.File = name
		r.Facts = append(r.Facts, f)
	}
	for _, line := range damaged {
		r.Damaged = append(r.Damaged, Place{
			File: name,
			Line: line,
		})
	}
}

// parse reads the lines of a file. Those that are no facts are returned by their numbers.
func parse(text []byte) (list []Fact, damaged []int) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}

		var f Fact
		if json.Unmarshal(line, &f) != nil || !f.isWhole() {
			damaged = append(damaged, number)
			continue
		}
		f.Line = number
		list = append(list, f)
	}
	return list, damaged
}

func holds(text []byte, part string) bool {
	return bytes.Contains(text, []byte(part))
}
