package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	beyond "governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/fence/egress"
)

const runAbout = `Runs a program, such as a coding agent, behind a fence that the kernel holds (Linux). What
governance.yaml governs is read-only for the program and for all that it starts, credentials of
the home directory are not seen, other files are written only in this folder, in the home
directory and in temporary folders, and everything ends with the program.

It needs no rights beyond user namespaces. Where the kernel allows none, the command refuses.`

const runStatus = `  0  the program ended with 0; another status of it is passed on
  2  wrong usage
  125  no fence can stand, and --unfenced is not given
`

func fencedCommand(t terminal) *cobra.Command {
	o := fence.Options{}
	c := command("run -- PROGRAM", "Run a program behind a fence of the kernel",
		examples(
			"governance run -- claude", "an agent that cannot change what governance.yaml governs",
			"governance run --network none -- make test", "without a network",
			"governance run --network allow:api.anthropic.com -- claude", "with one host of it",
		),
		func(ctx context.Context, args []string) error {
			if len(args) == 0 {
				return usage("run takes a program: governance run -- PROGRAM [ARGUMENTS]")
			}
			if err := egress.Check(o.Network); err != nil {
				return usage("--network: %w", err)
			}
			o.Program, o.Outside = args, beyond.Of(snapshot.BeforeCommand)
			return exit{fence.Run(ctx, firstProcess(), o, t.in, t.out, t.err), nil}
		})
	c.Long = runAbout
	c.Annotations = map[string]string{exitStatusOf: runStatus}
	c.Flags().StringVar(&o.Network, "network", egress.Open, "`network`: open, none but the loopback, or allow:HOST,HOST:PORT,*.HOST by a proxy")
	c.Flags().BoolVar(&o.Unfenced, "unfenced", false, "run without a fence where none can stand")
	return c
}

const writeAbout = `Writes a file of the project with the content on standard input, if the guard lets the agent
change it. Behind the fence of governance run and of dispatches, where protected files are
read-only, the process outside writes it. A protected file needs the approval of a person for this
agent and this file, which is used up.`

const writeStatus = `  0  the file is written
  2  the guard does not let it be written, or wrong usage
`

func writeCommand(t terminal) *cobra.Command {
	agent := ""
	c := command("write FILE", "Write a protected file that a person approved",
		examples(
			"governance write --agent codex config/app.yaml < new.yaml", "after the approval of an edit by codex",
		),
		func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return usage("write takes one file, and its new content on standard input")
			}
			return exit{beyond.Main([]string{"-agent", agent, "--", args[0]}, t.in, t.out, t.err), nil}
		})
	c.Long = writeAbout
	c.Annotations = map[string]string{exitStatusOf: writeStatus}
	c.Flags().StringVar(&agent, "agent", "claude-code", "`name` that the approval is for")
	return c
}

// firstProcess is the program that becomes the first process of a fence.
func firstProcess() string {
	own, err := os.Executable()
	if err != nil {
		own = "/proc/self/exe"
	}
	return fence.FirstProcess(own)
}
