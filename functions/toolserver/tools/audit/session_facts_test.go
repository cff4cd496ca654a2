package audit_test

import (
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/tools/audit"
)

const twoFacts = `{"id":"1","timestamp":"2026-11-21T08:00:00Z","category":"decision","title":"Use SQLite"}
{"id":"2","timestamp":"2026-11-21T09:00:00Z","category":"contact","title":"Call  Bob"}
`

func factDrift(w *guardtest.World) audit.Drift {
	w.Helper()
	var answer audit.Drift
	made := audit.AuditDrift(&drift.Audit{
		Workspace: w.Workspace,
		Builtins:  fact.Builtins{},
		Now:       w.Now,
		Facts:     audit.SessionFacts(w.Workspace),
	})
	w.Call(made, `{"scope":"session_facts"}`, &answer)
	return answer
}

func TestFactsThatNothingHandsOverAreDrift(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml":                    "session: {facts_dir: notes}\n",
		"notes/2026-11-21.jsonl":             twoFacts,
		".governance/facts/2026-11-21.jsonl": "not read\n",
		"SESSION_HANDOFF.md":                 "- we decided to use sqlite\n",
	})
	answer := factDrift(w)
	if answer.Status != "drift_detected" || answer.Checked != 2 || len(answer.Drifts) != 1 || answer.Drifts[0].Field != "Call  Bob" || answer.Drifts[0].Source != "notes/2026-11-21.jsonl" {
		t.Errorf("%+v", answer)
	}

	w.Write("WORKLOG.md", "- did CALL bob\n")
	if answer := factDrift(w); answer.Status != "clean" || answer.Checked != 2 {
		t.Errorf("%+v", answer)
	}

	w.Write("notes/2026-11-21.jsonl", twoFacts+"{\"id\":\n")
	answer = factDrift(w)
	if answer.Status != "drift_detected" || len(answer.Drifts) != 1 || answer.Drifts[0].Type != drift.FactUnreadable || answer.Drifts[0].Line != 3 {
		t.Errorf("%+v", answer)
	}

	w.Write("notes/2026-11-21.jsonl", "")
	if answer := factDrift(w); answer.Status != "not_checked" {
		t.Errorf("%+v", answer)
	}
}
