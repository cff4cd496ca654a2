//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package statefile

import (
	"errors"
	"time"
)

// Lock always fails: without it two servers could exceed the limit, so nothing is started.
func Lock(string, time.Duration) (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}
