package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
)

const documented = `version: 1
protected: ["docs/legal.md"]
versions: [{name: app, source: {file: VERSION}, targets: [{files: ["docs/*.md"], pattern: 'version (\S+)'}]}]
processes: {expected: [{name: api, ports: [8080]}, {name: worker}]}
docs: [{path: docs/OPS.md, check: [ports, processes]}, {path: docs/legal.md}]
`

func manual(t *testing.T) *guardtest.World {
	return guardtest.New(t, map[string]string{
		"governance.yaml": documented,
		"VERSION":         "2.0.0\n",
		"docs/OPS.md":     "\xef\xbb\xbf# version 1.0.0\r\n\r\nThree processes run: `api` on port 8081 and `worker`.\r\nOur database is at localhost:5432, e.g. port 9999.",
		"docs/legal.md":   "version 1.0.0\n",
		"docs/other.md":   "version 2.0.0\n",
	})
}

func TestDocumentsAreCorrectedWhereOneSourceSaysWhatIsRight(t *testing.T) {
	w := manual(t)
	before := w.Read("docs/OPS.md")
	var answer ops.DocFix
	w.Call(ops.FixDocDrift(propagation(w)), `{}`, &answer)
	if !answer.DryRun || answer.Status != "drift" || len(answer.Edits) != 4 || w.Read("docs/OPS.md") != before {
		t.Errorf("%+v", answer)
	}

	w.Call(ops.FixDocDrift(propagation(w)), `{"dry_run":false}`, &answer)
	var edits []string
	for _, e := range answer.Edits {
		edits = append(edits, fmt.Sprintf("%s:%d %s %s->%s %v", e.File, e.Line, e.Type, e.From, e.To, e.Applied))
	}
	want := "docs/OPS.md:1 version 1.0.0->2.0.0 true, docs/legal.md:1 version 1.0.0->2.0.0 false, docs/OPS.md:3 port 8081->8080 true, docs/OPS.md:3 process Three->Two true"
	if got := strings.Join(edits, ", "); got != want || answer.Status != "partial" || answer.Entry == "" {
		t.Errorf("%s\n%+v", got, answer)
	}
	after := "\xef\xbb\xbf# version 2.0.0\r\n\r\nTwo processes run: `api` on port 8080 and `worker`.\r\nOur database is at localhost:5432, e.g. port 9999."
	if got := w.Read("docs/OPS.md"); got != after {
		t.Errorf("got  %q\nwant %q", got, after)
	}

	answer = ops.DocFix{}
	w.Call(ops.FixDocDrift(propagation(w)), `{"dry_run":false,"docs":["docs/OPS.md"]}`, &answer)
	if answer.Status != "current" || answer.Entry != "" || len(answer.Edits) != 0 {
		t.Errorf("the second run: %+v", answer)
	}
}

// Two sources that contradict each other are no reason to write anything.
func TestWhatTwoSourcesClaimIsLeftToAPerson(t *testing.T) {
	w := manual(t)
	w.Write("governance.yaml", strings.Replace(documented, "versions: [", "versions: [{name: other, source: {file: OTHER}, targets: [{files: [docs/other.md], pattern: 'version (\\S+)'}]}, ", 1))
	w.Write("OTHER", "3.0.0\n")
	var answer ops.DocFix
	w.Call(ops.FixDocDrift(propagation(w)), `{"dry_run":false,"docs":["docs/other.md"]}`, &answer)
	if len(answer.Unfixable) != 2 || len(answer.Edits) != 0 || w.Read("docs/other.md") != "version 2.0.0\n" {
		t.Errorf("%+v", answer)
	}
}

func TestBadInputOfFixDocDrift(t *testing.T) {
	w := manual(t)
	for _, c := range []struct{ arguments, code string }{
		{`{"docs":["nowhere.md"]}`, "not_found"},
		{`{"docs":["../x.md"]}`, "path_outside_workspace"},
		{`{"docs":"docs/OPS.md"}`, "invalid_argument"},
		{`{"dry_run":1}`, "invalid_argument"},
	} {
		if e := w.Refused(ops.FixDocDrift(propagation(w)), c.arguments); e.Code != c.code {
			t.Errorf("%s: %+v", c.arguments, e)
		}
	}

	w.Write("governance.yaml", "version: 1\n")
	var answer ops.DocFix
	w.Call(ops.FixDocDrift(propagation(w)), `{}`, &answer)
	if answer.Status != "not_checked" || answer.Note == "" {
		t.Errorf("%+v", answer)
	}
}
