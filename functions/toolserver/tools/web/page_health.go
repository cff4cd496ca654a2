// Package web holds the tools that look at the pages of a website.
package web

import (
	"context"
	"errors"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/mcp/tool"
)

type healthInput struct {
	Page string `json:"page" max:"1024" default:"all"`
	Max  int64  `json:"max" min:"1" max:"500" default:"500"`
}

// Health is the answer of page_health.
type Health struct {
	Status    string            `json:"status"` // healthy, issues_found or not_checked
	Generated time.Time         `json:"generated_at,omitzero"`
	Checked   int               `json:"pages_checked"`
	Count     int               `json:"issue_count"`
	Issues    []pages.Finding   `json:"issues"`
	ByType    map[string]int    `json:"by_type"`
	Skipped   []finding.Skipped `json:"skipped"`
	Truncated bool              `json:"truncated"`
	Limits    []string          `json:"limits_hit,omitempty"`
}

// CheckPageHealth finds what is wrong with the pages of the website.
func CheckPageHealth(c *pages.Check) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "page_health",
		Title:       "Page health",
		Toolset:     "web",
		Description: "What is broken or unfinished on web pages: links, images, fetches, scripts, tags.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
			OpenWorld:  true,
		},
	}, func(ctx context.Context, call *tool.Call, in healthInput) (Health, error) {
		return RunHealth(ctx, c, in.Page, int(in.Max), call.FileProgress())
	})
}

// RunHealth checks a page, or all of them, and lists at most limit issues.
func RunHealth(ctx context.Context, c *pages.Check, page string, limit int, progress func(int)) (Health, error) {
	report, err := c.Run(ctx, page, progress)
	if err != nil {
		return Health{}, pageError(ctx, err)
	}

	answer := Health{
		Status:    "healthy",
		Generated: c.Now().UTC(),
		Checked:   report.Pages,
		Count:     len(report.Findings),
		Issues:    report.Findings,
		ByType:    map[string]int{},
		Skipped:   report.Skipped,
		Limits:    append([]string{}, report.Limits...),
	}
	for _, f := range report.Findings {
		answer.ByType[f.Type]++
	}
	if len(answer.Issues) > limit {
		answer.Issues = answer.Issues[:limit]
		answer.Truncated = true
		answer.Limits = append(answer.Limits, "max")
	}

	switch {
	case report.Wrong() > 0:
		answer.Status = "issues_found"
	case report.Pages == 0:
		answer.Status = "not_checked"
	}
	return answer, nil
}

// pageError tells a caller why pages cannot be looked at.
func pageError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pages.ErrNoPage):
		return &tool.Error{
			Code:    "not_found",
			Field:   "/page",
			Message: "This is no page of the website.",
			Hint:    "Name a page by its path from website.root, or leave page out.",
		}
	case errors.Is(err, pages.ErrSince):
		return &tool.Error{
			Code:    "invalid_argument",
			Field:   "/since",
			Message: "The argument cannot be read: " + err.Error() + ".",
		}
	}
	return &tool.Error{
		Code:    "not_configured",
		Message: "The pages cannot be read: " + err.Error(),
		Hint:    "Repair " + workspace.FileName + " if the message names a line of it.",
	}
}
