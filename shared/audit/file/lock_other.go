//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package file

import (
	"errors"
	"os"
)

// Without a lock two processes could fork the chain, so there is no store.
func lock(*os.File) error   { return errors.ErrUnsupported }
func unlock(*os.File) error { return errors.ErrUnsupported }
