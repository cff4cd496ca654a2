package audit_test

import (
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/audit"
)

func driftAudit(w *guardtest.World) *tool.Tool {
	return audit.AuditDrift(&drift.Audit{
		Workspace: w.Workspace,
		Now:       w.Now,
	})
}

// An empty workspace is never clean, and every scope says how it is enabled.
func TestAnEmptyWorkspaceIsNotChecked(t *testing.T) {
	w := guardtest.New(t, nil)
	for _, scope := range []string{"full", "roles", "versions", "files", "processes", "website", "platforms", "docs", "bots", "members", "session_facts"} {
		var answer audit.Drift
		w.Call(driftAudit(w), `{"scope":"`+scope+`"}`, &answer)
		if answer.Status != "not_checked" || len(answer.Skipped) == 0 || len(answer.Drifts) != 0 {
			t.Errorf("%s: %+v", scope, answer)
		}
		for _, s := range answer.Skipped {
			if s.Reason == "" || s.Enable == "" {
				t.Errorf("%s does not say how it is enabled: %+v", scope, s)
			}
		}
	}
}

// Without a workspace file the documents of the project are still read.
func TestWithoutAWorkspaceFileDeadNamesAreFound(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"README.md":    "# x\n\nSee [the guide](docs/guide.md).\n\n```sh\nnpm run build\nmake all\n```\n",
		"package.json": `{"scripts": {"test": "x"}}`,
		"Makefile":     "test:\n",
	})
	var answer audit.Drift
	w.Call(driftAudit(w), `{}`, &answer)

	var types []string
	for _, d := range answer.Drifts {
		types = append(types, d.Type)
	}
	slices.Sort(types)
	if got := strings.Join(types, " "); got != "dead_link dead_make_target dead_npm_script" || answer.Status != "drift_detected" {
		t.Errorf("%s: %+v", got, answer)
	}
}

func TestBadInputOfADriftAudit(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\nversions: [{name: a, source: {file: x}, targets: [{files: [b], pattern: '('}]}]\n"})
	if e := w.Refused(driftAudit(w), `{}`); e.Code != "not_configured" || !strings.Contains(e.Message, "line 2") {
		t.Errorf("%+v", e)
	}
	for _, arguments := range []string{`{"scope":"everything"}`, `{"max":0}`, `{"max":501}`, `{"other":1}`, `{"scope":1}`} {
		if e := w.Refused(driftAudit(w), arguments); e.Code != "invalid_argument" {
			t.Errorf("%s: %+v", arguments, e)
		}
	}
}

// The list is cut where asked, the count is not, and secrets are masked.
func TestALongListIsCutAndSaysSo(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "version: 1\nversions: [{name: a, source: {file: VERSION}, targets: [{files: [b.txt], pattern: 'version (\\S+)'}]}]\n",
		"VERSION":         "1.0.0\n",
		"b.txt":           "version 1.1\nversion 1.2\nversion AKIAIOSFODNN7EXAMPLF\n",
	})
	var answer audit.Drift
	w.Call(driftAudit(w), `{"scope":"versions","max":2}`, &answer)
	if answer.Count != 3 || len(answer.Drifts) != 2 || !answer.Truncated {
		t.Errorf("%+v", answer)
	}
	w.Call(driftAudit(w), `{"scope":"versions"}`, &answer)
	for _, d := range answer.Drifts {
		if strings.Contains(d.Found+d.Message, "AKIAIOSFODNN7EXAMPLF") {
			t.Errorf("a secret is shown: %+v", d)
		}
	}
}
