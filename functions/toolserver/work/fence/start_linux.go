package fence

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"governance.internal/functions/toolserver/work/fence/egress"
)

// Running is a program behind a fence.
type Running struct {
	Standing Standing

	cmd  *exec.Cmd
	line io.Closer // the fence ends when it closes
}

// Numbers of the descriptors that the first process inherits.
const (
	planFile   = 3
	reportFile = 4
	lineFile   = 5
	proxyFile  = 6
)

// Start builds a fence with a network and starts a plan's program in it. The error is an
// [*Unavailable] where the kernel allows no fence; then no program was started. init is the program
// of ours that becomes the first process; planned makes the plan while that one comes up. decided is
// told what the proxy of a filtered network decides; it may be nil. A cancelled ctx ends the fence
// and everything in it.
func Start(ctx context.Context, init, network string, planned func() (Plan, error), decided func(egress.Decision), in io.Reader, out, stderr io.Writer) (*Running, error) {
	setup, err := Prepare(network, decided)
	if err != nil {
		return nil, err
	}
	defer setup.Close()

	cmd := exec.CommandContext(ctx, init, InitCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, stderr
	setup.Attach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, Forbidden(err)
	}

	plan, err := planned()
	if err != nil {
		_ = cmd.Process.Kill() // it waits for the plan
		_ = cmd.Wait()
		return nil, err
	}
	standing, line, err := setup.Stand(plan)
	if err != nil {
		_ = cmd.Wait() // it said why it ended
		return nil, err
	}
	return &Running{Standing: standing, cmd: cmd, line: line}, nil
}

// Setup is a fence that is about to stand: it belongs to one start of a program of ours with
// [InitCommand]. Close it.
type Setup struct {
	network string
	proxy   *egress.Proxy // of a filtered network; nil for none
	pipes   *pipes
}

// Prepare opens what a start needs for a fence with a network, as in [Plan]. decided is told what the
// proxy of a filtered network decides; it may be nil.
func Prepare(network string, decided func(egress.Decision)) (*Setup, error) {
	network = cmp.Or(network, egress.Open)
	allowed, err := egress.Parse(network)
	if err != nil {
		return nil, err
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}

	setup := &Setup{network: network, pipes: pipes}
	if egress.IsFiltered(network) {
		setup.proxy = &egress.Proxy{Allowed: allowed, Decided: decided}
	}
	return setup, nil
}

// Attach adds to a command what makes its process the first one of the fence. Other attributes
// of the command stay.
func (s *Setup) Attach(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{s.pipes.plan.inner, s.pipes.report.inner, s.pipes.line.inner, s.pipes.proxy.inner}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	addNamespaces(cmd.SysProcAttr, s.network != egress.Open)
}

// Stand hands a plan to the process that was started, and waits until the fence stands and the
// program runs. The network of the fence is the one that it was prepared for. The fence ends when
// the line is closed, so also when this process ends. After an error the process ends by itself.
func (s *Setup) Stand(p Plan) (Standing, io.Closer, error) {
	s.pipes.closeInner()
	p.Network = s.network
	text, err := json.Marshal(p)
	if err != nil {
		return Standing{}, nil, err
	}

	_, writeErr := s.pipes.plan.outer.Write(text)
	_ = s.pipes.plan.outer.Close()
	standing, err := readReport(s.pipes.report.outer)
	if err = cmp.Or(writeErr, err); err != nil {
		return Standing{}, nil, err
	}

	line := &line{pipe: s.pipes.line.outer}
	s.pipes.line.outer = nil // it is the caller's now
	if s.proxy == nil {
		return standing, line, nil
	}

	if line.proxied, err = takeListener(s.pipes.proxy.outer); err != nil {
		return Standing{}, nil, errors.Join(&Unavailable{"its proxy: " + err.Error()}, line.Close())
	}
	go s.proxy.Serve(line.proxied)
	return standing, line, nil
}

// line is what the fence hangs on.
type line struct {
	pipe    *os.File
	proxied net.Listener // nil without a proxy
}

// Close ends the fence.
func (l *line) Close() error {
	if l.proxied != nil {
		_ = l.proxied.Close() // of a network that ends
	}
	return l.pipe.Close()
}

// Close closes what the start did not hand over.
func (s *Setup) Close() error {
	s.pipes.closeInner()
	s.pipes.closeOuter()
	return nil
}

// addNamespaces asks for the namespaces, with the own user mapped to itself. The first process
// needs capabilities in them for its mounts; it drops them before it starts the program.
func addNamespaces(attributes *syscall.SysProcAttr, ownNetwork bool) {
	flags := unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID
	if ownNetwork {
		flags |= unix.CLONE_NEWNET
	}

	attributes.Cloneflags |= uintptr(flags)
	attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attributes.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN}
}

// Forbidden tells a kernel that allows no namespaces from other failures of a start: it returns
// an [*Unavailable] for the former.
func Forbidden(err error) error {
	for _, refusal := range []error{unix.EPERM, unix.ENOSPC, unix.EINVAL, unix.ENOSYS, unix.EUSERS, unix.EACCES} {
		if errors.Is(err, refusal) {
			return &Unavailable{fmt.Sprintf("the kernel refuses user namespaces (%v)", err)}
		}
	}
	return err
}

// mostSetUp is how long a fence may take to stand: a file system that does not answer must not
// hold up the caller.
const mostSetUp = 20 * time.Second

// readReport reads what the first process tells.
func readReport(from *os.File) (Standing, error) {
	defer from.Close()
	_ = from.SetReadDeadline(time.Now().Add(mostSetUp)) // a pipe takes one
	text, err := io.ReadAll(from)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Standing{}, &Unavailable{fmt.Sprintf("it did not stand after %s", mostSetUp)}
	}
	if err != nil {
		return Standing{}, err
	}

	var told message
	if err := json.Unmarshal(text, &told); err != nil {
		return Standing{}, errors.New("the first process of the fence ended without a report")
	}
	if told.NotStarted {
		return Standing{}, &NotStarted{told.Error}
	}
	if told.Error != "" {
		return Standing{}, &Unavailable{told.Error}
	}
	return told.Standing, nil
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

// pipes are the plan, the report, a line that tells the first process when we are gone, and a socket
// on which it hands over the listener of the proxy.
type pipes struct {
	plan, report, line, proxy pipe
}

func openPipes() (*pipes, error) {
	var p pipes
	var errPlan, errReport, errLine error
	p.plan.inner, p.plan.outer, errPlan = os.Pipe()
	p.report.outer, p.report.inner, errReport = os.Pipe()
	p.line.inner, p.line.outer, errLine = os.Pipe()
	errProxy := p.proxy.open()
	if err := cmp.Or(errPlan, errReport, errLine, errProxy); err != nil {
		p.closeInner()
		p.closeOuter()
		return nil, err
	}
	return &p, nil
}

// open makes a pair of sockets.
func (p *pipe) open() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	p.inner, p.outer = os.NewFile(uintptr(pair[0]), "proxy"), os.NewFile(uintptr(pair[1]), "proxy")
	return nil
}

func (p *pipes) closeInner() {
	closeAll(p.plan.inner, p.report.inner, p.line.inner, p.proxy.inner)
}

func (p *pipes) closeOuter() {
	closeAll(p.plan.outer, p.report.outer, p.line.outer, p.proxy.outer)
}

func closeAll(files ...*os.File) {
	for _, file := range files {
		if file != nil {
			_ = file.Close() // twice does no harm
		}
	}
}
