//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package statefile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const lockInterval = 5 * time.Millisecond // between two tries

// Lock locks a file until unlock or the end of the process. It waits for the holder of the
// lock up to the limit, because any process that can read the file may hold it, and then
// fails with [ErrLocked].
func Lock(path string, limit time.Duration) (unlock func(), err error) {
	f, err := openLock(path)
	if errors.Is(err, syscall.EISDIR) ||
		errors.Is(err, syscall.ELOOP) { // a folder or a link in its place, which would be there for ever
		if err = os.RemoveAll(path); err == nil {
			f, err = openLock(path)
		}
	}

	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(limit); ; time.Sleep(lockInterval) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // which unlocks
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		if !time.Now().Before(end) {
			return nil, errors.Join(ErrLocked, f.Close())
		}
	}
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
}
