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
	if err := pin(p); err != nil {
		return 0, err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return 0, fmt.Errorf("/proc cannot be mounted: %w", err)
	}
	if err := closeKernel(); err != nil {
		return 0, err
	}

	for _, path := range p.ReadOnly {
		if err := bindReadOnly(path); err != nil {
			return bound, err
		}
		bound++
	}
	for _, path := range p.Links {
		if err := bindLink(path); err != nil {
			return bound, err
		}
		bound++
	}

	if p.Door.Place != "" {
		if err := openDoor(p.Door); err != nil {
			return bound, err
		}
	}
	if err := hideAll(p); err != nil {
		return bound, err
	}
	return bound, os.Chdir(p.Dir) // which still is the folder below the mounts
}

// ofKernel are settings of the kernel, which hold outside the fence, too: one names a program that
// the kernel itself runs.
var ofKernel = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"}

// closeKernel makes the settings of the kernel read-only. Without it root could change them, in
// whatever namespace it is.
func closeKernel() error {
	for _, path := range ofKernel {
		if _, err := os.Stat(path); err != nil {
			continue // this kernel has none
		}
		if err := bindReadOnly(path); err != nil {
			return err
		}
	}
	return nil
}

// pin keeps the folders above the places of a plan from being renamed, so that nothing can be put
// in their place. The kernel refuses to rename what is a mount point anywhere in the namespace, so
// the mounts are made in a second view of the files, which the new /proc covers. In the first view
// files can still be linked from folder to folder, which is not possible between mounts.
func pin(p Plan) error {
	const view = "/proc"
	if err := unix.Mount("/", view, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("a second view of the files cannot be made: %w", err)
	}

	for _, folder := range ancestors(p) {
		if err := bind(view + folder); err != nil {
			return err
		}
	}
	return nil
}

// ancestors are the folders above the places of a plan, the upper ones first.
func ancestors(p Plan) []string {
	seen := map[string]bool{}
	var found []string
	for _, path := range slices.Concat(p.ReadOnly, p.Links, p.Hidden, []string{p.Folder}) {
		for folder := filepath.Dir(path); folder != "/" && !seen[folder]; folder = filepath.Dir(folder) {
			seen[folder] = true
			found = append(found, folder)
		}
	}
	if !seen[p.Folder] {
		found = append(found, p.Folder)
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
	return remountReadOnly(path)
}

func remountReadOnly(path string) error {
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

// bindLink binds a symbolic link on itself, so that it can be neither removed nor replaced. Its
// target is not followed: the descriptor is of the link.
func bindLink(path string) error {
	link, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(link)
	return bind(fmt.Sprintf("/proc/self/fd/%d", link))
}

// openDoor shows a folder in the place of another, read-only.
func openDoor(d Door) error {
	if err := unix.Mount(d.Shown, d.Place, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("%s cannot be closed: %w", d.Place, err)
	}
	return remountReadOnly(d.Place)
}

// hideAll hides places, but for the files in them that the plan shows.
func hideAll(p Plan) error {
	for _, path := range p.Hidden {
		isShown := func(file string) bool { return strings.HasPrefix(file, path+"/") }
		shown := slices.DeleteFunc(slices.Clone(p.Shown), func(file string) bool { return !isShown(file) })
		if err := hideBut(path, shown); err != nil {
			return err
		}
	}
	return nil
}

// hideBut hides a place, but for files in it.
func hideBut(path string, shown []string) error {
	kept := map[string]int{}
	for _, file := range shown {
		descriptor, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		defer unix.Close(descriptor)
		kept[file] = descriptor
	}
	if len(kept) == 0 {
		return hide(path)
	}

	if err := unix.Mount("none", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=64k,mode=755"); err != nil {
		return fmt.Errorf("%s cannot be hidden: %w", path, err)
	}
	for file, descriptor := range kept {
		if err := show(file, descriptor); err != nil {
			return fmt.Errorf("%s cannot be shown: %w", file, err)
		}
	}
	return remountReadOnly(path)
}

// show binds an open file where its hidden name was.
func show(file string, descriptor int) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, nil, 0o444); err != nil {
		return err
	}
	return unix.Mount(fmt.Sprintf("/proc/self/fd/%d", descriptor), file, "", unix.MS_BIND, "")
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
