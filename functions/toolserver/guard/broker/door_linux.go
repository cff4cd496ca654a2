package broker

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Door is the way out of a fence.
type Door struct {
	folder string // state folder of the workspace
}

// Find returns the door of the fence around this process, for a workspace; nil if there is none.
// The state folder must be a read-only mount: nobody can make one outside of a fence whose
// programs the guard would ask.
func Find(folder string) *Door {
	state := filepath.Join(folder, workspace.StateDir)
	info, err := os.Lstat(filepath.Join(state, socket))
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return nil
	}

	var mount unix.Statfs_t
	if unix.Statfs(state, &mount) != nil || mount.Flags&unix.ST_RDONLY == 0 {
		return nil
	}
	return &Door{state}
}

// dial connects through a descriptor of the folder: the name of a socket has at most 107 bytes.
func (d *Door) dial() (connection net.Conn, err error) {
	err = through(d.folder, func(name string) error {
		connection, err = net.Dial("unix", name)
		return err
	})
	return connection, err
}

// listen makes the socket in a folder.
func listen(folder string) (listener net.Listener, err error) {
	err = through(folder, func(name string) error {
		listener, err = net.Listen("unix", name)
		return err
	})
	return listener, err
}

// through calls a function with a short name of the socket in a folder.
func through(folder string, use func(name string) error) error {
	descriptor, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(descriptor)
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", descriptor, socket))
}

// peer is the number of the process at the other end of a connection, 0 if it is not known.
func peer(connection net.Conn) (process int) {
	socket, ok := connection.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(descriptor uintptr) {
		if who, err := unix.GetsockoptUcred(int(descriptor), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			process = int(who.Pid)
		}
	}) // a closed one has no peer
	return process
}
