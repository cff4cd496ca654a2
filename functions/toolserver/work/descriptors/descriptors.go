// Package descriptors reserves a few file descriptors, so that the kill switch can read its
// flag, inspect processes and write to the audit trail when all others are used up.
package descriptors

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// Spare is how many descriptors are kept back. A kill needs about ten at a time.
const Spare = 32

var held struct {
	sync.Mutex
	wanted bool
	files  []*os.File
	users  int // of the spare ones at this moment
}

// Hold reserves the spare descriptors.
func Hold() {
	held.Lock()
	defer held.Unlock()
	held.wanted = true
	fill()
}

// Free releases the spare descriptors until again is called.
func Free() (again func()) {
	held.Lock()
	defer held.Unlock()

	held.users++
	for _, file := range held.files {
		_ = file.Close()
	}

	held.files = nil
	return sync.OnceFunc(func() {
		held.Lock()
		defer held.Unlock()
		held.users--
		fill()
	})
}

// fill opens the missing spare descriptors, as far as the system allows. The lock is held.
func fill() {
	for held.wanted && held.users == 0 && len(held.files) < Spare {
		file, err := os.Open(os.DevNull)
		if err != nil {
			return // the next time
		}
		held.files = append(held.files, file)
	}
}

// Exhausted reports whether an error means that no descriptor is left, in this process or
// in the system.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
