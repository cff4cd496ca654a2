package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/shared/programs"
)

// A project is set up from the command line, an agent is refused, and the checks
// of a script say the same.
func TestAProjectIsGovernedFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "secrets/a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := func(stdin string, args ...string) (int, string, string) {
		var out, complaints strings.Builder
		status := run(context.Background(), terminal{in: strings.NewReader(stdin), out: &out, err: &complaints}, args)
		return status, out.String(), complaints.String()
	}
	if status, _, complaints := command("", "check", "-workspace", dir, "a"); status != 3 {
		t.Errorf("check without a file: %d %s", status, complaints)
	}
	if status, _, complaints := command("", "init", "-workspace", dir); status != 0 {
		t.Fatalf("init: %d %s", status, complaints)
	}
	if status, _, complaints := command("", "init", "-workspace", dir); status != 1 || !strings.Contains(complaints, "stays as it is") {
		t.Errorf("init over a file: %d %s", status, complaints)
	}
	for file, want := range map[string]int{"secrets/a": 2, "go.mod": 1, "b.go": 0} {
		if status, out, _ := command("", "check", "-workspace", dir, filepath.Join(dir, file)); status != want {
			t.Errorf("check %s: %d, want %d: %s", file, status, want, out)
		}
	}
	call := `{"cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -r secrets"}}`
	if status, out, _ := command(call, "hook", "-workspace", dir); status != 0 || !strings.Contains(out, `"permissionDecision":"deny"`) {
		t.Errorf("hook: %d %s", status, out)
	}
	if status, _, _ := command(call, "hook", "-agent", "gemini", "-workspace", dir); status != 2 {
		t.Errorf("hook of gemini: %d", status)
	}
	if status, _, _ := command(call, "hook", "-workspace", filepath.Join(dir, "none")); status != 2 {
		t.Errorf("hook without a workspace: %d", status)
	}
	if status, out, _ := command("", "init", "-schema"); status != 0 || !strings.Contains(out, `"untouchable"`) {
		t.Errorf("init -schema: %d", status)
	}
}

func TestOnlyAPersonAtATerminalApproves(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"governance.yaml": "protected: [go.mod]\n", "go.mod": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gate, err := preflight.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	actions, err := gate.Actions("claude-code", "edit", []string{"go.mod"}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := gate.Approvals.Request(context.Background(), actions[0].Action, actions[0].Policy, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	decide := func(stdin string, person bool) int {
		var out strings.Builder
		return run(context.Background(), terminal{in: strings.NewReader(stdin), out: &out, err: &out, person: person}, []string{"approve", "-workspace", dir, asked.ID})
	}
	code := asked.ID[len(asked.ID)-4:] + "\n"
	if status := decide(code, false); status != 2 {
		t.Errorf("through a pipe: %d", status)
	}
	if status := decide("yes\n", true); status != 1 {
		t.Errorf("without the code: %d", status)
	}
	call := `{"cwd":"` + dir + `","tool_name":"Edit","tool_input":{"file_path":"go.mod"}}`
	edit := func() string {
		var out strings.Builder
		run(context.Background(), terminal{in: strings.NewReader(call), out: &out, err: &out}, []string{"hook", "-workspace", dir})
		return out.String()
	}
	if !strings.Contains(edit(), "deny") || decide(code, true) != 0 || edit() != "" || !strings.Contains(edit(), "deny") {
		t.Error("the approval was not good for one edit")
	}
}

// Before a person decides about a command, the terminal shows all of it.
func TestTheTerminalShowsTheWholeCommand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"governance.yaml": "protected: [go.mod]\n", "go.mod": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gate, err := preflight.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Workspace.Close()
	actions, err := gate.Actions("codex", "", nil, "echo harmless > go.mod\nuntil:  2099-01-01 \x1b[2K\u202e; python3 -c 'x'")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := gate.Approvals.Request(context.Background(), actions[0].Action, actions[0].Policy, "a\nfile:   README.md", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	run(context.Background(), terminal{in: strings.NewReader("no\n"), out: &out, err: &out, person: true}, []string{"approve", "-workspace", dir, asked.ID})
	want := `agent:  codex wants to run this command
        | echo harmless > go.mod
        | until:  2099-01-01 ⟨U+001B⟩[2K⟨U+202E⟩; python3 -c 'x'
file:   go.mod
reason: a⟨U+000A⟩file:   README.md
digest: ` + asked.Digest + `
until:  `
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
	out.Reset()
	run(context.Background(), terminal{in: strings.NewReader(""), out: &out, err: &out}, []string{"approve", "-workspace", dir})
	if !strings.Contains(out.String(), "python3 -c 'x'") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("the list is %q", &out)
	}
}

// Hooks were installed as local-hook before: where only that one stands beside the
// program, it is still found.
func TestTheHookOfTheOlderNameIsStillFound(t *testing.T) {
	dir := t.TempDir()
	older := filepath.Join(dir, "local-hook")
	if err := os.WriteFile(older, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	found := hookProgram(filepath.Join(dir, programs.Governance))
	if !slices.Equal(found, []string{older}) {
		t.Errorf("%q", found)
	}
}

// Agents take a hook that cannot start for a yes; the installed command says no then.
func TestTheInstalledHookRefusesWhenItsProgramIsGone(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
	command := hook.Command([]string{filepath.Join(t.TempDir(), "it's gone")}, "claude-code", t.TempDir(), "")
	var status *exec.ExitError
	if err := exec.Command("sh", "-c", command).Run(); !errors.As(err, &status) || status.ExitCode() != 2 {
		t.Errorf("%s: %v", command, err)
	}
}

// The small program takes the place of this one when it stands beside it and says no
// to what it cannot read: another program of its name would let everything pass.
func TestTheSmallHookIsTriedBeforeAgentsRelyOnIt(t *testing.T) {
	dir := t.TempDir()
	program, small := filepath.Join(dir, programs.Governance), filepath.Join(dir, programs.Hook)
	if found := hookProgram(program); !slices.Equal(found, []string{program, "hook"}) {
		t.Errorf("beside nothing: %q", found)
	}
	if err := os.WriteFile(small, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := refuses(t.Context(), hookProgram(program)); err == nil || !strings.Contains(err.Error(), "make programs") {
		t.Errorf("a program that lets all pass: %v", err)
	}
	if err := os.Remove(small); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", small, "./local-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	found := hookProgram(program)
	if err := refuses(t.Context(), found); err != nil || !slices.Equal(found, []string{small}) {
		t.Fatalf("%q %v", found, err)
	}
	info, err := buildinfo.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range info.Deps {
		if strings.HasPrefix(module.Path, "github.com/aws/") || strings.HasPrefix(module.Path, "github.com/ethereum/") {
			t.Errorf("%s is in the hook, which an agent waits for at each step", module.Path)
		}
	}
	call := exec.Command("sh", "-c", hook.Command(found, "claude-code", dir, ""))
	call.Stdin = strings.NewReader(`{"cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"governance.yaml"}}`)
	if out, err := call.Output(); err != nil || !strings.Contains(string(out), `"permissionDecision":"deny"`) {
		t.Errorf("%s %v", out, err)
	}
}
