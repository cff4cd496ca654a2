package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// noSnapshots is for projects that do not ask for snapshots.
func noSnapshots(*workspace.Workspace, *violations.Log) func(context.Context) (string, error) {
	return nil
}

// called answers a call of Claude Code as the installed program does, in a project.
func called(t *testing.T, project, dir, tool string, input map[string]any) (string, string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"cwd": dir, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	status := hook.Main(context.Background(), noSnapshots, []string{"-workspace", project}, strings.NewReader(string(text)), &out, &errs)
	answer := hook.Answer{Stdout: out.String(), Stderr: errs.String(), Status: status}
	return decision(t, answer), out.String() + errs.String()
}

func writing(file string) map[string]any    { return map[string]any{"file_path": file, "content": "x"} }
func running(command string) map[string]any { return map[string]any{"command": command} }

// A project with an installed hook whose rules are gone or cannot be read refuses writes, and
// says why and what to do.
func TestWithoutReadableRulesNothingIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
	}{
		"no rules":     {nil, []string{"governance.yaml", "governance init"}},
		"broken rules": {map[string]string{"governance.yaml": "version: 1\nuntochable: [a]\n"}, []string{"governance.yaml", "line 2", "person"}},
		"no YAML":      {map[string]string{"governance.yaml": "\x00"}, []string{"governance.yaml", "person"}},
		"older, gone":  {map[string]string{"nervous-system.config.json": `{"protected_files_list":"/nowhere"}`}, []string{"person"}},
	} {
		w := guardtest.New(t, c.files)
		for _, call := range []struct {
			tool  string
			input map[string]any
		}{
			{"Write", writing(w.Dir + "/src/a.go")},
			{"Edit", writing("src/a.go")},
			{"Bash", running("echo x > src/a.go")},
			{"Bash", running("rm -rf src")},
			{"Bash", running("ruby -e 'x'")},
			{"Bash", running("someprogram src/a.go")},
			{"mcp__filesystem__write_file", map[string]any{"path": "src/a.go"}},
		} {
			got, said := called(t, w.Dir, w.Dir, call.tool, call.input)
			if got != "deny" {
				t.Errorf("%s: %s %v: %q", name, call.tool, call.input, said)
			}
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("%s: %s: %q says nothing of %q", name, call.tool, said, want)
				}
			}
		}
		for _, command := range []string{"ls -la", "git status", "cat governance.yaml"} {
			if got, said := called(t, w.Dir, w.Dir, "Bash", running(command)); got != "" {
				t.Errorf("%s: %s: %s", name, command, said)
			}
		}
		if got, said := called(t, w.Dir, w.Dir, "Read", map[string]any{"file_path": "a"}); got != "" {
			t.Errorf("%s: reading: %s", name, said)
		}
	}
}

// checkouts are a governed project and a second checkout of its repository, as git worktree
// add makes it.
func checkouts(t *testing.T) (project *guardtest.World, second string) {
	t.Helper()
	w := guardtest.New(t, map[string]string{
		"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x", "src/a.go": "x",
		".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": "", ".git/config": "",
		".git/worktrees/second/commondir": "../..\n", ".git/worktrees/second/HEAD": "ref: refs/heads/other\n",
	})
	second = t.TempDir()
	for name, text := range map[string]string{".git": "gitdir: " + w.Dir + "/.git/worktrees/second\n", "infra/prod/main.tf": "x", "src/a.go": "x"} {
		full := filepath.Join(second, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w, second
}

// approve has a person approve an edit of a file, by its absolute name. The hook uses the clock
// of the machine.
func approve(t *testing.T, w *guardtest.World, file string) {
	t.Helper()
	gate, err := preflight.Open(w.Dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	actions, err := gate.Actions("claude-code", preflight.Edit, []string{file}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := gate.Approvals.Request(t.Context(), actions[0].Action, actions[0].Policy, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Approvals.Decide(t.Context(), asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}
}

// Another checkout of a governed repository is governed by the same rules.
func TestAWorktreeIsGoverned(t *testing.T) {
	w, second := checkouts(t)
	inner := filepath.Join(w.Dir, ".claude/worktrees/inner")
	if err := os.MkdirAll(filepath.Join(inner, "infra/prod"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, ".git"), []byte("gitdir: ../../../.git/worktrees/second\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, checkout := range []string{second, inner} {
		for _, file := range []string{"infra/prod/main.tf", "infra/prod/new.tf", "governance.yaml", ".git", ".claude/settings.json", w.Dir + "/.git/worktrees/second/config.worktree", w.Dir + "/infra/prod/main.tf"} {
			if got, said := called(t, w.Dir, checkout, "Write", writing(file)); got != "deny" {
				t.Errorf("%s: %q %s", file, got, said)
			}
			if got, said := called(t, w.Dir, checkout, "Bash", running("echo x > "+file)); got != "deny" {
				t.Errorf("echo x > %s: %q %s", file, got, said)
			}
		}
		protected := filepath.Join(checkout, "go.mod")
		if got, said := called(t, w.Dir, checkout, "Write", writing(protected)); got != "deny" || !strings.Contains(said, "another checkout: go.mod") {
			t.Errorf("%q %s", got, said)
		}
		approve(t, w, protected)
		if got, said := called(t, w.Dir, checkout, "Write", writing("go.mod")); got != "" {
			t.Errorf("approved: %q %s", got, said)
		}
		if got, said := called(t, w.Dir, w.Dir, "Write", writing("go.mod")); got != "deny" {
			t.Errorf("the approval was good for another file: %q %s", got, said)
		}
		if got, said := called(t, w.Dir, checkout, "Bash", running("rm -rf infra")); got != "deny" {
			t.Errorf("rm -rf infra: %q %s", got, said)
		}
		if got, said := called(t, w.Dir, checkout, "Write", writing("src/a.go")); got != "" {
			t.Errorf("%q %s", got, said)
		}
	}
}

// A hook without a project argument finds the project of the checkout.
func TestAHookInAWorktreeFindsTheRules(t *testing.T) {
	w, second := checkouts(t)
	t.Chdir(filepath.Join(second, "src"))
	if got := preflight.Governed(); got != w.Dir {
		t.Errorf("%s, want %s", got, w.Dir)
	}
}

// The hook program and the settings that call it are protected in every location.
func TestTheGuardItselfIsUntouchable(t *testing.T) {
	w := governed(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for _, file := range []string{
		program, filepath.Join(filepath.Dir(program), "local-hook"), filepath.Join(filepath.Dir(program), "governance-hook"),
		home + "/.claude/settings.json", home + "/.claude/skills/x.md", home + "/.claude.json", home + "/.codex/config.toml", home + "/.gemini/settings.json", home + "/.cursor/hooks.json",
		home + "/.copilot/config.json", home + "/.codeium/windsurf/hooks.json", home + "/.config/opencode/opencode.json", home + "/.aider.conf.yml", home + "/.gitconfig", home + "/.config/git/config", "~/.claude/settings.json",
		"/etc/claude-code/managed-settings.json", "/etc/gitconfig", other + "/governance.yaml", other + "/.governance/x", other + "/.claude/settings.local.json", other + "/.git/config", other + "/x/HEAD",
		w.Dir + "/.claude/settings.local.json", w.Dir + "/src/.claude/settings.json", w.Dir + "/.codex/config.toml", w.Dir + "/.codex/hooks.json", w.Dir + "/.gemini/settings.json", w.Dir + "/.cursor/hooks.json", w.Dir + "/.github/hooks/x.json", w.Dir + "/.windsurf/hooks.json",
	} {
		if got, said := called(t, w.Dir, w.Dir, "Write", writing(file)); got != "deny" || strings.Contains(said, home) || strings.Contains(said, other) {
			t.Errorf("%s: %q %s", file, got, said)
		}
		for _, form := range []string{"echo x > FILE", "rm -f FILE", "ln -sf /dev/null FILE", "cp src/a.go FILE", "sed -i s/a/b/ FILE"} {
			command := strings.ReplaceAll(form, "FILE", file)
			if got, said := called(t, w.Dir, w.Dir, "Bash", running(command)); got != "deny" {
				t.Errorf("%s: %q %s", command, got, said)
			}
		}
	}
	for _, command := range []string{"rm -rf ~/.claude", "mv ~/.claude /tmp/x", "rm -rf " + home, "rm -rf " + filepath.Dir(program), "mv " + home + "/.config /tmp/x"} {
		if got, said := called(t, w.Dir, w.Dir, "Bash", running(command)); got != "deny" {
			t.Errorf("%s: %q %s", command, got, said)
		}
	}
	for _, file := range []string{home + "/.claude/plans/next.md", home + "/.claude/projects/p/memory/MEMORY.md", home + "/notes.md", other + "/src/a.go", "/tmp/scratch.txt"} {
		if got, said := called(t, w.Dir, w.Dir, "Write", writing(file)); got != "" {
			t.Errorf("%s: %q %s", file, got, said)
		}
	}
}

// One table says which agents there are.
func TestEveryAgentOfTheTableHasAProtocol(t *testing.T) {
	for _, name := range hook.Names() {
		agent := hook.Agents[name]
		if agent.Settings == "" || len(agent.Events) == 0 {
			t.Errorf("%s: %+v", name, agent)
		}
		w := governed(t)
		if got, said := called(t, w.Dir, w.Dir, "Write", writing(agent.Settings)); got != "deny" {
			t.Errorf("%s: %s may be changed: %q %s", name, agent.Settings, got, said)
		}
		answer := hook.Run(context.Background(), w.Gate, name, strings.NewReader("no call"))
		if answer.Status == 0 && answer.Stdout == "" {
			t.Errorf("%s lets pass what it cannot read", name)
		}
	}
}

// While everything is halted a hook lets no agent change anything, whatever the lists say.
func TestAHaltReachesTheHook(t *testing.T) {
	for flag, want := range map[string]string{
		`{"reason":"something is wrong","scope":"all"}`: "deny",
		`{`:                                   "deny",
		`{"reason":"x","scope":"dispatches"}`: "",
		`{"reason":"x","scope":"processes"}`:  "",
	} {
		w := governed(t)
		w.Write(".data/HALT", flag)
		for tool, input := range map[string]map[string]any{"Write": writing("src/b.go"), "Bash": running("echo x > src/b.go"), "mcp__x__process": {"a": "b"}} {
			got, said := called(t, w.Dir, w.Dir, tool, input)
			if got != want || want != "" && !strings.Contains(said, "halted") {
				t.Errorf("%s %s: %q %s", flag, tool, got, said)
			}
		}
		for tool, input := range map[string]map[string]any{"Read": {"file_path": "src/a.go"}, "Bash": running("ls")} {
			if got, said := called(t, w.Dir, w.Dir, tool, input); got != "" {
				t.Errorf("%s %s: %q %s", flag, tool, got, said)
			}
		}
	}
}

// The service may keep its data elsewhere than in the project. The command that is written
// into the settings of the agent says where, and the hook obeys the halt that stands there.
func TestAHaltOfDataElsewhereReachesTheHook(t *testing.T) {
	w := governed(t)
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "HALT"), []byte(`{"reason":"something is wrong","scope":"all"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	call := `{"cwd":"` + w.Dir + `","tool_name":"Write","tool_input":{"file_path":"src/b.go","content":"x"}}`

	for folder, want := range map[string]string{data: "deny", "": ""} {
		// The shell of the agent gives the arguments to echo instead of the hook.
		written := hook.Command([]string{"echo"}, "claude-code", w.Dir, folder)
		words, err := exec.Command("sh", "-c", written).Output()
		if err != nil {
			t.Fatal(err)
		}

		var out, errs strings.Builder
		status := hook.Main(t.Context(), noSnapshots, strings.Fields(string(words)), strings.NewReader(call), &out, &errs)
		got := decision(t, hook.Answer{Stdout: out.String(), Stderr: errs.String(), Status: status})
		if got != want {
			t.Errorf("%s: %q, want %q; %s%s", written, got, want, &out, &errs)
		}
	}
}
