package propagate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/propagate"
)

func propagator(w *guardtest.World) *propagate.Propagator {
	return &propagate.Propagator{
		Audit: &drift.Audit{
			Workspace: w.Workspace,
			Builtins:  fact.Builtins{"mcp_tools": func() int { return 35 }},
			Now:       w.Now,
		},
		Writer: &edit.Writer{
			Workspace: w.Workspace,
			Gate:      w.Gate,
			Log:       w.Log,
			Now:       w.Now,
		},
	}
}

func run(w *guardtest.World, dry bool) propagate.Outcome {
	w.Helper()
	outcome, err := propagator(w).Run(w.Context(), "test", dry, propagate.All)
	if err != nil {
		w.Fatal(err)
	}
	return outcome
}

const versions = `version: 1
untouchable: ["sealed/**"]
protected: ["legal/**"]
versions:
  - name: app
    source: {file: package.json, pointer: /version}
    targets: [{files: ["**/*.txt", "**/*.html", "**/*.md"], pattern: 'version[:=] ?"?v?(\d+\.\d+\.\d+)'}]
`

// templates are files of each kind with a place for the version. Nothing else may change.
var templates = map[string]string{
	"a.txt":           "version: @\r\nother 1.0.0\r\n\tversion: @",
	"b.html":          "\xef\xbb\xbf<p data-x='version=\"@\"'>&amp; 1.0.0</p><!-- version: v@ -->\n\n",
	"deep/c d.md":     "---\nversion: \"@\" # 1.0.0\n---\n\n*  version: v@-beta\n",
	"ümlaut/\"q\".md": "version: @ und version: @\rold mac line",
	"-dash.txt":       "\x00binary\xff version: @ \xfe",
	"none.md":         "no place here, only 1.0.0",
}

// Only the captured bytes change, whatever stands around them.
func TestOnlyTheStatedBytesChange(t *testing.T) {
	files := map[string]string{
		"governance.yaml": versions,
		"package.json":    `{"version": "1.2.3"}`,
	}
	for name, text := range templates {
		files[name] = strings.ReplaceAll(text, "@", "1.0.0")
	}
	w := guardtest.New(t, files)
	before := map[string]os.FileMode{}
	for name := range templates {
		if err := os.Chmod(filepath.Join(w.Dir, name), 0o640); err != nil {
			t.Fatal(err)
		}
		before[name] = 0o640
	}

	outcome := run(w, false)
	if outcome.Entry == "" || outcome.Results[1].Status != edit.Updated {
		t.Errorf("%+v", outcome)
	}
	for name, text := range templates {
		if got, want := w.Read(name), strings.ReplaceAll(text, "@", "1.2.3"); got != want {
			t.Errorf("%s is\n%q, want\n%q", name, got, want)
		}
		info, err := os.Stat(filepath.Join(w.Dir, name))
		if err != nil || info.Mode().Perm() != before[name] {
			t.Errorf("%s has the mode %v (%v)", name, info.Mode(), err)
		}
	}

	again := run(w, false)
	if again.Entry != "" || len(again.Files) != 0 || again.Diff != "" || again.Results[1].Status != edit.Current {
		t.Errorf("the second run changes something: %+v", again)
	}
}

// Random texts around random places stay as they are.
func TestRandomTextsAroundThePlacesStay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\r\n", "\n", "\t", " ", "version", "1.0.0", "v", "é", "\xff", "\x00", "<b>", "&lt;", "\"", "'", "{", "}", "#", ":", "- ", "|"}
	for range 60 {
		var before, after strings.Builder
		for range random.IntN(60) {
			piece := pieces[random.IntN(len(pieces))]
			before.WriteString(piece)
			after.WriteString(piece)
			if random.IntN(8) == 0 {
				before.WriteString("\nversion: 0.9.1\n")
				after.WriteString("\nversion: 1.2.3\n")
			}
		}
		original := before.String()
		want := regexp.MustCompile(`(version[:=] ?"?v?)(\d+\.\d+\.\d+)`).ReplaceAllString(after.String(), "${1}1.2.3")

		w := guardtest.New(t, map[string]string{
			"governance.yaml": versions,
			"package.json":    `{"version": "1.2.3"}`,
			"x.txt":           original,
		})
		run(w, false)
		if got := w.Read("x.txt"); got != want {
			t.Fatalf("from %q\ngot  %q\nwant %q", original, got, want)
		}
	}
}

// A dry run shows a difference that git can apply, and writes nothing.
func TestADryRunWritesNothing(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": versions,
		"package.json":    `{"version": "1.2.3"}`,
		"a.md":            "one\nversion: 1.0.0\nthree",
	})
	outcome := run(w, true)
	if w.Read("a.md") != "one\nversion: 1.0.0\nthree" || outcome.Entry != "" {
		t.Errorf("the dry run wrote: %+v", outcome)
	}
	if outcome.Results[1].Status != edit.WouldUpdate {
		t.Errorf("%+v", outcome.Results)
	}
	want := "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n one\n-version: 1.0.0\n+version: 1.2.3\n three\n\\ No newline at end of file\n"
	if outcome.Diff != want {
		t.Errorf("the difference is\n%q, want\n%q", outcome.Diff, want)
	}
	if _, err := os.Stat(filepath.Join(w.Dir, ".governance", "backups")); err == nil {
		t.Error("the dry run made a backup")
	}
}

// What the guard forbids is reported and left alone; the rest is written, with a copy of
// what was there.
func TestGovernedFilesAreLeftAlone(t *testing.T) {
	stale := "version: 1.0.0\n"
	w := guardtest.New(t, map[string]string{
		"governance.yaml": versions,
		"package.json":    `{"version": "1.2.3"}`,
		"sealed/a.md":     stale,
		"legal/b.md":      stale,
		"free/c.md":       stale,
	})
	if err := os.Symlink("../sealed/a.md", filepath.Join(w.Dir, "free", "link.md")); err != nil {
		t.Fatal(err)
	}

	outcome := run(w, false)
	statuses := map[string]string{}
	for _, f := range outcome.Files {
		statuses[f.Path] = f.Status
		if f.Status == edit.Updated && w.Read(f.Backup) != stale {
			t.Errorf("the backup of %s is %q", f.Path, w.Read(f.Backup))
		}
	}
	if fmt.Sprint(statuses) != "map[free/c.md:updated legal/b.md:blocked sealed/a.md:blocked]" {
		t.Errorf("%v", statuses)
	}
	if w.Read("sealed/a.md") != stale || w.Read("legal/b.md") != stale || w.Read("free/c.md") != "version: 1.2.3\n" {
		t.Error("a governed file changed, or the free one did not")
	}
	if n := len(w.Recorded("PROPAGATE")); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
	if outcome.Results[1].Status != edit.Blocked {
		t.Errorf("%+v", outcome.Results[1])
	}
}

// A file that changes between plan and write is left alone.
func TestAFileThatChangesMeanwhileIsLeftAlone(t *testing.T) {
	w := guardtest.New(t, map[string]string{"a.txt": "other"})
	writer := propagator(w).Writer
	outcome, err := writer.Run(t.Context(), "test", "TEST", false, []edit.File{{
		Path:  "a.txt",
		Edits: []edit.Edit{{Start: 0, End: 5, Was: "1.0.0", Write: "1.2.3"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Files[0].Status != edit.Failed || w.Read("a.txt") != "other" || outcome.Entry != "" {
		t.Errorf("%+v, %q", outcome, w.Read("a.txt"))
	}
}

const members = `version: 1
roles_source: {file: team.yaml, list: /members}
members:
  targets:
    - {file: a.json, list: /members, id: id, fields: {role: role}, on_missing: add}
    - {file: b.yml, list: /members, id: id, fields: {role: role}, on_missing: add}
    - {file: c.html, format: text, contains: "{id}", on_missing: flag}
`

// Roles are written in the style of each file, and members are added at the end.
func TestRolesAndMembersReachEveryTarget(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": members,
		"team.yaml":       "members:\n  - {id: ann, role: 'lead: \"all\"'}\n  - {id: bob, role: cook}\n  - {id: eve, role: spy}\n",
		"a.json":          "{\r\n  // who\r\n  \"members\": [\r\n    {\"role\": \"lead\", \"id\": \"ann\", \"x\": 1},\r\n  ],\r\n}",
		"b.yml":           "members:\n- id: ann # first\n  role: lead\nrest: [1,  2]\n",
		"c.html":          "<p>ann</p>",
	})

	if r := run(w, false).Results[0]; r.Status != edit.Updated || len(r.Files) != 2 || r.Files[0].Edits[0].From != "lead" {
		t.Errorf("%+v", r)
	}
	outcome, err := propagator(w).Members(t.Context(), "test", false, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(outcome.Added) != 2 || len(outcome.Flags) != 1 || fmt.Sprint(outcome.Flags[0].Missing) != "[bob eve]" {
		t.Errorf("%+v", outcome)
	}

	wantJSON := "{\r\n  // who\r\n  \"members\": [\r\n    {\"role\": \"lead: \\\"all\\\"\", \"id\": \"ann\", \"x\": 1},\r\n    {\"role\": \"cook\", \"id\": \"bob\"},\r\n    {\"role\": \"spy\", \"id\": \"eve\"},\r\n  ],\r\n}"
	if got := w.Read("a.json"); got != wantJSON {
		t.Errorf("got\n%q, want\n%q", got, wantJSON)
	}
	wantYAML := "members:\n- id: ann # first\n  role: \"lead: \\\"all\\\"\"\n- id: bob\n  role: \"cook\"\n- id: eve\n  role: \"spy\"\nrest: [1,  2]\n"
	if got := w.Read("b.yml"); got != wantYAML {
		t.Errorf("got\n%q, want\n%q", got, wantYAML)
	}

	again, err := propagator(w).Members(t.Context(), "test", false, "")
	if err != nil || len(again.Added) != 0 || again.Entry != "" {
		t.Errorf("the second run changes something: %+v, %v", again, err)
	}
}
