package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/snapshot"
)

// isHookCall reports whether an agent started this process to check a step. Such a call is
// answered before the command line is parsed, because it must be fast and must refuse
// invalid arguments.
func isHookCall(args []string) bool {
	if len(args) == 0 || args[0] != hook.Name {
		return false
	}

	forPeople := []string{"install", "-h", "-help", "--help"}
	return len(args) == 1 || !slices.Contains(forPeople, args[1])
}

// answerHook answers one call of a coding agent in the agent's own protocol.
func answerHook(ctx context.Context, t terminal, args []string) int {
	return hook.Main(ctx, snapshot.BeforeCommand, args, t.in, t.out, t.err)
}

func hookCommands(t terminal) *cobra.Command {
	c := parent(hook.Name, "Check each step of a coding agent before it happens",
		examples(
			"governance hook install --agent claude-code", "write the hook into the agent's settings",
			"governance hook --agent codex < call.json", "answer one call, as the agent does",
		),
		installCommand(t))
	c.Long = `Answers one call of a coding agent: may it take its next step? The agent starts it with
-agent NAME and -workspace DIR, and writes the call to standard input as JSON.
governance-hook is the same in a small program that starts faster; install prefers it.`
	c.Annotations = map[string]string{exitStatusOf: hookStatus}
	return c
}

// hookStatus is what the exit status of hook means to the agents.
const hookStatus = `  0  the answer is on standard output, or the step is allowed
  2  the step is refused, or the call cannot be read
`

// installation is a parsed hook install command.
type installation struct {
	agent, folder, data string
	show                bool
	git                 bool // the hook of git instead
}

func installCommand(t terminal) *cobra.Command {
	o := installation{}
	c := command("install", "Write the hook into the settings of an agent",
		examples(
			"governance hook install --agent claude-code --workspace ~/project", "install it",
			"governance hook install --agent codex --print", "show the change and write nothing",
			"governance hook install --git", "refuse commits that hold credentials",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("hook install", args); err != nil {
				return err
			}
			return o.run(ctx, t)
		})
	set := c.Flags()
	set.StringVar(&o.agent, "agent", "claude-code", "`name` of the agent: "+strings.Join(hook.Names(), ", "))
	set.StringVar(&o.folder, "workspace", ".", "`directory` of the project")
	set.StringVar(
		&o.data,
		"data",
		"",
		"data `directory` of the tool server, whose halt the hook obeys; default: "+workspace.DataDir+" in the project",
	)
	set.BoolVar(&o.show, "print", false, "show the change and write nothing")
	set.BoolVar(&o.git, "git", false, "write the pre-commit hook of git instead, which refuses credentials")

	agents := cobra.FixedCompletions(hook.Names(), cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("agent", agents) // fails only for an unknown flag
	return c
}

// run shows what it changes in the settings of an agent, and keeps a copy.
func (o installation) run(ctx context.Context, t terminal) error {
	if o.git {
		return installGitHook(ctx, t, o.folder)
	}
	w, err := workspace.Open(o.folder)
	if err != nil {
		return usage("--workspace: %w", err)
	}
	defer w.Close()

	command, err := hookCommand(ctx, o.agent, o.folder, o.data)
	if err != nil {
		return err
	}

	change, err := hook.Plan(w, o.agent, command)
	if err != nil {
		return err
	}

	fmt.Fprint(t.out, change.Diff())
	switch {
	case change.Before == change.After:
		fmt.Fprintf(t.err, "%s has the hook already\n", change.File)
		return nil
	case o.show:
		return nil
	}

	if err := hook.Apply(w, &change, time.Now()); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "wrote %s", change.File)
	if change.Backup != "" {
		fmt.Fprintf(t.err, "; the old one is %s", change.Backup)
	}

	o.nextSteps(t, w)
	return nil
}

// nextSteps lists the steps after an installation.
func (o installation) nextSteps(t terminal, w *workspace.Workspace) {
	fmt.Fprintln(t.err, "\nstart the agent again, so that it reads its settings")
	switch state, err := w.Load(); {
	case err != nil || !state.Configured:
		fmt.Fprintf(t.err, "the hook refuses every change until it can read %s: write one with governance init\n",
			workspace.FileName)
	case state.Config.Mode == workspace.Observe:
		fmt.Fprintf(t.err, "the hook only rehearses (mode: observe in %s): it refuses nothing\n", workspace.FileName)
	}

	if before := hook.Agents[o.agent].Before; before != "" {
		fmt.Fprintln(t.err, before)
	}
}

// hookCommand returns the command line of the hook of a project. It fails for a program of
// go run, which is deleted soon.
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

// refuses tests a hook with an invalid call before agents rely on it: another program of
// that name would allow everything.
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

// checkStatus is what the exit status of check means.
const checkStatus = `  0  OK: an agent may change the files
  1  PROTECTED: a person must approve the change first
  2  BLOCKED: no agent may change them; or wrong usage
  3  UNKNOWN: no rules can be read
`

func checkCommand(t terminal) *cobra.Command {
	var folder string
	var f *form
	c := command("check FILE...", "Say whether an agent may change files",
		examples(
			"governance check go.mod", "one file",
			"governance check --format json src/*.go", "several, for a script",
		),
		func(ctx context.Context, files []string) error { return checkFiles(ctx, t, folder, files, f) })
	c.Annotations = map[string]string{exitStatusOf: checkStatus}
	c.Flags().StringVar(&folder, "workspace", "", "`directory` of the project")
	f = addForm(c)
	return c
}

// checkFiles is the preflight check of the command line.
func checkFiles(ctx context.Context, t terminal, folder string, files []string, f *form) error {
	if len(files) == 0 {
		return usage("check needs a file")
	}

	gate, err := preflight.Open(folder, "")
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
	if f.isJSON() {
		err = errors.Join(err, printJSON(t, report))
	} else {
		printDecisions(t, report)
	}

	if err != nil || report.Decision != policy.OK {
		return exit{report.ExitCode, err}
	}
	return nil
}

func printDecisions(t terminal, report preflight.Report) {
	for _, r := range report.Results {
		fmt.Fprintf(t.out, "%s\t%s\t%s\n", r.Decision, r.Path, r.Reason)
	}
}
