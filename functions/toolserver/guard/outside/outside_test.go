package outside_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/inspect/snapshot"
)

const rules = `version: 1
untouchable: [keys/**]
protected: [config/app.yaml, config/new.yaml]
`

// project makes a workspace with a protected and an untouchable file.
func project(t *testing.T) outside.Project {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"governance.yaml": rules, "config/app.yaml": "a: 1\n", "keys/a.pem": "key\n", "free.txt": "free\n"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return outside.Project{Folder: folder, Snapshots: snapshot.BeforeCommand}
}

// approve does what an agent and a person do.
func approve(t *testing.T, p outside.Project, agent, operation, path string) {
	t.Helper()
	gate, err := preflight.Open(p.Folder, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	actions, err := gate.Actions(agent, operation, []string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := gate.Approvals.Request(t.Context(), actions[0].Action, actions[0].Policy, "a test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Approvals.Decide(t.Context(), asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}
}

func write(p outside.Project, content string, arguments ...string) broker.Answer {
	return p.Write(context.Background(), broker.Request{Kind: broker.Write, Arguments: arguments, Folder: p.Folder, Input: []byte(content)})
}

func text(t *testing.T, p outside.Project, name string) string {
	t.Helper()
	read, err := os.ReadFile(filepath.Join(p.Folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(read)
}

// An approval lets one agent write one file once; the file keeps its identity and permissions.
func TestAnApprovedFileIsWrittenOnce(t *testing.T) {
	p := project(t)
	path := filepath.Join(p.Folder, "config/app.yaml")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	approve(t, p, "codex", "edit", "config/app.yaml")

	if a := write(p, "a: 2\n", "-agent", "gemini", "config/app.yaml"); a.Status != 2 || text(t, p, "config/app.yaml") != "a: 1\n" {
		t.Errorf("for another agent: %d %s", a.Status, a.Errors)
	}
	if a := write(p, "", "-agent", "codex", "config/app.yaml"); a.Status != 0 || text(t, p, "config/app.yaml") != "" {
		t.Errorf("%d %s", a.Status, a.Errors)
	}
	if a := write(p, "a: 3\n", "-agent", "codex", "config/app.yaml"); a.Status != 2 || text(t, p, "config/app.yaml") != "" || !strings.Contains(string(a.Errors), "PROTECTED") {
		t.Errorf("a second time: %d %s", a.Status, a.Errors)
	}

	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || before.Mode() != after.Mode() {
		t.Errorf("it is another file: %v, %v", after, err)
	}
	if n := records(t, p, `"WRITTEN_OUTSIDE"`); n != 1 {
		t.Errorf("%d records of the change", n)
	}
}

// records counts the records in the spool that hold a text.
func records(t *testing.T, p outside.Project, part string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Folder, ".governance/spool/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if read, err := os.ReadFile(file); err == nil && strings.Contains(string(read), part) {
			n++
		}
	}
	return n
}

func TestAFileIsMadeWithTheApprovalOfThat(t *testing.T) {
	p := project(t)
	if a := write(p, "new\n", "config/new.yaml"); a.Status != 2 {
		t.Errorf("unapproved: %d %s", a.Status, a.Errors)
	}
	approve(t, p, "claude-code", "create", "config/new.yaml")
	if a := write(p, "new\n", "config/new.yaml"); a.Status != 0 || text(t, p, "config/new.yaml") != "new\n" {
		t.Errorf("%d %s", a.Status, a.Errors)
	}
}

// What is untouchable, elsewhere or no file is never written, whatever it is called.
func TestWhatCannotBeApprovedIsNotWritten(t *testing.T) {
	p := project(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for name, to := range map[string]string{"link": "keys/a.pem", "out": elsewhere, "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(p.Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(p.Folder, "keys/a.pem"), filepath.Join(p.Folder, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"keys/a.pem", "keys/new", "link", "hard", "out", "loop", "../x", elsewhere, "config", ".", "", "governance.yaml", ".governance/approvals.db", ".data/HALT", "a\x00b", ".git/hooks/pre-commit",
	} {
		if a := write(p, "spoiled", name); a.Status != 2 {
			t.Errorf("%q is written: %s", name, a.Output)
		}
	}
	if text(t, p, "keys/a.pem") != "key\n" || text(t, p, "governance.yaml") != rules {
		t.Error("a file was changed")
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a file was made elsewhere")
	}
	for _, arguments := range [][]string{{}, {"a", "b"}, {"-workspace", "/", "a"}, {"-x"}} {
		if a := write(p, "x", arguments...); a.Status != 2 || !strings.Contains(string(a.Errors), "usage") {
			t.Errorf("%q: %d %s", arguments, a.Status, a.Errors)
		}
	}
}

// A hook behind the fence is told how an approved change is made, and uses no approval up.
func TestAHookBehindTheFenceKeepsTheApproval(t *testing.T) {
	p := project(t)
	approve(t, p, "claude-code", "edit", "config/app.yaml")
	call := `{"cwd":"` + p.Folder + `","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"config/app.yaml","content":"x"}}`
	ask := func(arguments ...string) broker.Answer {
		return p.Handler()(t.Context(), broker.Request{Kind: broker.Hook, Arguments: arguments, Folder: p.Folder, Input: []byte(call)})
	}
	for range 2 {
		if a := ask("-agent", "claude-code"); !strings.Contains(string(a.Output), `"deny"`) || !strings.Contains(string(a.Output), "governance write") {
			t.Errorf("%d %s %s", a.Status, a.Output, a.Errors)
		}
	}
	if a := write(p, "a: 2\n", "config/app.yaml"); a.Status != 0 {
		t.Errorf("%d %s", a.Status, a.Errors)
	}

	other := t.TempDir() // is not asked, whatever the caller says
	if a := ask("-agent", "claude-code", "-workspace", other, "-data", other); !strings.Contains(string(a.Output), `"deny"`) {
		t.Errorf("%d %s %s", a.Status, a.Output, a.Errors)
	}
	if a := ask("-agent", "claude-code", "--"); a.Status != 2 {
		t.Errorf("%d %s %s", a.Status, a.Output, a.Errors)
	}
	if a := p.Handler()(t.Context(), broker.Request{Kind: "kill"}); a.Status != 2 {
		t.Errorf("%d %s", a.Status, a.Output)
	}
}

// A file that is written outside the fence is on the record as what agents do themselves.
func TestWhatIsWrittenOutsideHasAnIntentAndAnOutcome(t *testing.T) {
	p := project(t)
	approve(t, p, "claude-code", preflight.Edit, "config/app.yaml")
	if a := write(p, "a: 2\n", "config/app.yaml"); a.Status != 0 {
		t.Fatalf("%s", a.Errors)
	}

	gate, err := preflight.Open(p.Folder, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	reading, err := outcome.Journal{Workspace: gate.Workspace}.Read()
	if err != nil {
		t.Fatal(err)
	}
	pairs := outcome.Join(reading.Records, time.Now())
	if len(pairs) != 1 || pairs[0].State != outcome.Succeeded || len(pairs[0].Intent.Approvals) != 1 {
		t.Errorf("%+v", pairs)
	}
}
