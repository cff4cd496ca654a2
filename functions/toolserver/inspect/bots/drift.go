package bots

import (
	"context"
	"maps"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
)

// StandardMissing is the type of the drift of a bot that does not keep a standard.
const StandardMissing = "bot_standard_missing"

// Drifts are the standards that the bots of a workspace do not keep. It is the scope bots of
// an audit of drift.
func Drifts(ctx context.Context, t *tree.Tree) (drift.Result, error) {
	results, err := Check(ctx, t, "")
	if err != nil {
		return drift.Result{}, err
	}

	var all drift.Result
	for _, r := range results {
		all.Checked += r.Passes() + r.Fails()
		for _, id := range slices.Sorted(maps.Keys(r.Standards)) {
			v := r.Standards[id]
			if !v.Failed() {
				continue
			}

			all.Drifts = append(all.Drifts, drift.Drift{
				Type:     StandardMissing,
				Source:   workspace.FileName,
				Target:   r.Path,
				Field:    id,
				Expected: "pass",
				Found:    "fail",
				Severity: finding.Error,
				Line:     v.Line,
				Message:  v.Detail,
			})
		}
	}

	return all, nil
}
