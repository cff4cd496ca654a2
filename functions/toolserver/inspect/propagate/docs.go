package propagate

import (
	"context"
	"slices"

	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
)

// DocEdit is a place in a document that states a fact wrongly.
type DocEdit struct {
	File    string
	Line    int
	Type    string // version, count, port or process
	From    string
	To      string
	Applied bool
	Reason  string // why it was not applied, "" if it was or would be
}

// DocsOutcome is what became of the facts in documents.
type DocsOutcome struct {
	Checked   int
	Edits     []DocEdit
	Unfixable []Unfixable
	Diff      string
	Entry     string
}

// Docs makes the facts right that documents state, or shows what it would change. With
// names, it looks at those documents alone.
func (p *Propagator) Docs(ctx context.Context, tool string, dry bool, names []string) (DocsOutcome, error) {
	found, err := p.Audit.DocClaims(ctx)
	if err != nil {
		return DocsOutcome{}, err
	}
	if len(names) > 0 {
		found.Claims = slices.DeleteFunc(found.Claims, func(c fact.Claim) bool { return !slices.Contains(names, c.File) })
		found.Problems = slices.DeleteFunc(found.Problems, func(p fact.Problem) bool {
			return p.File != "" && !slices.Contains(names, p.File)
		})
	}

	planned := newPlan("docs")
	planned.add(found)
	written, err := p.Writer.Run(ctx, tool, "DOC_DRIFT_FIXED", dry, planned.group.Files())
	if err != nil {
		return DocsOutcome{}, err
	}
	outcome := DocsOutcome{
		Checked:   len(found.Claims) + len(found.Problems),
		Unfixable: planned.unfixable,
		Diff:      written.Diff,
		Entry:     written.Entry,
	}
	for _, c := range found.Claims {
		if c.Wrong() && c.Fixed == "" {
			outcome.Edits = append(outcome.Edits, docEdit(c, written.Files))
		}
	}
	return outcome, nil
}

func docEdit(c fact.Claim, files []edit.File) DocEdit {
	e := DocEdit{
		File: c.File,
		Line: c.Line,
		Type: c.Kind,
		From: c.Found,
		To:   c.Write,
	}
	at := slices.IndexFunc(files, func(f edit.File) bool { return f.Path == c.File })
	e.Applied = files[at].Status == edit.Updated
	e.Reason = files[at].Reason
	return e
}
