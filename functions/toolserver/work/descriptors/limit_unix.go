//go:build unix

package descriptors

import "syscall"

// Limit is how many descriptors this process may have (RLIMIT_NOFILE).
func Limit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return usualLimit
	}
	return int(min(limit.Cur, 1<<20)) // without a limit it is the largest number
}

const usualLimit = 1024
