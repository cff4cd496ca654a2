//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outcome

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// patience is how long a writer waits for the others. An agent waits as long.
var patience = 5 * time.Second

// lock keeps other writers away until unlock is called.
func (j Journal) lock() (unlock func(), err error) {
	f, err := j.Workspace.OpenState(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}

	for began := time.Now(); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("journal: %w", err), f.Close())
		}
		if time.Since(began) >= patience {
			return nil, errors.Join(errors.New("journal: another process holds it"), f.Close())
		}
		time.Sleep(pause)
	}
}

// pause is the time between two attempts.
const pause = 200 * time.Microsecond
