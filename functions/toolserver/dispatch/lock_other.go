//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package dispatch

import "errors"

// Without a lock two servers could start more than the limit, so nothing is started.
func lockFile(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
