package ops_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/tools/ops"
)

func propagation(w *guardtest.World) ops.PropagateDeps {
	return ops.PropagateDeps{
		Propagator: &propagate.Propagator{
			Audit: &drift.Audit{
				Workspace: w.Workspace,
				Now:       w.Now,
			},
			Writer: &edit.Writer{
				Workspace: w.Workspace,
				Gate:      w.Gate,
				Log:       w.Log,
				Now:       w.Now,
			},
		},
		Workspace: w.Workspace,
		Now:       w.Now,
	}
}

const propagated = `version: 1
protected: ["legal.md"]
versions: [{name: app, source: {file: package.json, pointer: /version}, targets: [{files: [README.md, legal.md], pattern: 'Version (\d+\.\d+\.\d+)'}]}]
counts: [{name: agents, source: {glob: "agents/*.md"}, targets: [{files: [web/index.html], pattern: '(\d+) agents'}]}]
`

func factory(t *testing.T, governance string) *guardtest.World {
	return guardtest.New(t, map[string]string{
		"governance.yaml": governance,
		"package.json":    `{"version": "2.0.0"}`,
		"README.md":       "Version 1.0.0\n",
		"legal.md":        "Version 1.0.0\n",
		"agents/a.md":     "a",
		"agents/b.md":     "b",
		"web/index.html":  "<b>1 agents</b> and 7 secret agents; 12 others\n",
	})
}

func TestFactsReachTheirTargets(t *testing.T) {
	w := factory(t, propagated)
	var answer ops.Propagation
	w.Call(ops.AutoPropagate(propagation(w)), `{}`, &answer)
	if answer.Mode != "apply" || answer.Run != 3 || answer.ChangedFiles != 2 || answer.Entry == "" {
		t.Errorf("%+v", answer)
	}

	statuses := map[string]string{}
	for _, r := range answer.Results {
		statuses[r.Propagator] = r.Status
	}
	if statuses["role"] != "current" || answer.Results[0].Configured || statuses["version"] != "blocked" || statuses["content"] != "updated" {
		t.Errorf("%v", statuses)
	}
	if w.Read("legal.md") != "Version 1.0.0\n" || w.Read("README.md") != "Version 2.0.0\n" {
		t.Errorf("%q %q", w.Read("legal.md"), w.Read("README.md"))
	}
	if got := w.Read("web/index.html"); got != "<b>2 agents</b> and 7 secret agents; 12 others\n" {
		t.Errorf("D16: another number changed: %q", got)
	}
}

// D16: a pattern says which number is meant; no other number of the page is touched.
func TestNoBareNumberIsRewritten(t *testing.T) {
	w := factory(t, propagated)
	w.Write("web/other.html", "5 agents\n")
	var answer ops.Propagation
	w.Call(ops.AutoPropagate(propagation(w)), `{}`, &answer)
	if w.Read("web/other.html") != "5 agents\n" {
		t.Error("a page that is no target changed")
	}
}

func TestAPreviewIsForcedByTheWorkspaceFile(t *testing.T) {
	w := factory(t, propagated+"propagation: {mode: preview}\n")
	var answer ops.Propagation
	w.Call(ops.AutoPropagate(propagation(w)), `{"dry_run":false}`, &answer)
	if answer.Mode != "preview" || answer.ForcedBy != "config" || answer.Entry != "" || w.Read("README.md") != "Version 1.0.0\n" {
		t.Errorf("%+v", answer)
	}
	if !strings.Contains(answer.Diff, "+Version 2.0.0") {
		t.Errorf("the difference is missing: %q", answer.Diff)
	}
}

func TestOnlySomePropagatorsRun(t *testing.T) {
	w := factory(t, propagated)
	var answer ops.Propagation
	w.Call(ops.AutoPropagate(propagation(w)), `{"only":["content"]}`, &answer)
	if answer.Run != 1 || w.Read("README.md") != "Version 1.0.0\n" {
		t.Errorf("%+v", answer)
	}
	for _, arguments := range []string{`{"only":["all"]}`, `{"only":"role"}`, `{"dry_run":"yes"}`} {
		if e := w.Refused(ops.AutoPropagate(propagation(w)), arguments); e.Code != "invalid_argument" {
			t.Errorf("%s: %+v", arguments, e)
		}
	}
}
