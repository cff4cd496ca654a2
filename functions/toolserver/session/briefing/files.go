package briefing

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Bounds of the briefing files.
const (
	maxFiles = 100     // the newest ones are read
	maxFile  = 1 << 20 // bytes
)

// page is a briefing file.
type page struct {
	name string
	date time.Time // a day
}

// files adds the items of the briefing files.
func (c *collection) files() {
	folder := path.Clean(c.config.Discovery.Dir)
	pages, err := c.pages(folder)
	if err == nil && len(pages) == 0 {
		err = errors.New("the folder has no Markdown file")
	}

	var unread []string
	for _, p := range pages {
		source, failed := c.Workspace.ReadFile(p.name, maxFile)
		if failed != nil {
			unread = append(unread, path.Base(p.name))
			continue
		}

		if p.date.After(c.newest) {
			c.newest = p.date
		}
		for _, n := range listItems(source) {
			n.source = p.name
			n.date = p.date.Format(time.DateOnly)
			c.items = append(c.items, c.tag(n))
		}
	}

	if err == nil && len(unread) > 0 {
		err = fmt.Errorf("cannot be read: %s", strings.Join(unread, ", "))
	}
	c.read(folder, err)
}

// pages are the briefing files, the newest first.
func (c *collection) pages(folder string) ([]page, error) {
	var list []page
	err := c.Workspace.Walk(folder, c.config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() || path.Ext(name) != ".md" {
			return nil
		}
		date, err := dateOf(entry)
		if err != nil {
			return err
		}
		list = append(list, page{
			name: name,
			date: date,
		})
		return nil
	})

	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such folder")
	case errors.Is(err, fs.ErrInvalid):
		return nil, workspace.ErrOutside
	case err != nil:
		return nil, err
	}
	slices.SortFunc(list, func(a, b page) int {
		if order := b.date.Compare(a.date); order != 0 {
			return order
		}
		return strings.Compare(a.name, b.name)
	})
	return list[:min(len(list), maxFiles)], nil
}

// isoDate is a date in a text.
var isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// firstDate is the first valid ISO date in a text.
func firstDate(text string) (time.Time, bool) {
	for _, each := range isoDate.FindAllString(text, -1) {
		if date, err := time.Parse(time.DateOnly, each); err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}

// dateOf is the day of a file: the date in its name, else that of its last change.
func dateOf(entry fs.DirEntry) (time.Time, error) {
	if date, ok := firstDate(entry.Name()); ok {
		return date, nil
	}
	info, err := entry.Info()
	if err != nil {
		return time.Time{}, errors.New("a file cannot be read")
	}
	return info.ModTime().UTC().Truncate(24 * time.Hour), nil
}

// listItems are the items of all lists in a document of Markdown.
func listItems(source []byte) []news {
	var list []news
	section := ""
	document := goldmark.New().Parser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			section = textOf(node, source)
		case *ast.ListItem:
			if n, ok := newsOf(node, source); ok {
				n.section = section
				list = append(list, n)
			}
		}
		return ast.WalkContinue, nil
	})
	return list
}

// newsOf is an item of a list: its first paragraph, and what the next ones say.
func newsOf(item *ast.ListItem, source []byte) (news, bool) {
	var paragraphs []string
	for child := item.FirstChild(); child != nil; child = child.NextSibling() {
		switch child.(type) {
		case *ast.TextBlock, *ast.Paragraph:
			paragraphs = append(paragraphs, textOf(child, source))
		}
	}
	if len(paragraphs) == 0 {
		return news{}, false
	}

	tag, title := statedTag(plain(paragraphs[0], maxTitle))
	return news{
		title:  title,
		more:   plain(strings.Join(paragraphs[1:], " "), maxMore),
		stated: tag,
	}, title != ""
}

// textOf is the text of a block, without its markup and raw HTML.
func textOf(block ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(block, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			b.Write(node.Segment.Value(source))
			if node.SoftLineBreak() || node.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(node.Value)
		case *ast.AutoLink:
			b.Write(node.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var (
	checkbox = regexp.MustCompile(`^\[[ xX]\]\s+`)
	stated   = regexp.MustCompile(`^(?:\[(USE NOW|WATCH|OPPORTUNITY|THREAT)\]|(USE NOW|WATCH|OPPORTUNITY|THREAT):)\s*`)
)

// statedTag parts a title from the tag that stands before it.
func statedTag(title string) (tag, rest string) {
	title = checkbox.ReplaceAllString(title, "")
	found := stated.FindStringSubmatch(title)
	if found == nil {
		return "", title
	}
	return found[1] + found[2], title[len(found[0]):]
}
