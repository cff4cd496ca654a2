package file

import (
	"os"
	"syscall"
)

// syncData makes contents and length durable, but not times, which saves a write
// of the inode.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
