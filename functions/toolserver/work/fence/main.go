package fence

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/work/fence/egress"
)

// Exit statuses of [Main] that are not the program's.
const (
	exitUsage    = 2
	exitNoFence  = 125
	exitNotFound = 127
)

const help = `Usage: governance run [-network open|none|allow:HOST,...] [-unfenced] -- PROGRAM [ARGUMENTS]

Runs a program behind a fence of the kernel: it cannot change what governance.yaml governs, does
not see credentials of the home directory, writes outside of the workspace only into the home
and temporary directories, and ends with everything that it started.

  -network none               no network but its own loopback
  -network allow:HOST,...     only these hosts, by a proxy: HOST, HOST:PORT, *.HOST or an address;
                              ports 80 and 443 unless one is given
  -unfenced                   run without a fence where the kernel allows none, instead of refusing

The exit status is the program's; 125 if no fence can stand, 2 for wrong usage.
`

// Main is the command run. It returns the exit status.
func Main(ctx context.Context, init string, outside func(folder string) broker.Handler, args []string, in io.Reader, out, stderr io.Writer) int {
	o, err := readOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "governance run: %v\n", err)
		return exitUsage
	}
	o.Outside = outside
	return Run(ctx, init, o, in, out, stderr)
}

// Run runs a program behind a fence around the present folder, says on stderr which parts stand,
// and returns the exit status of the program. init is the program of ours that becomes the first
// process of the fence.
func Run(ctx context.Context, init string, o Options, in io.Reader, out, stderr io.Writer) int {
	if os.Getenv(Setting) == Off {
		return withoutFence(o, &Unavailable{"the setting " + Setting + "=off forbids it"}, stderr)
	}

	here, err := openHere(o)
	if err != nil {
		fmt.Fprintf(stderr, "governance run: %v\n", err)
		return exitNoFence
	}
	defer here.close()

	journal := here.journal(ctx, stderr)
	defer journal.Close()
	var p Plan
	planned := func() (_ Plan, err error) {
		p, err = here.plan(o.Program)
		return p, err
	}
	running, err := Start(ctx, init, o.Network, planned, journal.Note, in, out, stderr)
	if IsUnavailable(err) {
		return withoutFence(o, err, stderr)
	}
	if notStarted := new(NotStarted); errors.As(err, &notStarted) {
		fmt.Fprintf(stderr, "governance run: %v\n", err)
		return exitNotFound
	}
	if err != nil {
		fmt.Fprintf(stderr, "governance run: %v\n", err)
		return exitNoFence
	}

	fmt.Fprintln(stderr, "governance run: "+running.Standing.String())
	passSignals(running)
	status, err := running.Wait()
	if err != nil {
		fmt.Fprintf(stderr, "governance run: %v\n", err)
		return exitNoFence
	}

	here.tellNew(ctx, p, stderr)
	return status
}

// withoutFence runs the program plainly if that is wanted, and else says why it does not.
func withoutFence(o Options, err error, stderr io.Writer) int {
	if isLimited := o.Network != "" && o.Network != egress.Open; isLimited {
		fmt.Fprintf(stderr, "governance run: %v, and without one no network is limited, so the program is not run.\n", err)
		return exitNoFence
	}
	if o.Unfenced {
		fmt.Fprintf(stderr, "governance run: %v; going on without one\n", err)
		return runPlainly(o.Program)
	}
	fmt.Fprintf(stderr, "governance run: %v. With -unfenced the program runs without a fence.\n", err)
	return exitNoFence
}

// Options are those of the command run.
type Options struct {
	Network  string // open, none, or allow: and hosts
	Unfenced bool   // without a fence where none can stand
	Program  []string

	// Outside answers, for the project of a folder, what the program asks from behind the fence.
	Outside func(folder string) broker.Handler
}

func readOptions(args []string, stderr io.Writer) (o Options, err error) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Network, "network", egress.Open, "")
	flags.BoolVar(&o.Unfenced, "unfenced", false, "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, help)
		}
		return o, err
	}

	o.Program = flags.Args()
	if len(o.Program) == 0 {
		return o, errors.New("no program is named: governance run -- PROGRAM [ARGUMENTS]")
	}
	return o, egress.Check(o.Network)
}

// runPlainly replaces this process by the program.
func runPlainly(program []string) int {
	path, err := exec.LookPath(program[0])
	if err == nil {
		err = syscall.Exec(path, program, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "governance run: %s cannot be started: %v\n", program[0], err)
	return exitNotFound
}

// passSignals passes the signals of a terminal and of a service manager to the program.
func passSignals(running *Running) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			_ = running.Signal(s) // it may have ended
		}
	}()
}
