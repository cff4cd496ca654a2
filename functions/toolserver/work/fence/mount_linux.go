package fence

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mountAll makes the mounts of a plan and returns how many places are read-only.
func mountAll(p Plan) (bound int, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return 0, fmt.Errorf("the mounts cannot be made private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return 0, fmt.Errorf("/proc cannot be mounted: %w", err)
	}

	for _, folder := range ancestors(p) {
		if err := bind(folder); err != nil {
			return bound, err
		}
	}
	for _, path := range p.ReadOnly {
		if err := bindReadOnly(path); err != nil {
			return bound, err
		}
		bound++
	}
	for _, path := range p.Hidden {
		if err := hide(path); err != nil {
			return bound, err
		}
	}

	// The working directory still is the folder below the mounts.
	return bound, os.Chdir(p.Folder)
}

// ancestors are the folders between the workspace and its governed places, the upper ones first.
// A folder that is a mount of its own cannot be renamed, so nothing can be put in its place.
func ancestors(p Plan) []string {
	var found []string
	for _, path := range p.ReadOnly {
		folder := filepath.Dir(path)
		for strings.HasPrefix(folder, p.Folder+"/") && !slices.Contains(found, folder) {
			found = append(found, folder)
			folder = filepath.Dir(folder)
		}
	}

	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	return found
}

func bind(path string) error {
	if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s cannot be bound: %w", path, err)
	}
	return nil
}

// bindReadOnly binds a place on itself, read-only. Flags that the mount had are locked in a user
// namespace and must be given again.
func bindReadOnly(path string) error {
	if err := bind(path); err != nil {
		return err
	}

	var had unix.Statfs_t
	if err := unix.Statfs(path, &had); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	const kept = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME
	flags := uintptr(had.Flags)&kept | unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY
	if err := unix.Mount("", path, "", flags, ""); err != nil {
		return fmt.Errorf("%s cannot be made read-only: %w", path, err)
	}
	return nil
}

// hide puts an empty folder or an empty file over a place.
func hide(path string) error {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}

	if !info.IsDir() {
		err = unix.Mount(os.DevNull, path, "", unix.MS_BIND, "")
	} else {
		err = unix.Mount("none", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,mode=555")
	}
	if err != nil {
		return fmt.Errorf("%s cannot be hidden: %w", path, err)
	}
	return nil
}
