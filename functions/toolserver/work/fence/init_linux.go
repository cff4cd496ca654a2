package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"governance.internal/functions/toolserver/work/fence/egress"
)

// Init is the first process of a fence: it builds the fence, tells which parts stand, starts the
// program, and ends with it. When it ends the kernel ends everything else in the fence. It
// returns the exit status.
func Init() int {
	// What stands behind the fence is of the same user, and must not reach into this process,
	// whose threads keep their capabilities.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 125
	}
	for _, own := range []int{planFile, reportFile, lineFile, proxyFile} {
		unix.CloseOnExec(own)
	}
	report := os.NewFile(reportFile, "report")
	p, err := readPlan()
	if err != nil {
		return refuse(report, err)
	}

	standing, err := build(p)
	if err != nil {
		return refuse(report, err)
	}

	keeper, err := newKeeper(p)
	if err != nil {
		return refuse(report, err)
	}
	if egress.IsFiltered(p.Network) {
		if err := offerProxy(p.Network); err != nil {
			return refuse(report, err)
		}
	}

	go endWithTheLine(os.NewFile(lineFile, "line"))
	program, err := start(p, standing.Landlock)
	if IsUnavailable(err) {
		return refuse(report, err)
	}
	if err != nil {
		return notStarted(report, fmt.Errorf("%s cannot be started: %w", p.Program[0], err))
	}
	_, _ = report.Write(message{Standing: standing}.encode()) // who reads it may be gone
	_ = report.Close()
	go keeper.run()
	return attend(program)
}

func readPlan() (Plan, error) {
	file := os.NewFile(planFile, "plan")
	defer file.Close()

	var p Plan
	text, err := io.ReadAll(file)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, err
	}
	if len(p.Program) == 0 {
		return p, errors.New("no program is named")
	}
	return p, nil
}

// refuse tells why the program was not started.
func refuse(report *os.File, err error) int {
	why := err.Error()
	if unavailable := new(Unavailable); errors.As(err, &unavailable) {
		why = unavailable.Reason
	}
	_, _ = report.Write(message{Error: why}.encode()) // who reads it may be gone
	return 125
}

// notStarted tells why the program did not start in a fence that stands.
func notStarted(report *os.File, err error) int {
	_, _ = report.Write(message{Error: err.Error(), NotStarted: true}.encode()) // who reads it may be gone
	return exitNotFound
}

// build makes the mounts and the network. The program is restricted when it starts.
func build(p Plan) (Standing, error) {
	standing := Standing{Namespaces: true, Network: p.Network, Open: len(p.Open)}
	bound, err := mountAll(p)
	if err != nil {
		return standing, err
	}
	standing.ReadOnly, standing.Hidden = bound, len(p.Hidden)

	if p.Network != egress.Open {
		if err := raiseLoopback(); err != nil {
			return standing, err
		}
	}

	standing.Landlock = landlockVersion()
	return standing, nil
}

// started is what became of the start of the program.
type started struct {
	cmd *exec.Cmd
	err error // an [*Unavailable] if the restrictions cannot stand
}

// start starts the program from a thread that it restricts for good: it writes only where the
// plan lets it, and has no capabilities; for root the bits are set that take the powers of root
// at the next program. The thread ends with its goroutine.
func start(p Plan, landlock int) (*exec.Cmd, error) {
	done := make(chan started)
	go func() {
		runtime.LockOSThread()
		if err := restrictAll(p, landlock); err != nil {
			done <- started{err: &Unavailable{err.Error()}}
			return
		}

		cmd := exec.Command(p.Program[0], p.Program[1:]...)
		cmd.Dir = p.Dir
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		done <- started{cmd, cmd.Start()}
	}()

	result := <-done
	return result.cmd, result.err
}

func restrictAll(p Plan, landlock int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("new privileges cannot be refused: %w", err)
	}
	if err := restrictThread(p, landlock); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return dropCapabilities()
}

// endWithTheLine ends the fence when those who started it are gone.
func endWithTheLine(line *os.File) {
	_, _ = line.Read(make([]byte, 1)) // nobody writes: it returns when the other end closes
	os.Exit(137)
}

// attend passes signals to the program and returns its status. It does not wait for processes
// that the program leaves behind: they end with this one.
func attend(program *exec.Cmd) int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH)
	go func() {
		for s := range signals {
			_ = program.Process.Signal(s) // it may have ended
		}
	}()

	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 125
		case pid == program.Process.Pid && status.Signaled():
			return 128 + int(status.Signal())
		case pid == program.Process.Pid:
			return status.ExitStatus()
		}
	}
}
