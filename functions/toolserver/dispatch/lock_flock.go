//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lock keeps other dispatchers of the directory away.
func (d *Dispatcher) lock() (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(d.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // which unlocks
}
