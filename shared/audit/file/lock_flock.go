//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package file

import (
	"os"
	"syscall"
)

func lock(f *os.File) error   { return flock(f, syscall.LOCK_EX) }
func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}
