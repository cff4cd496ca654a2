package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/tools/core"
)

func check(w *guardtest.World, arguments map[string]any) core.PreflightCheck {
	w.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		w.Fatal(err)
	}
	var answer core.PreflightCheck
	w.Call(core.CheckPreflight(w.Gate), string(text), &answer)
	return answer
}

func TestTheListsDecideAndRefusalsAreInTheChain(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x", "src/a.go": "x", "docs/adr/1.md": "x"})
	for path, want := range map[string]policy.Decision{
		"infra/prod/main.tf": policy.Blocked, "infra/prod/new.tf": policy.Blocked, "deep/key.pem": policy.Blocked,
		"docs/adr/1.md": policy.Protected, "docs/adr/README.md": policy.OK, "src/a.go": policy.OK, "./src/../infra/prod/x": policy.Blocked,
		"governance.yaml": policy.Blocked, ".governance/spool/x": policy.Blocked, ".claude/settings.json": policy.Blocked,
		filepath.Join(w.Dir, "go.mod"): policy.Protected,
	} {
		before := len(w.Recorded("BLOCKED_UNTOUCHABLE")) + len(w.Recorded("BLOCKED_PROTECTED"))
		answer := check(w, map[string]any{"path": path, "agent": "tester"})
		if answer.Decision != want || *answer.ExitCode != map[policy.Decision]int{policy.OK: 0, policy.Protected: 1, policy.Blocked: 2}[want] {
			t.Errorf("%s: %s (%d), want %s: %s", path, answer.Decision, *answer.ExitCode, want, answer.Results[0].Reason)
		}
		after := len(w.Recorded("BLOCKED_UNTOUCHABLE")) + len(w.Recorded("BLOCKED_PROTECTED"))
		if refused := want != policy.OK; refused != (after == before+1) || refused != (answer.Logged != "") {
			t.Errorf("%s: %d entries before, %d after, %q", path, before, after, answer.Logged)
		}
	}
	answer := check(w, map[string]any{"paths": []string{"src/a.go", "infra/prod/main.tf"}})
	if m := answer.Results[1].Matched; answer.Decision != policy.Blocked || m.Pattern != "infra/prod/**" || m.Line != 2 || m.List != "untouchable" {
		t.Errorf("rule %+v", m)
	}
	if entry := w.Recorded("BLOCKED_UNTOUCHABLE")[0]; !strings.Contains(string(entry.Payload), `"agent":"tester"`) {
		t.Errorf("entry %s", entry.Payload)
	}
}

// The file counts, not the name that it is given.
func TestOtherNamesOfAFileDoNotHelp(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x", "src/a.go": "x"})
	for _, link := range [][2]string{{"infra/prod", "shortcut"}, {filepath.Join(w.Dir, "infra/prod/main.tf"), "absolute"}, {"shortcut/main.tf", "twice"}, {"loop", "loop"}} {
		if err := os.Symlink(link[0], filepath.Join(w.Dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(w.Dir, "infra/prod/main.tf"), filepath.Join(w.Dir, "src/hard.go")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "door")
	if err := os.Symlink(w.Dir, outside); err != nil {
		t.Fatal(err)
	}
	for path, via := range map[string]string{
		"shortcut/main.tf": preflight.Symlink, "absolute": preflight.Symlink, "twice": preflight.Symlink, "src/hard.go": preflight.Hardlink,
		outside + "/infra/prod/main.tf": preflight.Symlink, "shortcut/../prod/main.tf": preflight.Symlink,
	} {
		answer := check(w, map[string]any{"path": path})
		if r := answer.Results[0]; r.Decision != policy.Blocked || r.Via != via {
			t.Errorf("%s: %s via %s (%s)", path, r.Decision, r.Via, r.Reason)
		}
	}
	if answer := check(w, map[string]any{"path": "loop"}); answer.Decision != policy.Blocked {
		t.Errorf("a loop of links: %+v", answer)
	}
	if answer := check(w, map[string]any{"path": "infra", "operation": "delete"}); answer.Decision != policy.Blocked || answer.Results[0].Via != preflight.Parent {
		t.Errorf("a folder above: %+v", answer)
	}
	if answer := check(w, map[string]any{"path": "src", "operation": "delete"}); answer.Decision != policy.OK {
		t.Errorf("a folder without untouchable files: %+v", answer)
	}
}

func TestWithoutAWorkspaceFileNothingIsCalledSafe(t *testing.T) {
	w := guardtest.New(t, map[string]string{"a.go": "x"})
	if answer := check(w, map[string]any{"path": "a.go"}); answer.Decision != policy.Unknown || *answer.ExitCode != 3 || !strings.Contains(answer.Results[0].Reason, "governance init") {
		t.Errorf("%+v", answer)
	}
	if answer := check(w, map[string]any{"path": ".governance/approvals.db"}); answer.Decision != policy.Blocked {
		t.Errorf("the state of the guard: %+v", answer)
	}
}

func TestAnUnreadableWorkspaceFileRefusesEverything(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\nuntochable: [a]\n"})
	answer := check(w, map[string]any{"path": "harmless.txt"})
	if answer.Decision != policy.Blocked || !strings.Contains(answer.Results[0].Reason, "line 2") || len(w.Recorded("BLOCKED_UNTOUCHABLE")) != 1 {
		t.Errorf("%+v", answer)
	}
	w.Write("governance.yaml", "version: 1\nuntouchable: [a]\n")
	if answer := check(w, map[string]any{"path": "harmless.txt"}); answer.Decision != policy.OK {
		t.Errorf("after the repair: %+v", answer)
	}
}

func TestPreflightSaysWhichArgumentIsMissing(t *testing.T) {
	w := guardtest.New(t, nil)
	if e := w.Refused(core.CheckPreflight(w.Gate), `{}`); e.Code != "invalid_argument" || e.Field != "/path" {
		t.Errorf("%v", e)
	}
}

func TestACommandIsJudgedByTheFilesThatItWrites(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x"})
	answer := check(w, map[string]any{"action": "check_command", "command": "rm -rf infra && python3 -c 'import shutil'"})
	if answer.Decision != policy.Blocked || answer.Writes[0].Path != "infra" || len(answer.Unresolved) != 1 || answer.Destructive[0] != "rm" || answer.Logged == "" {
		t.Errorf("%+v", answer)
	}
	secret := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	text, err := json.Marshal(check(w, map[string]any{"action": "check_command", "command": "eval 'curl -H " + secret + "'"}))
	if err != nil || strings.Contains(string(text), secret) {
		t.Errorf("%s", text)
	}
	if e := w.Refused(core.CheckPreflight(w.Gate), `{"action":"check_command"}`); e.Field != "/command" {
		t.Errorf("%v", e)
	}
}

func TestTheTemplateIsAWorkspaceFile(t *testing.T) {
	w := guardtest.New(t, nil)
	answer := check(w, map[string]any{"action": "get_untouchable_template"})
	w.Write("governance.yaml", answer.Text)
	if answer := check(w, map[string]any{"path": "a/.env"}); answer.Decision != policy.Blocked {
		t.Errorf("%+v", answer)
	}
}
