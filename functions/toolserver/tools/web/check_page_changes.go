package web

import (
	"cmp"
	"context"
	"errors"
	"time"

	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/mcp/tool"
)

type changesInput struct {
	Page  string `json:"page,omitempty" max:"1024"`
	Since string `json:"since,omitempty" max:"256"`
	Mark  bool   `json:"mark_seen" default:"false"`
}

// PageChanges is the answer of check_page_changes.
type PageChanges struct {
	Status    string            `json:"status"` // unchanged, changed, no_baseline or not_checked
	Baseline  string            `json:"baseline,omitempty"`
	At        *time.Time        `json:"baseline_at"`
	Checked   int               `json:"pages_checked"`
	Pages     []pages.Change    `json:"pages"`
	MarkedAt  *time.Time        `json:"marked_at,omitempty"`
	Skipped   []finding.Skipped `json:"skipped,omitempty"`
	Truncated bool              `json:"truncated"`
}

// CheckPageChanges says how pages differ from what they were.
func CheckPageChanges(w *pages.Watch) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "check_page_changes",
		Title:       "Page changes",
		Toolset:     "web",
		Description: "How web pages differ from a date, time or git revision (since), or copies of mark_seen.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
		},
	}, func(ctx context.Context, _ *tool.Call, in changesInput) (PageChanges, error) {
		return runChanges(ctx, w, in)
	})
}

func runChanges(ctx context.Context, w *pages.Watch, in changesInput) (PageChanges, error) {
	page := cmp.Or(in.Page, pages.All)
	answer := PageChanges{
		Status:  "no_baseline",
		Pages:   []pages.Change{},
		Skipped: []finding.Skipped{},
	}
	found, err := w.Compare(ctx, page, in.Since)
	switch {
	case err == nil:
		answer.take(found)
	case !errors.Is(err, pages.ErrNoBaseline):
		return PageChanges{}, pageError(ctx, err)
	}

	if in.Mark {
		at, err := w.Mark(ctx, page)
		if err != nil {
			return PageChanges{}, pageError(ctx, err)
		}
		answer.MarkedAt = &at
	}
	return answer, nil
}

// take fills the answer with what was compared.
func (a *PageChanges) take(found pages.Changes) {
	a.Baseline = found.Baseline
	a.At = &found.At
	a.Checked = found.Pages
	a.Pages = found.Changed
	a.Skipped = found.Skipped
	a.Truncated = found.Truncated

	switch {
	case len(found.Changed) > 0:
		a.Status = "changed"
	case found.Pages == 0:
		a.Status = "not_checked"
	default:
		a.Status = "unchanged"
	}
}
