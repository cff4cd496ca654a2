//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package statefile

import (
	"errors"
	"time"
)

// Lock locks nothing: without it two servers could start more than the limit, so that
// nothing is started.
func Lock(string, time.Duration) (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}
