package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/work/fence"
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
	network := ""
	c := command("run -- PROGRAM", "Run a program behind a fence of the kernel",
		examples(
			"governance run -- claude", "an agent that cannot change what governance.yaml governs",
			"governance run --network none -- make test", "without a network",
		),
		func(ctx context.Context, args []string) error {
			switch {
			case len(args) == 0:
				return usage("run takes a program: governance run -- PROGRAM [ARGUMENTS]")
			case network != "open" && network != "none":
				return usage("--network is open or none, not %q", network)
			}
			o.Offline, o.Program = network == "none", args
			return exit{fence.Run(ctx, firstProcess(), o, t.in, t.out, t.err), nil}
		})
	c.Long = runAbout
	c.Annotations = map[string]string{exitStatusOf: runStatus}
	c.Flags().StringVar(&network, "network", "open", "`network`: open, or none but the loopback")
	c.Flags().BoolVar(&o.Unfenced, "unfenced", false, "run without a fence where none can stand")
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
