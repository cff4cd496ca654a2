// Package porttest gives tests a TCP port for a process that they start.
//
// Who only looks for a free port and closes it again may find it taken when the process
// listens, or when it is started a second time: other tests run meanwhile. A socket that is
// bound and does not listen keeps the port: the kernel gives it to no caller that asks for any
// port, and lets listen who names it.
package porttest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// Address returns a HOST:PORT on the loopback that is reserved for the test until it ends.
// Connections are refused until the test listens on it.
func Address(t testing.TB) string {
	t.Helper()
	address, release, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// Reserve is Address for what outlives a test.
func Reserve() (address string, release func(), err error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", nil, os.NewSyscallError("socket", err)
	}

	syscall.CloseOnExec(socket)
	release = func() { _ = syscall.Close(socket) }
	port, err := bind(socket)
	if err != nil {
		release()
		return "", nil, err
	}
	return fmt.Sprintf("127.0.0.1:%d", port), release, nil
}

// bind gives a socket a port of the loopback. Reuse is what lets another socket that also
// allows it have the same port, as those of servers do.
func bind(socket int) (port int, err error) {
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return name.(*syscall.SockaddrInet4).Port, nil
}
