package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"governance.internal/shared/programs"
)

// Groups of commands, as help lists them.
const (
	groupServe   = "serve"
	groupBuy     = "buy"
	groupCheck   = "check"
	groupGuard   = "guard"
	groupWork    = "work"
	groupVerify  = "verify"
	groupDevelop = "develop"
)

var groups = []*cobra.Group{
	{ID: groupServe, Title: "Serve"},
	{ID: groupBuy, Title: "Buy and sell"},
	{ID: groupCheck, Title: "Check"},
	{ID: groupGuard, Title: "Guard a project"},
	{ID: groupWork, Title: "Work"},
	{ID: groupVerify, Title: "Verify and move the audit trail"},
	{ID: groupDevelop, Title: "More"},
}

// newRoot is the tree of all commands.
func newRoot(t terminal) *cobra.Command {
	root := &cobra.Command{
		Use:           programs.Governance + " [command]",
		Short:         "Run the governance service, buy from it, guard a project, verify an audit trail.",
		Long:          "Runs the governance service, buys from it, guards a project, and verifies an audit trail.\nWithout a command it serves.",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Example: examples(
			"governance", "run the service on http://localhost:8402",
			"governance pay POST /x402/audit-mcp -d mcp.json", "buy a lint of an MCP configuration",
			"governance verify chain", "verify the audit trail of this machine",
			"governance doctor", "say what works here and what to do about the rest",
		),
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetVersionTemplate("{{.Version}}")
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { printHelp(c) })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w; %s --help lists the flags", err, c.CommandPath())
	})

	root.AddGroup(groups...)
	addGroup(root, groupServe, serveCommand(t), mcpCommand(t), devchainCommand(t))
	addGroup(root, groupBuy, payCommand(t), ledgerCommand(t), smokeCommand(t), invokeCommand(t))
	addGroup(root, groupCheck, lintCommand(t), driftCommand(t), legalCommand(t), booksCommand(t), therapyCommand(t), scanCommand(t), scanSecretsCommand(t), publishCommand(t), pagesCommand(t), checkCommand(t), baselineCommand(t), reconcileCommand(t), doctorCommand(t))
	addGroup(root, groupGuard, initCommand(t), hookCommands(t), approveCommand(t), outcomesCommand(t), policyCommands(t), fencedCommand(t), writeCommand(t))
	addGroup(root, groupWork, killCommand(t))
	addGroup(root, groupVerify, verifyCommands(t), exportCommand(t), importCommand(t))
	addGroup(root, groupDevelop, genCommand())

	root.SetHelpCommandGroupID(groupDevelop)
	root.SetCompletionCommandGroupID(groupDevelop)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

func addGroup(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
	}
	root.AddCommand(commands...)
}

// action runs a command with its arguments, without the flags.
type action func(ctx context.Context, args []string) error

// command makes a command. use is its name and its arguments.
func command(use, short, example string, do action) *cobra.Command {
	return &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
		Args:    cobra.ArbitraryArgs, // the action says what it needs
		RunE: func(c *cobra.Command, args []string) error {
			return do(c.Context(), args)
		},
	}
}

// parent makes a command that only holds others.
func parent(use, short, example string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
	}
	c.AddCommand(below...)
	return c
}

// noArguments refuses arguments where a command takes flags only.
func noArguments(name string, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument %q", name, args[0])
	}
	return nil
}

// examples lays out command lines, each followed by what it does.
func examples(linesAndMeanings ...string) string {
	width := 0
	for i := 0; i < len(linesAndMeanings); i += 2 {
		width = max(width, len(linesAndMeanings[i]))
	}

	var b strings.Builder
	for i := 0; i < len(linesAndMeanings); i += 2 {
		fmt.Fprintf(&b, "  %-*s  # %s\n", width, linesAndMeanings[i], linesAndMeanings[i+1])
	}
	return b.String()
}

// execute finds the command of a command line and runs it.
func execute(ctx context.Context, t terminal, args []string) error {
	if needsServe(args) {
		args = append([]string{"serve"}, args...)
	}

	root := newRoot(t)
	if completes := strings.HasPrefix(args[0], cobra.ShellCompRequestCmd); !completes {
		c, rest, err := find(root, args)
		if err != nil {
			return err
		}
		path := args[:len(args)-len(rest)]
		args = append(slices.Clone(path), doubleDashes(c.Flags(), rest)...)
	}

	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// needsServe reports whether a command line names no command; the default is serve.
func needsServe(args []string) bool {
	if len(args) == 0 {
		return true
	}

	aboutTheProgram := []string{"-h", "-help", "--help", "-v", "-version", "--version"}
	return strings.HasPrefix(args[0], "-") && !slices.Contains(aboutTheProgram, args[0])
}

// find follows the names at the beginning of a command line down the tree. It returns
// the command and the arguments after its name.
func find(root *cobra.Command, args []string) (*cobra.Command, []string, error) {
	c := root
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		next := childOf(c, args[0])
		if next == nil {
			break
		}
		c, args = next, args[1:]
	}

	if c.Runnable() {
		return c, args, nil
	}
	if len(args) == 0 {
		return nil, nil, usage("%s what? There are %s", c.Name(), strings.Join(namesBelow(c), ", "))
	}
	if !strings.HasPrefix(args[0], "-") {
		return nil, nil, unknownCommand(c, args[0])
	}
	return c, args, nil
}

func childOf(c *cobra.Command, name string) *cobra.Command {
	for _, child := range c.Commands() {
		if child.Name() == name {
			return child
		}
	}
	return nil
}

// namesBelow are the commands of a parent that help shows.
func namesBelow(c *cobra.Command) []string {
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return names
}

// unknownCommand suggests the commands that are spelled alike.
func unknownCommand(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(name)
	if len(near) == 0 {
		return usage("unknown command %q; %s --help lists the commands", name, c.CommandPath())
	}

	for i, suggestion := range near {
		near[i] = c.CommandPath() + " " + suggestion
	}
	return usage("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
}

// doubleDashes writes -name and -name=value as --name and --name=value, which is how the
// flags of earlier versions are given. Values, a lone -, one-letter flags, and all that
// stands after -- stay as they are.
func doubleDashes(set *pflag.FlagSet, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			out = append(out, arg)
			continue
		}

		name := strings.TrimLeft(arg, "-")
		name, _, hasValue := strings.Cut(name, "=")
		if len(name) > 1 && !strings.HasPrefix(arg, "--") {
			arg = "-" + arg
		}
		out = append(out, arg)

		valueFollows := !hasValue && takesValue(set, name) && i+1 < len(args)
		if valueFollows {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// takesValue reports whether a flag has a value, which may stand in the next argument.
func takesValue(set *pflag.FlagSet, name string) bool {
	flag := set.Lookup(name)
	if len(name) == 1 {
		flag = set.ShorthandLookup(name)
	}
	return flag != nil && flag.NoOptDefVal == ""
}
