package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
)

// runHook answers one call of a coding agent in the agent's own protocol, or with
// install writes the hook into the agent's settings.
func runHook(ctx context.Context, t terminal, args []string) error {
	if len(args) > 0 && args[0] == "install" {
		return installHook(ctx, t, args[1:])
	}
	if status := hook.Main(ctx, args, t.in, t.out, t.err); status != 0 {
		return exit{status, nil}
	}
	return nil
}

// installHook shows what it changes in the settings of an agent, and keeps a copy.
func installHook(ctx context.Context, t terminal, args []string) error {
	set := flags(t, "hook install", "hook install [-agent NAME] [-workspace DIR] [-data DIR] [-print]")
	agent := set.String("agent", "claude-code", "`name` of the agent: "+strings.Join(hook.Names(), ", "))
	folder := set.String("workspace", ".", "`directory` of the project")
	data := set.String(
		"data",
		"",
		"`directory` of the data of the tool server, whose halt the hook obeys; "+workspace.DataDir+" in the project if not set",
	)

	show := set.Bool("print", false, "show the change and write nothing")
	if rest, err := parse(set, args); err != nil || len(rest) > 0 {
		return usage("hook install takes no further arguments")
	}

	w, err := workspace.Open(*folder)
	if err != nil {
		return usage("-workspace: %w", err)
	}
	defer w.Close()

	command, err := hookCommand(ctx, *agent, *folder, *data)
	if err != nil {
		return err
	}

	change, err := hook.Plan(w, *agent, command)
	if err != nil {
		return err
	}

	fmt.Fprint(t.out, change.Diff())
	switch {
	case change.Before == change.After:
		fmt.Fprintf(t.err, "%s has the hook already\n", change.File)
		return nil
	case *show:
		return nil
	}

	if err := hook.Apply(w, &change, time.Now()); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "wrote %s", change.File)
	if change.Backup != "" {
		fmt.Fprintf(t.err, "; the old one is %s", change.Backup)
	}

	fmt.Fprintln(t.err, "\nstart the agent again, so that it reads its settings")
	if state, err := w.Load(); err != nil || !state.Configured {
		fmt.Fprintf(t.err, "there is no %s that can be read, so the hook refuses every change until there is: write one with governance init\n",
			workspace.FileName)
	}

	if before := hook.Agents[*agent].Before; before != "" {
		fmt.Fprintln(t.err, before)
	}

	return nil
}

// hookCommand starts the hook of a project. A program that go run made is gone soon.
func hookCommand(ctx context.Context, agent, folder, data string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(own, "go-build") {
		return "", fmt.Errorf("hook install: this program is a temporary build of go run, which an agent cannot start later; %s", buildIt)
	}

	full, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}

	if data != "" {
		if data, err = filepath.Abs(data); err != nil {
			return "", err
		}
	}

	argv := hookProgram(own)
	if err := refuses(ctx, argv); err != nil {
		return "", err
	}

	return hook.Command(argv, agent, full, data), nil
}

const buildIt = "build it with: make programs"

// refuses tries a hook with a call that it cannot read, before agents rely on it:
// another program of that name would allow everything.
func refuses(ctx context.Context, argv []string) error {
	try := exec.CommandContext(ctx, argv[0], append(argv[1:], "-agent", "gemini", "-workspace", os.TempDir())...)
	try.Stdin = strings.NewReader("no call")
	var status *exec.ExitError
	if err := try.Run(); !errors.As(err, &status) || status.ExitCode() != 2 {
		return fmt.Errorf("hook install: %s does not refuse what it cannot read (%v); %s",
			argv[0], err, buildIt)
	}
	return nil
}

// checkFiles is the preflight check of the command line. Exit status 0 OK, 1
// PROTECTED, 2 BLOCKED, 3 UNKNOWN.
func checkFiles(ctx context.Context, t terminal, args []string) error {
	set := flags(t, "check", "check [-workspace DIR] FILE...")
	folder := set.String("workspace", "", "`directory` of the project")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usage("check needs a file")
	}

	gate, err := preflight.Open(*folder, "")
	if err != nil {
		return exit{2, err}
	}
	defer gate.Workspace.Close()

	dir, err := os.Getwd()
	if err != nil {
		return exit{2, err}
	}

	report, err := gate.Check(ctx, preflight.Action{
		Agent:     "governance check",
		Tool:      "check",
		Operation: preflight.Edit,
		Dir:       dir,
		Paths:     files,
	})
	for _, r := range report.Results {
		fmt.Fprintf(t.out, "%s\t%s\t%s\n", r.Decision, r.Path, r.Reason)
	}

	if err != nil || report.Decision != policy.OK {
		return exit{report.ExitCode, err}
	}
	return nil
}
