// Package briefing collects what a session should know before it begins: what is open in
// the workspace, what the briefing files of the project say, and, only on request, what the
// configured feeds say.
//
// Every item has a tag. The first matching rule decides which one, so the same input has the
// same tags. Text from files and feeds is data: markup and control characters are removed,
// and the Markdown of a briefing quotes it.
package briefing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Tags.
const (
	UseNow      = "USE NOW"
	Watch       = "WATCH"
	Opportunity = "OPPORTUNITY"
	Threat      = "THREAT"
)

// tags are all tags, the most urgent first.
var tags = []string{Threat, UseNow, Watch, Opportunity}

// Scopes of a briefing. Besides these two, a scope is a category of items.
const (
	All       = "all"
	Workspace = "workspace" // what the workspace itself says
)

// Categories of items.
const (
	Ecosystem   = "ecosystem"
	Trending    = "trending"
	Government  = "government"
	Competitors = "competitors"
	TechStack   = "techstack"
	Grants      = "grants"
	Security    = "security"
)

var categories = []string{Workspace, Ecosystem, Trending, Government, Competitors, TechStack, Grants, Security}

// Item is one thing to know.
type Item struct {
	Tag      string `json:"tag"`
	Title    string `json:"title"`
	Why      string `json:"why"`
	Source   string `json:"source"`
	Date     string `json:"date"` // YYYY-MM-DD
	Category string `json:"category"`
	Rule     string `json:"rule"` // which decided about the tag

	ofWorkspace bool
}

// Source is a place that was read, or could not be.
type Source struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// Counts are the numbers of items by tag.
type Counts struct {
	UseNow      int `json:"use_now"`
	Watch       int `json:"watch"`
	Opportunity int `json:"opportunity"`
	Threat      int `json:"threat"`
}

// Briefing is what was found.
type Briefing struct {
	Date      string // of the newest briefing file, "" if there is none
	Stale     bool
	Warning   string // why it is stale
	Items     []Item
	Counts    Counts
	Total     int
	Markdown  string
	Sources   []Source
	Truncated bool
}

// Request says what is wanted.
type Request struct {
	Scope     string
	Workspace bool // with what the workspace itself says
	Refresh   bool // with the feeds
}

// Maker makes briefings.
type Maker struct {
	Workspace  *workspace.Workspace
	Violations func(ctx context.Context, since time.Time) ([]violations.Entry, error)
	Now        func() time.Time

	// Fetch returns the document of a feed. Redirects may lead only to the hosts.
	Fetch func(ctx context.Context, address string, hosts []string) ([]byte, error)
}

// collection is a briefing that is being made.
type collection struct {
	*Maker
	config  workspace.Config
	now     time.Time
	rules   []rule
	items   []Item
	sources []Source
	newest  time.Time // of the briefing files and feeds that were read
}

// Make makes a briefing.
func (m *Maker) Make(ctx context.Context, r Request) (Briefing, error) {
	state, err := m.Workspace.Load()
	if err != nil {
		return Briefing{}, err
	}
	c := &collection{
		Maker:   m,
		config:  state.Config,
		now:     m.Now().UTC(),
		rules:   rulesOf(state.Config.Discovery.Rules),
		sources: []Source{},
	}

	if r.Workspace {
		c.workspaceItems(ctx)
	}
	c.files()
	c.feeds(ctx, r.Refresh)
	if err := ctx.Err(); err != nil {
		return Briefing{}, err
	}
	return c.briefing(r.Scope), nil
}

// read notes that a source was read, or why it was not.
func (c *collection) read(name string, err error) {
	s := Source{
		Name: name,
		OK:   err == nil,
	}
	if err != nil {
		s.Error = err.Error()
	}
	c.sources = append(c.sources, s)
}

// briefing puts the items of a scope in order.
func (c *collection) briefing(scope string) Briefing {
	items := distinct(c.ofScope(scope))
	b := Briefing{
		Sources: c.sources,
		Total:   len(items),
	}
	for _, item := range items {
		b.Counts.add(item.Tag)
	}

	limit := c.config.Limits.MaxFindings
	b.Truncated = len(items) > limit
	b.Items = items[:min(len(items), limit)]
	b.Markdown = markdown(b.Items)

	c.judgeAge(&b)
	return b
}

func (c *collection) ofScope(scope string) []Item {
	items := []Item{}
	for _, item := range c.items {
		wanted := scope == All ||
			item.Category == scope ||
			scope == Workspace && item.ofWorkspace
		if wanted {
			items = append(items, item)
		}
	}
	return items
}

// distinct sorts items by urgency, then by date, the newest first. Of items that say the
// same only the first one is left.
func distinct(items []Item) []Item {
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(
			cmp.Compare(slices.Index(tags, a.Tag), slices.Index(tags, b.Tag)),
			strings.Compare(b.Date, a.Date),
			strings.Compare(a.Category, b.Category),
			strings.Compare(a.Title, b.Title),
			strings.Compare(a.Source, b.Source),
			strings.Compare(a.Why, b.Why),
		)
	})

	type said struct{ tag, title string }
	seen := map[said]bool{}
	kept := []Item{}
	for _, item := range items {
		key := said{item.Tag, strings.ToLower(item.Title)}
		if !seen[key] {
			seen[key] = true
			kept = append(kept, item)
		}
	}
	return kept
}

func (n *Counts) add(tag string) {
	switch tag {
	case UseNow:
		n.UseNow++
	case Watch:
		n.Watch++
	case Opportunity:
		n.Opportunity++
	case Threat:
		n.Threat++
	}
}

// markdown has one line for each item, which begins with its tag. The title is quoted: it is
// what somebody wrote, and no part of the briefing.
func markdown(items []Item) string {
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "- [%s] %s: %s (%s, %s)\n", item.Tag, strconv.Quote(item.Title), item.Why, item.Source, item.Date)
	}
	return b.String()
}

// judgeAge reports whether the newest briefing is too old.
func (c *collection) judgeAge(b *Briefing) {
	limit := time.Duration(c.config.Discovery.StaleAfter)
	folder := c.config.Discovery.Dir
	if c.newest.IsZero() {
		b.Stale = true
		b.Warning = fmt.Sprintf("There is no briefing file in %s that could be read.", folder)
		return
	}

	b.Date = c.newest.Format(time.DateOnly)
	age := c.now.Sub(c.newest)
	if age <= limit {
		return
	}
	b.Stale = true
	b.Warning = fmt.Sprintf("The newest briefing is of %s, which is more than %s ago. Write a newer file into %s.", b.Date, limit, folder)
}
