package porttest_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"governance.internal/shared/porttest"
)

// The owner of the port may listen on it repeatedly.
func TestTheOwnerMayListenTwice(t *testing.T) {
	address := porttest.Address(t)
	for range 2 {
		if connection, err := net.Dial("tcp", address); err == nil {
			t.Fatalf("%v answers without a listener", connection.RemoteAddr())
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = connection.Close()
		_ = listener.Close()
	}
}

// The port is taken for all others: for who does not share ports, and for who asks for any.
func TestNoOtherProcessGetsThePort(t *testing.T) {
	address := porttest.Address(t)
	alone := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(socket uintptr) {
			err = syscall.SetsockoptInt(int(socket), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0)
		}), err)
	}}
	if listener, err := alone.Listen(t.Context(), "tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("%v (%v)", listener, err)
	}
	for range 800 { // most machines allow a thousand open files
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if listener.Addr().String() == address {
			t.Fatal("the kernel gave it to another")
		}
	}
}
