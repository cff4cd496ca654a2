// Command governance is the whole service on one port of a laptop, with a development
// chain inside, and the command line to buy from it, to guard a project, and to check
// what the service says. It is built from functions/local:
//
//	make programs           builds bin/governance, bin/governance-hook and bin/governance-fence
//	bin/governance          runs the service
//	bin/governance help     lists the commands
//
// Exit status: 0 success, 1 the answer is no (errors found, chain broken,
// payment refused), 2 wrong usage or unreadable input, 3 a chain or receipt
// that cannot be read.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "governance.internal/functions/local/handover" // of the command run
	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/shared/programs"
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

// run is main without the process around it. It returns the exit status.
func run(ctx context.Context, t terminal, args []string) int {
	if fence.IsFirstProcess(args) {
		return fence.Init()
	}
	if isAgent(args) {
		return agent.Main(ctx, t.in, t.out)
	}
	if isHookCall(args) {
		return answerHook(ctx, t, args[1:])
	}

	err := execute(ctx, t, args)
	if err == nil {
		return 0
	}

	known, ok := errors.AsType[exit](err)
	if !ok {
		known = exit{1, err}
	}

	if known.err != nil {
		fmt.Fprintf(t.err, "%s: %v\n", programs.Governance, err)
	}
	return known.status
}

// isAgent reports whether dispatch started this process as the server's own agent, whose
// assignment comes on standard input.
func isAgent(args []string) bool {
	return len(args) > 0 && args[0] == server.AgentCommand
}
