package ops

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/usage"
	"governance.internal/functions/toolserver/mcp/tool"
)

type usageInput struct {
	Days int    `json:"days" min:"1" max:"90" default:"3"`
	Bot  string `json:"bot,omitempty" max:"200"`
}

// Usage is the answer of usage_report.
type Usage struct {
	Status    string        `json:"status"` // reported, or no_data
	Days      []usage.Day   `json:"days"`
	Alerts    []usage.Alert `json:"alerts"`
	Sources   []string      `json:"sources"`   // files that were read
	Malformed int           `json:"malformed"` // lines that are no record
	Skipped   []string      `json:"skipped"`   // files that were not read, and why
	Text      string        `json:"text"`
}

// UsageDeps are the sources of usage_report: files of the workspace, and the records of
// dispatches.
type UsageDeps struct {
	Workspace *workspace.Workspace
	Data      fs.FS // the data directory
	Now       func() time.Time
}

// Bounds where the workspace file sets none.
const (
	usualWarnDay, usualCriticalDay, usualWarnCall = 1_000_000, 5_000_000, 50_000

	mostUsage = 64 << 20 // bytes of a file of records
)

// dispatchUsage is where dispatches leave records, below the data directory.
const dispatchUsage = "dispatches/*/usage.jsonl"

// ReportUsage counts the tokens of bots by day.
func ReportUsage(t UsageDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "usage_report",
		Title:       "Usage",
		Toolset:     "ops",
		Description: "API tokens used per bot and day, with anomalies flagged, from records of usage.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in usageInput) (Usage, error) {
		state, err := t.Workspace.Load()
		if err != nil {
			return Usage{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		out := Usage{Sources: []string{}, Skipped: []string{}}
		var book usage.Book
		t.read(state, &book, &out)
		if len(out.Sources) == 0 &&
			len(out.Skipped) == 0 &&
			len(state.Config.Usage.Sources) == 0 {
			return Usage{}, &tool.Error{
				Code:    "not_configured",
				Message: "There are no usage records.",
				Hint:    "Name files of records under usage.sources in " + workspace.FileName + ".",
			}
		}

		u := state.Config.Usage
		out.Days, out.Alerts = book.Report(t.Now(), in.Days, in.Bot, usage.Bounds{
			WarnDay:     cmp.Or(u.WarnTokensDay, usualWarnDay),
			CriticalDay: cmp.Or(u.CriticalTokensDay, usualCriticalDay),
			WarnCall:    cmp.Or(u.WarnTokensCall, usualWarnCall),
		})
		out.Malformed = book.Malformed
		out.say()

		return out, nil
	})
}

// read takes in all files of records.
func (t UsageDeps) read(state workspace.State, book *usage.Book, out *Usage) {
	for _, source := range state.Config.Usage.Sources {
		for _, name := range matching(t.Workspace, state, source.File.Pattern) {
			text, err := t.Workspace.ReadFile(name, mostUsage)
			if err != nil {
				out.Skipped = append(out.Skipped, name+": "+err.Error())
				continue
			}

			book.Add(text)
			out.Sources = append(out.Sources, name)
		}
	}

	names, _ := fs.Glob(t.Data, dispatchUsage) // the pattern is well formed
	for _, name := range names {
		text, err := fs.ReadFile(t.Data, name)
		if err != nil {
			out.Skipped = append(out.Skipped, name+": it cannot be read")
			continue
		}

		book.Add(text)
		out.Sources = append(out.Sources, "dispatch "+path.Base(path.Dir(name)))
	}
}

// say puts the same into words.
func (u *Usage) say() {
	calls := 0
	var lines []string
	for _, d := range u.Days {
		calls += d.Calls
		lines = append(lines, fmt.Sprintf("%s: %d calls, %d tokens", d.Date, d.Calls, d.Tokens))
		for _, b := range d.Bots {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("  %s: %d calls, %d in, %d out %s", b.Name, b.Calls, b.Input, b.Output, strings.Join(b.Flags, " "))))
		}
	}

	if u.Status = "reported"; calls == 0 {
		u.Status, lines = "no_data", []string{fmt.Sprintf("No record of the last %d days in %d files.",
			len(u.Days), len(u.Sources))}
	}

	for _, a := range u.Alerts {
		lines = append(lines, a.Level+" "+a.Bot+" "+a.Message)
	}

	u.Text = strings.Join(lines, "\n")
}
