// Package edit changes files by exact bytes: each edit replaces what it was made for, and
// every other byte of the file stays. Edits are planned, shown as a difference, and then
// written, each file as a whole or not at all.
package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Edit replaces the bytes from Start to End, which are Was, with Write. From and To are the
// values as people read them, without quotes and escapes.
type Edit struct {
	Start int    `json:"-"`
	End   int    `json:"-"`
	Was   string `json:"-"`
	Write string `json:"-"`
	Line  int    `json:"line"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Statuses of a file.
const (
	Current     = "current"
	WouldUpdate = "would_update"
	Updated     = "updated"
	Blocked     = "blocked" // untouchable, or protected without an approval
	Failed      = "error"
)

// File is what is planned for one file, and what became of it.
type File struct {
	Path   string `json:"path"`
	Edits  []Edit `json:"edits"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Backup string `json:"backup,omitempty"` // "" if the file was new

	// Create says that the file is made if it does not exist. The edits are then those of an
	// empty file.
	Create bool `json:"-"`
}

// errChanged says that a file is not as it was when the edits were planned.
var errChanged = errors.New("the file changed meanwhile; run the tool again")

// Apply returns the text with the edits. Edits that are there twice count once. The error
// is that the text is another one than they were made for, or that two of them overlap.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(
			cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.End, b.End),
		)
	})
	sorted = slices.CompactFunc(sorted, func(a, b Edit) bool {
		samePlace := a.Start == b.Start && a.End == b.End
		return samePlace && a.Write == b.Write
	})

	var out bytes.Buffer
	at := 0
	for _, e := range sorted {
		isInside := e.Start >= 0 && e.Start <= e.End && e.End <= len(text)
		if !isInside {
			return nil, errChanged
		}
		if e.Start < at {
			return nil, fmt.Errorf("line %d: two edits overlap", e.Line)
		}
		if string(text[e.Start:e.End]) != e.Was {
			return nil, errChanged
		}

		out.Write(text[at:e.Start])
		out.WriteString(e.Write)
		at = e.End
	}

	out.Write(text[at:])
	return out.Bytes(), nil
}

// Diff is the difference of a file in the unified format, which git apply reads; "" if
// there is none.
func Diff(name string, before, after []byte) string {
	return udiff.Unified("a/"+name, "b/"+name, string(before), string(after))
}

// Group sorts the edits of several facts by file. Files come in the order of their names.
type Group map[string][]Edit

// Add plans an edit of a file.
func (g Group) Add(file string, e Edit) {
	g[file] = append(g[file], e)
}

// Files are the plans of all files, sorted by path.
func (g Group) Files() []File {
	files := []File{}
	for path, edits := range g {
		slices.SortStableFunc(edits, func(a, b Edit) int {
			return cmp.Compare(a.Start, b.Start)
		})
		files = append(files, File{
			Path:  path,
			Edits: edits,
		})
	}

	slices.SortFunc(files, func(a, b File) int {
		return strings.Compare(a.Path, b.Path)
	})
	return files
}
