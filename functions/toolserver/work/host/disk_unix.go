//go:build unix

package host

import "syscall"

// DiskSpace asks the kernel; free is what an ordinary user may still write.
func DiskSpace(path string) (total, free uint64, err error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err != nil {
		return 0, 0, err
	}
	size := uint64(stat.Bsize)
	return stat.Blocks * size, stat.Bavail * size, nil
}
