//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package outcome

import "errors"

// lock fails: without a lock two writers could give two records the same place.
func (j Journal) lock() (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}
