//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dispatch

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Times of waiting for a lock, which anybody may hold who can read the file.
const (
	lockLimit    = 10 * time.Second
	lockInterval = 5 * time.Millisecond
)

// lockFile waits until nobody else holds the lock of a file, but not for ever.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockLimit); ; time.Sleep(lockInterval) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // which unlocks
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(end) {
			return nil, errors.Join(err, f.Close())
		}
	}
}
