package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	approvals "governance.internal/functions/toolserver/approval"
	"governance.internal/functions/toolserver/hook"
	"governance.internal/functions/toolserver/policy"
	"governance.internal/functions/toolserver/preflight"
	"governance.internal/functions/toolserver/violations"
	"governance.internal/functions/toolserver/workspace"
)

// runHook answers one call of a coding agent in the agent's own protocol, or with
// install writes the hook into the agent's settings.
func runHook(ctx context.Context, t terminal, args []string) error {
	if len(args) > 0 && args[0] == "install" {
		return installHook(t, args[1:])
	}
	set := flags(t, "hook", "hook -agent NAME [-workspace DIR]  (a tool call as JSON on standard input), or: hook install")
	agent := set.String("agent", "claude-code", "`name` of the agent: "+strings.Join(hook.Names(), ", "))
	folder := set.String("workspace", "", "`directory` of the project; by default the outermost one above that has "+workspace.FileName)
	rest, err := parse(set, args)
	if err != nil || len(rest) > 0 {
		return exit{2, fmt.Errorf("hook: the arguments cannot be read")} // 2 refuses the call
	}
	if _, ok := hook.Agents[*agent]; !ok {
		return usage("-agent is one of %s", strings.Join(hook.Names(), ", "))
	}
	gate, done, err := openGate(*folder)
	if err != nil {
		return exit{2, fmt.Errorf("hook: the workspace cannot be opened, so the call is refused: %w", err)}
	}
	defer done()
	gate.Enforces = true
	answer := hook.Run(ctx, gate, *agent, t.in)
	_, outErr := io.WriteString(t.out, answer.Stdout)
	_, errErr := io.WriteString(t.err, answer.Stderr)
	if answer.Status != 0 || outErr != nil || errErr != nil {
		return exit{max(answer.Status, 2), nil}
	}
	return nil
}

// openGate opens the guard of a project without a server: what it refuses waits in
// the spool until a server takes it into the chain.
func openGate(folder string) (*preflight.Gate, func(), error) {
	if folder == "" {
		folder = governedFolder()
	}
	w, err := workspace.Open(folder, filepath.Join(folder, defaultData))
	if err != nil {
		return nil, nil, err
	}
	log := &violations.Log{Workspace: w, Now: time.Now, Random: rand.Reader}
	book := &approvals.Book{Workspace: w, Now: time.Now, Random: rand.Reader, Record: log.Note}
	return &preflight.Gate{Workspace: w, Log: log, Approvals: book}, func() { _ = w.Close() }, nil
}

// governedFolder is the outermost folder from here upward with a workspace file: an
// agent could write another one further in.
func governedFolder() string {
	found, at := ".", "."
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, workspace.FileName)); missing == nil {
			found = dir
		}
		if at = filepath.Dir(dir); at == dir {
			break
		}
		dir = at
	}
	return found
}

// installHook shows what it changes in the settings of an agent, and keeps a copy.
func installHook(t terminal, args []string) error {
	set := flags(t, "hook install", "hook install [-agent NAME] [-workspace DIR] [-print]")
	agent := set.String("agent", "claude-code", "`name` of the agent: "+strings.Join(hook.Names(), ", "))
	folder := set.String("workspace", ".", "`directory` of the project")
	show := set.Bool("print", false, "show the change and write nothing")
	if rest, err := parse(set, args); err != nil || len(rest) > 0 {
		return usage("hook install takes no further arguments")
	}
	w, err := workspace.Open(*folder)
	if err != nil {
		return usage("-workspace: %w", err)
	}
	defer w.Close()
	command, err := hookCommand(*agent, *folder)
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
	if before := hook.Agents[*agent].Before; before != "" {
		fmt.Fprintln(t.err, before)
	}
	return nil
}

// hookCommand starts this program as the hook of a project. A program that go run
// made is gone soon.
func hookCommand(agent, folder string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if strings.Contains(program, "go-build") {
		return "", fmt.Errorf("hook install: this program is a temporary one; build it first: go build -o local ./functions/local")
	}
	return fmt.Sprintf("%s hook -agent %s -workspace %s", quote(program), agent, quote(full)), nil
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

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
	gate, done, err := openGate(*folder)
	if err != nil {
		return exit{2, err}
	}
	defer done()
	dir, err := os.Getwd()
	if err != nil {
		return exit{2, err}
	}
	report, err := gate.Check(ctx, preflight.Action{Agent: "local check", Tool: "check", Operation: preflight.Edit, Dir: dir, Paths: files})
	for _, r := range report.Results {
		fmt.Fprintf(t.out, "%s\t%s\t%s\n", r.Decision, r.Path, r.Reason)
	}
	if err != nil || report.Decision != policy.OK {
		return exit{report.ExitCode, err}
	}
	return nil
}
