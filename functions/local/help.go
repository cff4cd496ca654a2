package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"governance.internal/shared/catalog"
	"governance.internal/shared/lint"
	"governance.internal/shared/programs"
)

// exitStatus explains the exit status of a command without the annotation exitStatusOf.
const exitStatus = `  0  success
  1  the answer is no: errors found, chain broken, payment refused
  2  wrong usage, or input that cannot be read
  3  a chain or a receipt cannot be read
`

// exitStatusOf is the annotation of a command whose exit status means something else.
const exitStatusOf = "exit status"

// printHelp prints the help of a command.
func printHelp(c *cobra.Command) {
	w := c.OutOrStdout()
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", about, c.UseLine())

	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s", c.Example)
	}
	printCommands(w, c)

	c.InitDefaultHelpFlag()
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	}

	fmt.Fprintf(w, "\nExit status:\n%s", statusText(c))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help says more about a command.\n", c.CommandPath())
	}
}

func statusText(c *cobra.Command) string {
	if text := c.Annotations[exitStatusOf]; text != "" {
		return text
	}
	return exitStatus
}

// printCommands lists the commands below one, by group where there are groups.
func printCommands(w io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	if len(c.Groups()) == 0 {
		fmt.Fprint(w, "\nCommands:\n")
		printGroup(w, c, "")
		return
	}

	for _, group := range c.Groups() {
		fmt.Fprintf(w, "\n%s:\n", group.Title)
		printGroup(w, c, group.ID)
	}
}

func printGroup(w io.Writer, c *cobra.Command, group string) {
	for _, child := range c.Commands() {
		if child.GroupID == group && (child.IsAvailableCommand() || child.Name() == "help") {
			fmt.Fprintf(w, "  %-12s %s\n", child.Name(), child.Short)
		}
	}
}

// versionText is what --version prints: the build, and the versions of what it serves.
func versionText() string {
	version, revision := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = " " + setting.Value
			}
		}
	}

	return fmt.Sprintf("%s %s%s\n%s %s/%s\nAPI %s, lint rules %s\n",
		programs.Governance, version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH, catalog.APIVersion, lint.Ruleset)
}
