package fence

import (
	"fmt"

	"golang.org/x/sys/unix"
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
