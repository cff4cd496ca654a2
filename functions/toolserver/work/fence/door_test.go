//go:build linux

package fence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/preflight"
)

// The state of the service is closed, and a hook behind the fence still decides and records.
func TestTheStateIsClosedAndHooksAreAnswered(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	state := filepath.Join(folder, ".governance")
	write(t, filepath.Join(state, "approvals.db"), "a book")
	call := `{"cwd":"` + folder + `","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"keys/a.pem","content":"x"}}`

	got := run(t, folder, home, `cat .governance/approvals.db; rm -rf .governance; mv .governance x; echo x > .governance/forged; rm -rf /tmp/governance-broker-*
		ls -A .governance; echo '`+call+`' | `+ourselves(t)+` hook -agent claude-code -workspace "$PWD"`)
	if strings.Contains(got.output, "a book") || !strings.Contains(got.output, "\nbroker\n") || !strings.Contains(got.output, `"deny"`) {
		t.Errorf("%s", got.output)
	}
	if kept, err := os.ReadFile(filepath.Join(state, "approvals.db")); string(kept) != "a book" {
		t.Errorf("%q %v", kept, err)
	}
	if list, err := filepath.Glob(filepath.Join(state, "spool/*")); err != nil || len(list) != 1 {
		t.Errorf("recorded: %v %v", list, err)
	}
}

// The process outside knows which fence stands around the hook that asks it: what hides its effect
// passes behind a fence, and goes to a person elsewhere.
func TestHooksAreCalmBehindTheFence(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	call := `{"cwd":"` + folder + `","session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"eval \"$X\""}}`
	ask := `echo '` + call + `' | ` + ourselves(t) + ` hook -agent claude-code -workspace "$PWD"; echo "status $?"`
	if got := run(t, folder, home, ask); strings.Contains(got.output, "permissionDecision") || !strings.Contains(got.output, "status 0") {
		t.Errorf("behind the fence: %s", got.output)
	}
	if got := runOutside(t, folder, home, ask); !strings.Contains(got, "permissionDecision") {
		t.Errorf("outside: %s", got)
	}
}

// ourselves is this test program, which a command behind the fence starts.
func ourselves(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A protected file is read-only behind the fence, and written from outside once a person approved.
func TestAnApprovedFileIsWrittenFromOutside(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	command := `echo "package approved" | ` + ourselves(t) + ` write -agent codex src/core.go; echo "status $?"; cat src/core.go; echo x >> src/core.go`
	if got := run(t, folder, home, command); !strings.Contains(got.output, "status 2") || len(changed(folder)) > 0 {
		t.Errorf("unapproved: %s", got.output)
	}

	approve(t, folder, "codex", "src/core.go")
	got := run(t, folder, home, command)
	text, err := os.ReadFile(filepath.Join(folder, "src/core.go"))
	if string(text) != "package approved\n" || !strings.Contains(got.output, "status 0\npackage approved\n") {
		t.Errorf("%q %v: %s", text, err, got.output)
	}
}

func approve(t *testing.T, folder, agent, path string) {
	t.Helper()
	gate, err := preflight.Open(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	actions, err := gate.Actions(agent, preflight.Edit, []string{path}, "")
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

// Governed names that were not there before are told and recorded when the program has ended.
func TestNewGovernedNamesAreTold(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, folder, home, `echo x > new.lock; echo x > free.txt; mkdir -p ~/.claude .data; echo {} > ~/.claude/settings.json; mkdir -p sub && echo y > sub/new.lock`)
	if !strings.Contains(got.output, "1 patterns match names that are not there yet") || !strings.Contains(got.output, "was made: new.lock") || !strings.Contains(got.output, ".claude/settings.json") || !strings.Contains(got.output, "/.data\n") || strings.Contains(got.output, "free.txt") {
		t.Errorf("%s", got.output)
	}
	if list, err := filepath.Glob(filepath.Join(folder, ".governance/spool/*")); err != nil || len(list) != 3 {
		t.Errorf("recorded: %v %v", list, err)
	}
}

// A state that is a link leads elsewhere when the link is replaced, so no fence stands around it.
func TestAStateThatIsALinkIsRefused(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(folder, ".governance")); err != nil {
		t.Fatal(err)
	}
	if got := run(t, folder, home, "echo ran"); got.status != 125 || !strings.Contains(got.output, "is no folder") || strings.Contains(got.output, "\nran") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}

// From a folder further in the whole project is held.
func TestAProgramStartsInAFolderOfTheProject(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, filepath.Join(folder, "src"), home, `pwd; echo x > ../config/prod.yaml; echo x > core.go; echo y > free.go`)
	if list := changed(folder); len(list) > 0 || !strings.Contains(got.output, "/src\n") {
		t.Errorf("changed %v: %s", list, got.output)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "src/free.go")); string(text) != "y\n" {
		t.Errorf("%q %v", text, err)
	}
}
