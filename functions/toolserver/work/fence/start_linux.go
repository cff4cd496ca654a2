package fence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Running is a program behind a fence.
type Running struct {
	Standing Standing

	cmd  *exec.Cmd
	line *os.File // held open: the fence ends when it closes
}

// Numbers of the descriptors that the first process inherits.
const (
	planFile   = 3
	reportFile = 4
	lineFile   = 5
)

// Start builds a fence and starts the plan's program in it. The error is an [*Unavailable] where
// the kernel allows no fence; then nothing was started. init is the program of ours that becomes
// the first process. A cancelled ctx ends the fence and everything in it.
func Start(ctx context.Context, init string, p Plan, in io.Reader, out, stderr io.Writer) (*Running, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}

	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	defer pipes.closeInner()

	cmd := exec.CommandContext(ctx, init, InitCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, stderr
	cmd.Dir = p.Folder
	cmd.ExtraFiles = []*os.File{pipes.plan.inner, pipes.report.inner, pipes.line.inner}
	cmd.SysProcAttr = namespaces(p.Offline)
	if err := cmd.Start(); err != nil {
		pipes.closeOuter()
		return nil, forbidden(err)
	}
	pipes.closeInner()

	_, writeErr := pipes.plan.outer.Write(text)
	_ = pipes.plan.outer.Close()
	standing, err := readReport(pipes.report.outer)
	if err = firstOf(writeErr, err); err != nil {
		_ = pipes.line.outer.Close() // the first process ends
		_ = cmd.Wait()
		return nil, err
	}
	return &Running{Standing: standing, cmd: cmd, line: pipes.line.outer}, nil
}

// namespaces asks for the namespaces, with the own user mapped to itself. The first process
// needs capabilities in them for its mounts; it drops them before it starts the program.
func namespaces(offline bool) *syscall.SysProcAttr {
	flags := unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID
	if offline {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Cloneflags:  uintptr(flags),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN},
	}
}

// forbidden tells a kernel that allows no namespaces from other failures.
func forbidden(err error) error {
	for _, refusal := range []error{unix.EPERM, unix.ENOSPC, unix.EINVAL, unix.ENOSYS, unix.EUSERS, unix.EACCES} {
		if errors.Is(err, refusal) {
			return &Unavailable{fmt.Sprintf("the kernel refuses user namespaces (%v)", err)}
		}
	}
	return err
}

// readReport reads what the first process tells.
func readReport(from *os.File) (Standing, error) {
	defer from.Close()
	text, err := io.ReadAll(from)
	if err != nil {
		return Standing{}, err
	}

	var told message
	if err := json.Unmarshal(text, &told); err != nil {
		return Standing{}, errors.New("the first process of the fence ended without a report")
	}
	if told.Error != "" {
		return Standing{}, &Unavailable{told.Error}
	}
	return told.Standing, nil
}

func firstOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// Wait waits for the end of the program and returns its exit status.
func (r *Running) Wait() (status int, err error) {
	defer r.line.Close()
	err = r.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// Kill ends everything behind the fence at once.
func (r *Running) Kill() error { return r.cmd.Process.Kill() }

// Signal passes a signal to the program.
func (r *Running) Signal(s os.Signal) error { return r.cmd.Process.Signal(s) }

// pipe has an end for us and one for the first process.
type pipe struct {
	inner, outer *os.File
}

// pipes are the plan, the report, and a line that tells the first process when we are gone.
type pipes struct {
	plan, report, line pipe
}

func openPipes() (*pipes, error) {
	var p pipes
	var errPlan, errReport, errLine error
	p.plan.inner, p.plan.outer, errPlan = os.Pipe()
	p.report.outer, p.report.inner, errReport = os.Pipe()
	p.line.inner, p.line.outer, errLine = os.Pipe()
	if err := firstOf(errPlan, errReport, errLine); err != nil {
		p.closeInner()
		p.closeOuter()
		return nil, err
	}
	return &p, nil
}

func (p *pipes) closeInner() { closeAll(p.plan.inner, p.report.inner, p.line.inner) }
func (p *pipes) closeOuter() { closeAll(p.plan.outer, p.report.outer, p.line.outer) }

func closeAll(files ...*os.File) {
	for _, file := range files {
		if file != nil {
			_ = file.Close() // twice does no harm
		}
	}
}
