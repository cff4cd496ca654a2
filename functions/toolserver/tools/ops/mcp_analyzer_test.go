package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/projectscan"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/ops"
)

func analyzer(w *guardtest.World) *tool.Tool {
	return ops.AnalyzeProject(ops.AnalyzerDeps{
		Workspace: w.Workspace,
		Writer: &edit.Writer{
			Workspace: w.Workspace,
			Gate:      w.Gate,
			Log:       w.Log,
			Now:       w.Now,
		},
		Now: w.Now,
	}, func(string) bool { return true })
}

func analyze(w *guardtest.World, arguments string) ops.Analysis {
	w.Helper()
	var answer ops.Analysis
	w.Call(analyzer(w), arguments, &answer)
	return answer
}

// exists reports whether a file of the project exists.
func exists(w *guardtest.World, name string) bool {
	_, err := os.Stat(filepath.Join(w.Dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

var aProject = map[string]string{
	"go.mod":    "module x\n",
	"a_test.go": "package x",
	"Makefile":  "test:\n\tgo test\n",
	".mcp.json": `{"mcpServers":{"web":{"command":"npx","args":["-y","some-server"]}}}`,
	"README.md": "# x\n",
}

func TestAnalyzeSaysWhatTheProjectIs(t *testing.T) {
	w := guardtest.New(t, aProject)
	answer := analyze(w, `{}`)
	if answer.Mode != "analyze" || answer.Type != "go" || !slices.Equal(answer.Languages, []string{"Go"}) || answer.HasConfig || !strings.Contains(answer.Suggested, "untouchable:") {
		t.Errorf("%+v", answer)
	}
	if len(answer.Servers) != 1 || answer.Servers[0].Path != ".mcp.json" || len(answer.Tools) < 5 || answer.Tools[0].Priority != "high" {
		t.Errorf("%+v %+v", answer.Servers, answer.Tools)
	}
	if exists(w, "CLAUDE.md") || answer.WrittenTo+answer.Diff+answer.Entry != "" {
		t.Error("something was written")
	}

	w.Write("governance.yaml", "protected: [go.mod]\n")
	answer = analyze(w, `{}`)
	if !answer.HasConfig || answer.Suggested != "" || !slices.Equal(answer.Details.Governance.Protected, []string{"go.mod"}) {
		t.Errorf("%+v", answer)
	}
}

func TestAnEmptyProjectIsUnknown(t *testing.T) {
	answer := analyze(guardtest.New(t, nil), `{}`)
	if answer.Type != "unknown" || len(answer.Languages)+len(answer.Frameworks)+len(answer.Servers) != 0 {
		t.Errorf("%+v", answer)
	}
}

func TestWriteMakesTheFileAndASecondRunNothing(t *testing.T) {
	for _, name := range projectscan.Guidance {
		w := guardtest.New(t, aProject)
		arguments := `{"mode":"write","output_path":"` + name + `"}`
		first := analyze(w, arguments)
		text := w.Read(name)
		if first.WrittenTo != name || first.Entry == "" || !strings.Contains(first.Diff, "+## Working") || !strings.HasPrefix(text, projectscan.Begin) || !strings.Contains(text, "`make test`") {
			t.Errorf("%s: %+v\n%s", name, first, text)
		}

		for _, again := range []string{arguments, strings.Replace(arguments, "write", "reload", 1)} {
			answer := analyze(w, again)
			if answer.WrittenTo+answer.Diff+answer.Entry != "" || w.Read(name) != text {
				t.Errorf("%s: %+v", again, answer)
			}
		}
		if n := len(w.Recorded("GUIDANCE_WRITTEN")); n != 1 {
			t.Errorf("%d entries", n)
		}
	}
}

func TestTextOutsideOfTheMarksStays(t *testing.T) {
	before := "\uFEFF# Mine\r\n\r\nBy hand \xff.\r\n\r\n" + projectscan.Begin
	after := projectscan.End + "\r\n\r\nMore by hand, no end"
	w := guardtest.New(t, map[string]string{"go.mod": "module x\n", "CLAUDE.md": before + "old" + after})
	answer := analyze(w, `{"mode":"reload"}`)
	text := w.Read("CLAUDE.md")
	if answer.WrittenTo == "" || !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || strings.Contains(text, "old") || !strings.Contains(text, "- Type: go\r\n") {
		t.Errorf("%+v\n%q", answer, text)
	}

	w.Time = w.Time.Add(time.Second)
	w.Write("x.py", "")
	if answer := analyze(w, `{"mode":"reload"}`); answer.WrittenTo == "" || !strings.Contains(answer.Diff, "Python") {
		t.Errorf("%+v", answer)
	}
	text = w.Read("CLAUDE.md")
	if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		t.Errorf("%q", text)
	}

	kept := false
	_ = filepath.WalkDir(filepath.Join(w.Dir, ".governance/backups"), func(name string, _ fs.DirEntry, _ error) error {
		if text, err := os.ReadFile(name); err == nil && string(text) == before+"old"+after {
			kept = true
		}
		return nil
	})
	if !kept {
		t.Error("there is no backup")
	}
}

func TestGuidanceThatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		files     map[string]string
		arguments string
		code      string
	}{
		"a begin alone":     {map[string]string{"CLAUDE.md": "a" + projectscan.Begin}, `{"mode":"write"}`, "conflict"},
		"an end alone":      {map[string]string{"CLAUDE.md": projectscan.End}, `{"mode":"reload"}`, "conflict"},
		"two sections":      {map[string]string{"CLAUDE.md": strings.Repeat(projectscan.Begin+projectscan.End, 2)}, `{"mode":"write"}`, "conflict"},
		"UTF-16":            {map[string]string{"CLAUDE.md": "\xff\xfea\x00"}, `{"mode":"write"}`, "conflict"},
		"reload, no file":   {nil, `{"mode":"reload"}`, "not_found"},
		"reload, no marks":  {map[string]string{"CLAUDE.md": "mine"}, `{"mode":"reload"}`, "not_found"},
		"untouchable":       {map[string]string{"CLAUDE.md": "mine", "governance.yaml": "untouchable: [\"*.md\"]\n"}, `{"mode":"write"}`, "approval_required"},
		"protected":         {map[string]string{"CLAUDE.md": "mine", "governance.yaml": "protected: [CLAUDE.md]\n"}, `{"mode":"write"}`, "approval_required"},
		"protected, new":    {map[string]string{"governance.yaml": "protected: [\".github/**\"]\n"}, `{"mode":"write","output_path":".github/copilot-instructions.md"}`, "approval_required"},
		"a folder":          {map[string]string{"CLAUDE.md/x": ""}, `{"mode":"write"}`, "not_regular_file"},
		"another name":      {nil, `{"mode":"write","output_path":"README.md"}`, "invalid_argument"},
		"outside":           {nil, `{"mode":"write","output_path":"../CLAUDE.md"}`, "invalid_argument"},
		"another mode":      {nil, `{"mode":"delete"}`, "invalid_argument"},
		"a broken settings": {map[string]string{"governance.yaml": "x: ["}, `{}`, "not_configured"},
	} {
		w := guardtest.New(t, c.files)
		e := w.Refused(analyzer(w), c.arguments)
		if e.Code != c.code || strings.Contains(e.Message+e.Hint, w.Dir) {
			t.Errorf("%s: %v", name, e)
		}
		for file, text := range c.files {
			if strings.HasSuffix(file, ".md") && w.Read(file) != text {
				t.Errorf("%s: %s changed", name, file)
			}
		}
		if len(w.Recorded("GUIDANCE_WRITTEN")) != 0 || len(c.files) == 0 && exists(w, "CLAUDE.md") {
			t.Errorf("%s: something was written", name)
		}
	}
}

// D8: the tool writes no file that a caller names, also not through a link.
func TestD8AGuidanceFileThatLeadsOutIsNotWritten(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := guardtest.New(t, nil)
	if err := os.Symlink(outside, filepath.Join(w.Dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if e := w.Refused(analyzer(w), `{"mode":"write"}`); e.Code != "path_outside_workspace" {
		t.Errorf("%v", e)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}

// A link to another guidance file is followed, and stays a link.
func TestALinkedGuidanceFileIsWritten(t *testing.T) {
	w := guardtest.New(t, map[string]string{"AGENTS.md": "mine\n"})
	if err := os.Symlink("AGENTS.md", filepath.Join(w.Dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	analyze(w, `{"mode":"write"}`)
	info, err := os.Lstat(filepath.Join(w.Dir, "CLAUDE.md"))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.HasPrefix(w.Read("AGENTS.md"), "mine\n\n"+projectscan.Begin) {
		t.Errorf("%v %q", err, w.Read("AGENTS.md"))
	}
}

func TestTheWorkspaceFileLocksTheWriterToAPreview(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "propagation: {mode: preview}\n"})
	answer := analyze(w, `{"mode":"write"}`)
	if answer.ForcedBy != "config" || answer.WrittenTo != "" || !strings.Contains(answer.Diff, "+"+projectscan.Begin) || exists(w, "CLAUDE.md") {
		t.Errorf("%+v", answer)
	}
}

func TestAnApprovalIsForOneWriting(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "protected: [CLAUDE.md]\n", "CLAUDE.md": "mine\n"})
	actions, err := w.Gate.Actions("mcp_analyzer", "edit", []string{"CLAUDE.md"}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := w.Approvals.Request(t.Context(), actions[0].Action, actions[0].Policy, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Approvals.Decide(t.Context(), asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}

	if answer := analyze(w, `{"mode":"write"}`); answer.WrittenTo != "CLAUDE.md" {
		t.Errorf("%+v", answer)
	}
	w.Write("x.py", "")
	if e := w.Refused(analyzer(w), `{"mode":"write"}`); e.Code != "approval_required" {
		t.Errorf("%v", e)
	}
}

func TestManyWriteAtTheSameTime(t *testing.T) {
	w := guardtest.New(t, aProject)
	made := analyzer(w)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			result := made.Run(context.Background(), &tool.Call{Arguments: json.RawMessage(`{"mode":"write"}`)})
			if result.IsError {
				t.Errorf("%v", result.Err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(w.Read("CLAUDE.md"), projectscan.Begin); n != 1 || len(w.Recorded("GUIDANCE_WRITTEN")) != 1 {
		t.Errorf("%d sections, %d entries", n, len(w.Recorded("GUIDANCE_WRITTEN")))
	}
}

// The audit of drift finds nothing wrong with the guidance of a project without any other
// file of a session.
func TestTheGuidanceIsNoDrift(t *testing.T) {
	w := guardtest.New(t, aProject)
	w.Write("package.json", `{"scripts":{"build":"tsc"}}`)
	w.Write(".github/workflows/check.yml", "")
	analyze(w, `{"mode":"write"}`)

	audit := drift.Audit{
		Workspace: w.Workspace,
		Builtins:  fact.Builtins{},
		Now:       w.Now,
	}
	report, err := audit.Run(t.Context(), drift.Files, nil)
	if err != nil || report.Checked == 0 || len(report.Drifts) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}
