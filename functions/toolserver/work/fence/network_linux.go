package fence

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"governance.internal/functions/toolserver/work/fence/egress"
)

// raiseLoopback switches the loopback of a new network namespace on: tests and tools talk to
// themselves over it.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)

	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("the loopback cannot be raised: %w", err)
	}
	return nil
}

// offerProxy listens on the loopback of the fence and hands the listener to the process outside,
// which answers as a proxy there. What is started next finds the proxy in its environment.
func offerProxy(network string) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the proxy cannot listen: %w", err)
	}
	defer listener.Close() // the process outside has its own

	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unix.Sendmsg(proxyFile, []byte{0}, unix.UnixRights(int(file.Fd())), nil, 0); err != nil {
		return fmt.Errorf("the proxy cannot be handed over: %w", err)
	}
	return nameProxy("http://"+listener.Addr().String(), network)
}

// nameProxy sets the variables in which programs look for a proxy.
func nameProxy(address, network string) error {
	allowed, err := egress.Parse(network)
	if err != nil {
		return err
	}
	direct := "localhost,127.0.0.1,::1"
	if allowed.ReachesOwn() {
		direct = ""
	}

	values := map[string]string{
		"HTTP_PROXY":         address,
		"http_proxy":         address,
		"HTTPS_PROXY":        address,
		"https_proxy":        address,
		"ALL_PROXY":          address,
		"all_proxy":          address,
		"NO_PROXY":           direct,
		"no_proxy":           direct,
		"NODE_USE_ENV_PROXY": "1",
	}
	for name, value := range values {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// takeListener takes what [offerProxy] hands over.
func takeListener(from *os.File) (net.Listener, error) {
	var data [1]byte
	control := make([]byte, unix.CmsgSpace(4)) // of one descriptor
	_, n, _, _, err := unix.Recvmsg(int(from.Fd()), data[:], control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.New("no listener was handed over")
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return nil, errors.New("no listener was handed over")
	}

	file := os.NewFile(uintptr(descriptors[0]), "listener")
	defer file.Close() // the listener has its own
	return net.FileListener(file)
}
