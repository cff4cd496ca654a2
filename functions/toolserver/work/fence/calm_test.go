//go:build linux

package fence_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/preflight"
)

// judgeCommand makes the test program judge a command from inside of the fence.
const judgeCommand = "judge"

// judge says what the guard decides about a command in the present folder.
func judge(command string) int {
	gate, err := preflight.Open(".", "")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer gate.Workspace.Close()

	action := preflight.Action{Agent: "tester", Tool: "Bash", Dir: "."}
	report, _ := gate.CheckCommand(context.Background(), action, command) // behind the fence nothing is recorded
	fmt.Println("decision:", report.Decision)
	return 0
}

// decided is the decision about a command, inside of a fence or outside. What is done before is a
// text of the shell.
func decided(t *testing.T, folder, home, before, command string, fenced bool) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	line := before + " " + program + " " + judgeCommand + " " + quoted
	got := outcome{}
	if fenced {
		got = run(t, folder, home, line)
	} else {
		got.output = runOutside(t, folder, home, line)
	}
	_, decision, found := strings.Cut(got.output, "decision: ")
	if !found {
		t.Fatalf("%s: status %d: %s", command, got.status, got.output)
	}
	decision, _, _ = strings.Cut(decision, "\n")
	return decision
}

// runOutside runs a text of the shell without a fence.
func runOutside(t *testing.T, folder, home, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	return string(out)
}

// What hides its effect passes where the kernel holds the governed files that are there.
func TestTheGuardIsCalmBehindTheFence(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	for _, command := range []string{
		`python3 -c "$CODE"`, `rm $FILES`, `eval "$X"`, `cat list | xargs rm`, `ruby -e 'File.read("config/prod.yaml")'`,
		`python3 -c "import os; os.listdir('config/prod.yaml')" && bash -c "$Y"`, `some-tool --check config/prod.yaml`, `vim src/free.go`, `node build.js $X; $Z`,
	} {
		if got := decided(t, folder, home, "", command, true); got != "OK" {
			t.Errorf("%s: %s behind the fence", command, got)
		}
	}
}

// Names that do not exist yet, objects of git and other machines are beyond what the kernel holds, and
// what plainly changes a governed file is refused as before.
func TestTheGuardStillAsksForWhatTheKernelCannotHold(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	for _, command := range []string{
		`ruby -e 'File.write("new.lock", "")'`, `some-tool --out other.lock`, `git $WHAT`, `git push origin "$X" --receive-pack=x`, `ssh host "$X"`, `docker run -v $PWD:/w x`,
		`echo x > config/prod.yaml`, `rm -rf keys`, `ruby -e 'File.write(".git/refs/heads/main", "")'`, `python3 -c "open('.governance/approvals.db','w')"`, `echo x > new.lock`,
	} {
		if got := decided(t, folder, home, "", command, true); got != "BLOCKED" && got != "PROTECTED" {
			t.Errorf("%s: %s behind the fence", command, got)
		}
	}
}

// A variable of the environment makes no fence.
func TestAFenceThatIsOnlyClaimedDoesNotCount(t *testing.T) {
	folder, home := project(t)
	for _, claim := range []string{"", "GOVERNANCE_FENCED=1 ", "container=governance "} {
		if got := decided(t, folder, home, claim, `eval "$X"`, false); got != "PROTECTED" {
			t.Errorf("%s: %s without a fence", claim, got)
		}
	}
}

// A governed file that came after the fence is not held, so nothing counts as held.
func TestAGovernedFileThatCameLaterEndsTheCalm(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	if got := decided(t, folder, home, "touch later.lock;", `eval "$X"`, true); got != "PROTECTED" {
		t.Errorf("%s with a governed file that is not held", got)
	}
}
