package ops

import (
	"context"
	"path"
	"time"

	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/mcp/tool"
)

type docInput struct {
	DryRun bool     `json:"dry_run" default:"true"`
	Docs   []string `json:"docs,omitempty" max:"100" each:"1024"`
}

// DocFix is the answer of fix_doc_drift.
type DocFix struct {
	Timestamp time.Time             `json:"timestamp"`
	DryRun    bool                  `json:"dry_run"`
	ForcedBy  string                `json:"forced_by,omitempty"`
	Status    string                `json:"status"` // current, drift, fixed, partial or not_checked
	Checked   int                   `json:"checked"`
	Edits     []DocEdit             `json:"edits"`
	Unfixable []propagate.Unfixable `json:"unfixable"`
	Diff      string                `json:"diff"`
	Entry     string                `json:"audit_entry,omitempty"`
	Note      string                `json:"note,omitempty"`
}

// DocEdit is a place in a document that states a fact wrongly.
type DocEdit struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Type    string `json:"type"` // version, count, port or process
	From    string `json:"from"`
	To      string `json:"to"`
	Applied bool   `json:"applied"`
	Reason  string `json:"reason,omitempty"`
}

// FixDocDrift makes documents state the facts as their sources have them.
func FixDocDrift(d PropagateDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "fix_doc_drift",
		Title:       "Fix documents",
		Toolset:     "ops",
		Description: "Corrects versions, counts, ports and process counts in documents where one source says what is right.",
		Hints: tool.Hints{
			Destructive: true,
			Idempotent:  true,
		},
		Needs: []tool.Need{tool.NeedWorkspaceFile},
	}, func(ctx context.Context, _ *tool.Call, in docInput) (DocFix, error) {
		dry, forced, err := d.preview(in.DryRun)
		if err != nil {
			return DocFix{}, err
		}

		names := make([]string, 0, len(in.Docs))
		for _, name := range in.Docs {
			names = append(names, path.Clean(name))
		}
		if err := d.known(names); err != nil {
			return DocFix{}, err
		}
		outcome, err := d.Propagator.Docs(ctx, "fix_doc_drift", dry, names)
		if err != nil {
			return DocFix{}, err
		}
		return docFix(d.Now(), dry, forced, outcome), nil
	})
}

// known refuses a document that is not there.
func (d PropagateDeps) known(names []string) error {
	for _, name := range names {
		f, err := d.Workspace.Open(name)
		if err != nil {
			return tool.FileError(name, err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func docFix(now time.Time, dry bool, forced string, o propagate.DocsOutcome) DocFix {
	answer := DocFix{
		Timestamp: now.UTC(),
		DryRun:    dry,
		ForcedBy:  forced,
		Status:    "current",
		Checked:   o.Checked,
		Edits:     []DocEdit{},
		Unfixable: append([]propagate.Unfixable{}, o.Unfixable...),
		Diff:      o.Diff,
		Entry:     o.Entry,
	}

	applied := 0
	for _, e := range o.Edits {
		answer.Edits = append(answer.Edits, DocEdit(e))
		if e.Applied {
			applied++
		}
	}

	open := len(answer.Edits) - applied + len(answer.Unfixable)
	switch {
	case o.Checked == 0:
		answer.Status = "not_checked"
		answer.Note = "No document states a fact with a declared source: describe versions, counts, or docs with check: [ports, processes]."
	case applied > 0 && open > 0:
		answer.Status = "partial"
	case applied > 0:
		answer.Status = "fixed"
	case open > 0:
		answer.Status = "drift"
	}
	return answer
}
