package briefing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/session/facts"
	"governance.internal/shared/lint"
)

// Names of the sources in the workspace.
const (
	sourceViolations = "audit chain"
	sourceFacts      = "session facts"
	sourceServers    = "MCP configurations"
)

// Rules about what the workspace says.
const (
	ruleViolation = "workspace: open violation"
	ruleDeadline  = "workspace: deadline"
	ruleDecision  = "workspace: decision without action"
	ruleUnpinned  = "workspace: unpinned MCP server"
)

// How far the workspace is looked into.
const (
	violationAge = 7 * 24 * time.Hour  // a violation counts as open
	decisionAge  = 30 * 24 * time.Hour // a decision waits for action
	deadlineAge  = 14 * 24 * time.Hour // a deadline is near
	maxHandover  = 16 << 20            // bytes of the worklog
	maxSettings  = 1 << 20             // bytes of a configuration
)

// workspaceItems adds what is open in the workspace.
func (c *collection) workspaceItems(ctx context.Context) {
	c.read(sourceViolations, c.openViolations(ctx))
	c.read(sourceFacts, c.factItems())
	c.read(sourceServers, c.unpinnedServers())
}

// add adds an item of the workspace.
func (c *collection) add(item Item) {
	item.Title = plain(item.Title, maxTitle)
	item.Why = plain(item.Why, maxMore)
	item.ofWorkspace = true
	c.items = append(c.items, item)
}

// openViolations adds the violations of the last days, each place once.
func (c *collection) openViolations(ctx context.Context) error {
	entries, err := c.Violations(ctx, c.now.Add(-violationAge))
	if err != nil {
		return errors.New("the audit chain cannot be read")
	}

	type place struct{ kind, path string }
	counts := map[place]int{}
	last := map[place]violations.Entry{}
	for _, e := range entries {
		at := place{e.Type, pathOf(e)}
		counts[at]++
		last[at] = e
	}

	for at, e := range last {
		title := at.kind
		if at.path != "" {
			title += ": " + at.path
		}
		c.add(Item{
			Tag:      Threat,
			Title:    title,
			Why:      fmt.Sprintf("recorded %d times in the last 7 days", counts[at]),
			Source:   sourceViolations,
			Date:     e.Timestamp.UTC().Format(time.DateOnly),
			Category: Security,
			Rule:     ruleViolation,
		})
	}
	return nil
}

// pathOf is the file that a violation is about, "" if it names none.
func pathOf(e violations.Entry) string {
	var detail struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(e.Detail, &detail) != nil {
		return ""
	}
	return detail.Path
}

// factItems adds deadlines that are near and decisions without an action.
func (c *collection) factItems() error {
	reading, err := facts.Since(c.Workspace, c.config.Session.FactsDir, time.Time{})
	if err != nil {
		return err
	}
	acted, err := c.actedOn(reading.Facts)
	if err != nil {
		return err
	}

	for _, f := range reading.Facts {
		switch f.Category {
		case facts.Deadline:
			c.deadline(f)
		case facts.Decision:
			c.decision(f, acted)
		}
	}
	if n := len(reading.Damaged); n > 0 {
		return fmt.Errorf("%d lines are damaged; the first is %s:%d", n, reading.Damaged[0].File, reading.Damaged[0].Line)
	}
	if reading.Cut {
		return errors.New("the oldest files were not read, because all together are too large")
	}
	return nil
}

// deadline adds a deadline that is near. Its date is the first one in its title or content.
func (c *collection) deadline(f facts.Fact) {
	date, ok := firstDate(f.Title + "\n" + f.Content)
	today := c.now.Truncate(24 * time.Hour)
	if !ok || date.Before(today) || date.Sub(today) > deadlineAge {
		return
	}

	days := int(date.Sub(today) / (24 * time.Hour))
	c.add(Item{
		Tag:      Watch,
		Title:    f.Title,
		Why:      fmt.Sprintf("due on %s, in %d days", date.Format(time.DateOnly), days),
		Source:   f.File,
		Date:     date.Format(time.DateOnly),
		Category: Workspace,
		Rule:     ruleDeadline,
	})
}

// decision adds a decision that no later text mentions as done.
func (c *collection) decision(f facts.Fact, acted string) {
	if c.now.Sub(f.Timestamp) > decisionAge || strings.Contains(acted, words(f.Title)) {
		return
	}
	c.add(Item{
		Tag:      UseNow,
		Title:    f.Title,
		Why:      "decided, and neither the worklog nor a confirmation mentions it",
		Source:   f.File,
		Date:     f.Timestamp.UTC().Format(time.DateOnly),
		Category: Workspace,
		Rule:     ruleDecision,
	})
}

// actedOn is what was done, as one text: the worklog and the confirmations.
func (c *collection) actedOn(list []facts.Fact) (string, error) {
	var b strings.Builder
	name := c.config.Session.Worklog
	worklog, err := c.Workspace.ReadFile(name, maxHandover)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	b.Write(worklog)

	for _, f := range list {
		if f.Category == facts.Confirmation {
			fmt.Fprintf(&b, "\n%s\n%s", f.Title, f.Content)
		}
	}
	return words(b.String()), nil
}

// words is a text in lower case with single blanks.
func words(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// pinning is the code of what the lint finds about versions that may change.
const pinning = "MCP003"

// unpinnedServers adds the MCP servers of the project that may change without notice.
func (c *collection) unpinnedServers() error {
	var unread []string
	for _, name := range lint.ProjectFiles {
		document, err := c.Workspace.ReadFile(name, maxSettings)
		if errors.Is(err, fs.ErrNotExist) || path.Ext(name) == ".toml" {
			continue
		}
		if err != nil {
			unread = append(unread, name)
			continue
		}

		result, err := lint.LintJSONC(document)
		var input *lint.InputError
		if errors.As(err, &input) && input.Code == lint.CodeNoServers {
			continue
		}
		if err != nil {
			unread = append(unread, name)
			continue
		}
		c.unpinned(name, result.Findings)
	}

	if len(unread) > 0 {
		return fmt.Errorf("cannot be read: %s", strings.Join(unread, ", "))
	}
	return nil
}

func (c *collection) unpinned(file string, findings []lint.Finding) {
	for _, f := range findings {
		if f.Code != pinning || f.Severity == lint.Info {
			continue
		}
		c.add(Item{
			Tag:      Threat,
			Title:    fmt.Sprintf("unpinned MCP server %s in %s", f.Server, file),
			Why:      f.Message,
			Source:   file,
			Date:     c.now.Format(time.DateOnly),
			Category: Security,
			Rule:     ruleUnpinned,
		})
	}
}
