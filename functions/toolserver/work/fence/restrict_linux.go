package fence

import (
	"errors"
	"fmt"
	"os"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights of Landlock on files.
const (
	readRights = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir
	fileRights = readRights&^landlock.AccessFSReadDir | landlock.AccessFSWriteFile | landlock.AccessFSTruncate | landlock.AccessFSIoctlDev
)

// handledRights are the rights on files that a version of the kernel's interface knows.
func handledRights(version int) uint64 {
	rights := uint64(landlock.AccessFSRefer - 1) // all before it
	if version >= 2 {
		rights |= landlock.AccessFSRefer
	}
	if version >= 3 {
		rights |= landlock.AccessFSTruncate
	}
	if version >= 5 {
		rights |= landlock.AccessFSIoctlDev
	}
	return rights
}

// landlockVersion asks the kernel for the version of its interface, 0 if it has none.
func landlockVersion() int {
	version, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// restrictThread lets this thread, and what it starts, write only below the plan's writable
// folders, by Landlock. Other threads of this process stay free to mount.
func restrictThread(p Plan, version int) error {
	if version == 0 {
		return nil
	}

	rules := landlock.RulesetAttr{HandledAccessFS: handledRights(version)}
	if version >= 6 {
		rules.Scoped = landlock.ScopeAbstractUnixSocket // of services outside
	}
	set, err := landlock.LandlockCreateRuleset(&rules, 0)
	if err != nil {
		return err
	}
	defer unix.Close(set)

	if err := allow(set, "/", readRights); err != nil {
		return err
	}
	for _, folder := range p.Writable {
		if err := allow(set, folder, rules.HandledAccessFS); err != nil {
			return err
		}
	}
	for _, path := range outputs() {
		err := allow(set, path, fileRights&rules.HandledAccessFS)
		if err != nil && !errors.Is(err, unix.EBADFD) { // of a file in memory, which needs no rule
			return err
		}
	}
	return landlock.LandlockRestrictSelf(set, 0)
}

// outputs are the files that stand for standard input and outputs: a program may open them again
// as /dev/stdout, wherever they are.
func outputs() (paths []string) {
	for descriptor := range 3 {
		var info unix.Stat_t
		if unix.Fstat(descriptor, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG {
			paths = append(paths, fmt.Sprintf("/proc/self/fd/%d", descriptor))
		}
	}
	return paths
}

// allow allows rights on a file, or on a folder and all below it. What is not there needs none.
func allow(set int, path string, rights uint64) error {
	descriptor, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(descriptor)

	rule := landlock.PathBeneathAttr{ParentFd: descriptor, AllowedAccess: rights}
	if err := landlock.LandlockAddPathBeneathRule(set, &rule, 0); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// dropCapabilities takes every capability from this thread and what it starts, for good: the
// mounts of the fence cannot be undone without them. A namespace that the program makes for
// itself cannot undo them either, because mounts from outside are locked there.
func dropCapabilities() error {
	for number := uintptr(0); number <= unix.CAP_LAST_CAP; number++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, number, 0, 0, 0)
		if err != nil && err != unix.EINVAL { // of a number that this kernel does not know
			return fmt.Errorf("a capability cannot be dropped: %w", err)
		}
	}

	if os.Getuid() == 0 {
		const noRoot = 1<<0 | 1<<1 // SECBIT_NOROOT and its lock: root gets no capabilities at exec
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
			return fmt.Errorf("the powers of root cannot be taken: %w", err)
		}
	}

	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("the ambient capabilities cannot be cleared: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("the capabilities cannot be dropped: %w", err)
	}
	return nil
}
