package pages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
)

// ErrNoBaseline says that there is nothing to compare the pages with.
var ErrNoBaseline = errors.New("the pages were never marked as seen")

// Watch compares the pages of a workspace with what they were.
type Watch struct {
	Workspace *workspace.Workspace
	Now       func() time.Time
}

// Changes are how the pages differ from a baseline.
type Changes struct {
	Baseline  string // what they are compared with
	At        time.Time
	Pages     int // that were read
	Changed   []Change
	Skipped   []finding.Skipped
	Truncated bool // differences were left out
}

// Change is how one page differs.
type Change struct {
	Page     string `json:"page"`   // from the root of the website
	Change   string `json:"change"` // added, modified or removed
	Added    int    `json:"added_lines"`
	Removed  int    `json:"removed_lines"`
	Diff     string `json:"diff"`
	TextDiff string `json:"text_diff"` // of what people read
}

// baseline are the pages as they were, by their paths from the root of the website.
type baseline struct {
	name  string
	at    time.Time
	pages []string
	read  func(page string) ([]byte, error)
}

// Limits of the differences.
const (
	maxDiffLines = 200       // of one page
	maxDiffBytes = 512 << 10 // of all pages
)

// Compare compares one page, or [All], with a baseline: the copies that were stored last, or
// what was there at a date, a time or a revision of git. The errors are [ErrNoBaseline],
// [ErrNoPage], [ErrSince], or that of the workspace file.
func (w *Watch) Compare(ctx context.Context, page, since string) (Changes, error) {
	site, err := w.site()
	if err != nil {
		return Changes{}, err
	}

	was, closeBaseline, err := w.baseline(site, since)
	if err != nil {
		return Changes{}, err
	}

	defer closeBaseline()

	files, err := site.Pages(ctx)
	if err != nil {
		return Changes{}, err
	}

	names := map[string]bool{} // of pages, each with whether it is there now
	for _, name := range was.pages {
		names[name] = false
	}

	for _, file := range files {
		names[site.NameOf(file)] = true
	}
	if page != All {
		name, ok := named(site, names, page)
		if !ok {
			return Changes{}, ErrNoPage
		}

		names = map[string]bool{name: names[name]}
	}
	return compare(ctx, site, was, names)
}

func (w *Watch) site() (*Site, error) {
	state, err := w.Workspace.Load()
	if err != nil {
		return nil, err
	}
	return Of(tree.Of(w.Workspace, state.Config)), nil
}

// named finds a page by its path from the root of the website or of the workspace.
func named(site *Site, names map[string]bool, page string) (string, bool) {
	for _, each := range []string{page, strings.TrimPrefix(page, "/"), site.NameOf(page)} {
		if _, ok := names[each]; ok {
			return each, true
		}
	}
	return "", false
}

// compare compares the pages of two times.
func compare(ctx context.Context, site *Site, was baseline, names map[string]bool) (Changes, error) {
	c := Changes{
		Baseline: was.name,
		At:       was.at,
		Changed:  []Change{},
		Skipped:  []finding.Skipped{},
	}

	size := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := ctx.Err(); err != nil {
			return c, err
		}

		before, now, err := textsOf(site, was, name, names[name])
		if err != nil {
			c.Skipped = append(c.Skipped, finding.Skipped{Check: "page." + name, Reason: err.Error()})
			continue
		}

		c.Pages++
		change, changed := changeOf(name, before, now)
		if !changed {
			continue
		}
		if size += len(change.Diff) + len(change.TextDiff); size > maxDiffBytes {
			change.Diff, change.TextDiff = "", ""
			c.Truncated = true
		}

		c.Changed = append(c.Changed, change)
	}
	return c, nil
}

// textsOf are the texts of a page at both times, nil where it was not there.
func textsOf(site *Site, was baseline, name string, present bool) (before, now []byte, err error) {
	if slices.Contains(was.pages, name) {
		if before, err = was.read(name); err != nil {
			return nil, nil, err
		}

		before = append([]byte{}, before...) // not nil, even if the page was empty
	}
	if present {
		if now, err = site.tree.Read(site.File(name)); err != nil {
			return nil, nil, err
		}

		now = append([]byte{}, now...)
	}
	return before, now, nil
}

// changeOf is how a page differs; it is false if it does not.
func changeOf(name string, before, now []byte) (Change, bool) {
	c := Change{
		Page:   name,
		Change: "modified",
	}

	switch {
	case before == nil:
		c.Change = "added"
	case now == nil:
		c.Change = "removed"
	case string(before) == string(now):
		return c, false
	}

	diff := edit.Diff(name, before, now)
	c.Added, c.Removed = countLines(diff)
	c.Diff = firstLines(mask.Text(diff))
	text := edit.Diff(name, []byte(VisibleText(before)), []byte(VisibleText(now)))
	c.TextDiff = firstLines(mask.Text(text))
	return c, true
}

// countLines counts the added and the removed lines of a difference.
func countLines(diff string) (added, removed int) {
	inside := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case !inside:
			continue
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// firstLines cuts a difference that is long.
func firstLines(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= maxDiffLines {
		return diff
	}

	left := lines[maxDiffLines-1:]
	return strings.Join(lines[:maxDiffLines-1], "") + fmt.Sprintf("… %d more lines\n", len(left))
}
