//go:build !unix

package host

import "errors"

// DiskSpace is unknown on this system.
func DiskSpace(string) (total, free uint64, err error) {
	return 0, 0, errors.New("not available on this system")
}
