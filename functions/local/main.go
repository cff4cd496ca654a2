// Command governance is the all-in-one, built from functions/local: the whole service on one port of a laptop,
// with a development chain inside, and the tools to buy from it and to check
// what it says.
//
//	bin/governance [serve]        run the service (default)
//	bin/governance devchain         run the development chain alone
//	bin/governance pay POST /x402/audit-mcp -d FILE
//	bin/governance lint FILE...
//	bin/governance verify chain|receipt|proof|consistency|import|thanks FILE... (a chain also at a URL)
//	bin/governance export [FILE|URL]  the audit trail as lines, table or records
//	bin/governance import FILE         take a chain of the older format in
//	bin/governance ledger           all payments, compared with the chain
//	bin/governance smoke URL [-key FILE]   check a deployment from outside
//	bin/governance invoke FUNCTION EVENT   run an event through a Lambda
//	bin/governance mcp              the tools over standard input and output
//	bin/governance init             write governance.yaml for the project found here
//	bin/governance hook             stand before a coding agent's tools; hook install
//	bin/governance check FILE...    may an agent change these files?
//	bin/governance approve [ID]     show what agents asked for, and decide
//	bin/governance baseline [accept]   which governed files changed around the guard?
//	bin/governance kill -reason TEXT   halt everything; with -resume lift the halt
//	bin/governance gen              rewrite what is generated from the catalogue
//
// Exit status: 0 success, 1 the answer is no (errors found, chain broken,
// payment refused), 2 wrong usage or unreadable input, 3 a chain or receipt
// that cannot be read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"governance.internal/functions/toolserver"
	"governance.internal/functions/toolserver/agent"
)

// exit ends the program with a status after an optional message.
type exit struct {
	status int
	err    error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return exit{2, fmt.Errorf(format, args...)}
}

// terminal is what a command talks to.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	person   bool // a person sits at in and err
}

// commands by name; each gets the arguments after its name.
var commands = map[string]func(context.Context, terminal, []string) error{
	"serve":    serve,
	"devchain": devchainAlone,
	"pay":      pay,
	"lint":     lintFiles,
	"verify":   verify,
	"export":   exportChain,
	"import":   importChain,
	"ledger":   ledger,
	"smoke":    smoke,
	"invoke":   invoke,
	"gen":      gen,
	"mcp":      mcpStdio,
	"init":     initWorkspace,
	"hook":     runHook,
	"approve":  approve,
	"baseline": compareBaseline,
	"check":    checkFiles,
	"kill":     kill,

	toolserver.AgentCommand: runAgent, // started by dispatch, not by people
}

// runAgent is the process of an agent; its assignment comes on standard input.
func runAgent(ctx context.Context, t terminal, _ []string) error {
	if status := agent.Main(ctx, t.in, t.out); status != 0 {
		return exit{status, nil}
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, osTerminal(), os.Args[1:]))
}

func osTerminal() terminal {
	return terminal{os.Stdin, os.Stdout, os.Stderr, isCharDevice(os.Stdin) && isCharDevice(os.Stderr)}
}

func isCharDevice(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// run is main without the process around it.
func run(ctx context.Context, t terminal, args []string) int {
	name := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}

	command, ok := commands[name]
	if !ok {
		fmt.Fprintf(t.err, "governance: unknown command %q; there are serve, devchain, pay, lint, verify, export, import, ledger, smoke, invoke, mcp, init, hook, check, approve, baseline, kill and gen, each with -h\n",
			name)
		return 2
	}

	err := command(ctx, t, args)
	var known exit
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &known):
		if known.err != nil {
			fmt.Fprintf(t.err, "governance: %v\n", known.err)
		}
		return known.status
	}

	fmt.Fprintf(t.err, "governance: %v\n", err)
	return 1
}

// flags makes a flag set that prints to the terminal and never exits. Flags may
// stand before, between and after the arguments.
func flags(t terminal, name, synopsis string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(t.err)
	set.Usage = func() {
		fmt.Fprintf(t.err, "usage: governance %s\n", synopsis)
		set.PrintDefaults()
	}
	return set
}

// parse reads flags wherever they stand and returns the other arguments.
func parse(set *flag.FlagSet, args []string) ([]string, error) {
	var plain []string
	for {
		if err := set.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, exit{2, nil} // the flag set has said it
		}

		if set.NArg() == 0 {
			return plain, nil
		}
		plain, args = append(plain, set.Arg(0)), set.Args()[1:]
	}
}
