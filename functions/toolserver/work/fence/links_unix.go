//go:build unix

package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// identity is a file, whatever its names are.
type identity struct {
	device, number uint64
}

func identityOf(info fs.FileInfo) (id identity, names uint64, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return id, 0, false
	}
	return identity{uint64(stat.Dev), stat.Ino}, uint64(stat.Nlink), true
}

// otherNames are further names of governed files in the workspace (hard links): through them the
// same bytes could be changed.
func otherNames(folder string, governed []string) ([]string, error) {
	wanted := map[identity]bool{}
	for _, path := range governed {
		err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if id, names, ok := identityOf(info); ok && names > 1 {
				wanted[id] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	return namesOf(wanted, folder, governed)
}

// namesOf are the names below a folder of wanted files that are not governed themselves.
func namesOf(wanted map[identity]bool, folder string, governed []string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || slices.Contains(governed, path) {
			return skipped(entry, err)
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if id, _, ok := identityOf(info); ok && wanted[id] {
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// skipped leaves out a governed folder.
func skipped(entry fs.DirEntry, err error) error {
	if err == nil && entry.IsDir() {
		return fs.SkipDir
	}
	return err
}
