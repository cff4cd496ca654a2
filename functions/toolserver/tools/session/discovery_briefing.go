package session

import (
	"context"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/session/briefing"
)

type briefingInput struct {
	Scope   string `json:"scope" enum:"all,workspace,ecosystem,trending,government,competitors,techstack,grants,security" default:"all"`
	Context string `json:"context" enum:"auto,none" default:"auto"`
	Refresh bool   `json:"refresh,omitempty"`
}

// Briefing is the answer of discovery_briefing.
type Briefing struct {
	Timestamp time.Time         `json:"timestamp"`
	Date      string            `json:"briefing_date"` // "" if there is no briefing file
	Stale     bool              `json:"stale"`
	Warning   string            `json:"stale_warning,omitempty"`
	Items     []briefing.Item   `json:"items"`
	Counts    briefing.Counts   `json:"item_counts"` // of all items, also of those that are left out
	Total     int               `json:"total_items"`
	Markdown  string            `json:"briefing"`
	Sources   []briefing.Source `json:"sources"`
	Truncated bool              `json:"truncated,omitempty"`
}

// DiscoveryBriefing tells what a session should know before it begins.
func DiscoveryBriefing(d Deps) *tool.Tool {
	maker := &briefing.Maker{
		Workspace: d.Workspace,
		Now:       d.Now,
		Fetch:     d.Fetch,
	}
	if d.Log != nil {
		maker.Violations = d.Log.List
	}

	return tool.Define(tool.Tool{
		Name:        "discovery_briefing",
		Title:       "Briefing",
		Toolset:     "session",
		Description: "What is open here, and news from briefing files; feeds only with refresh.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
			OpenWorld:  true,
		},
	}, func(ctx context.Context, _ *tool.Call, in briefingInput) (Briefing, error) {
		if _, err := load(d.Workspace); err != nil {
			return Briefing{}, err
		}
		made, err := maker.Make(ctx, briefing.Request{
			Scope:     in.Scope,
			Workspace: in.Context == "auto",
			Refresh:   in.Refresh,
		})
		if err != nil {
			return Briefing{}, err
		}

		return Briefing{
			Timestamp: d.Now().UTC(),
			Date:      made.Date,
			Stale:     made.Stale,
			Warning:   made.Warning,
			Items:     made.Items,
			Counts:    made.Counts,
			Total:     made.Total,
			Markdown:  made.Markdown,
			Sources:   made.Sources,
			Truncated: made.Truncated,
		}, nil
	})
}
