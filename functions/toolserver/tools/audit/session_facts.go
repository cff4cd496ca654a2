package audit

import (
	"context"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/session/facts"
)

// SessionFacts reads the facts of a workspace for the audit of drift.
func SessionFacts(w *workspace.Workspace) func(context.Context, time.Time) ([]drift.SessionFact, error) {
	return func(_ context.Context, since time.Time) ([]drift.SessionFact, error) {
		state, err := w.Load()
		if err != nil {
			return nil, err
		}
		reading, err := facts.Since(w, state.Config.Session.FactsDir, since)
		if err != nil {
			return nil, err
		}

		var list []drift.SessionFact
		for _, f := range reading.Facts {
			list = append(list, drift.SessionFact{
				Title: f.Title,
				At:    f.Timestamp,
				File:  f.File,
				Line:  f.Line,
			})
		}
		for _, place := range reading.Damaged {
			list = append(list, drift.SessionFact{
				File:    place.File,
				Line:    place.Line,
				Damaged: true,
			})
		}
		return list, nil
	}
}
