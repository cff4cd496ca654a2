//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dispatch

import (
	"errors"
	"os"
	"syscall"
)

// lockFile waits until nobody else holds the lock of a file.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // which unlocks
}
