package fence

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// restrict lets the program write only below the plan's writable folders, by Landlock. It
// returns the version of the kernel's interface, 0 where there is none.
func restrict(p Plan) (version int, err error) {
	version = landlockVersion()
	if version == 0 {
		return 0, nil
	}

	rules := []landlock.Rule{landlock.RODirs("/")}
	for _, folder := range p.Writable {
		rule := landlock.RWDirs(folder).WithIoctlDev().IgnoreIfMissing()
		if version >= 2 {
			rule = rule.WithRefer()
		}
		rules = append(rules, rule)
	}
	return version, landlock.V5.BestEffort().RestrictPaths(rules...)
}

// landlockVersion asks the kernel (landlock_create_ruleset, LANDLOCK_CREATE_RULESET_VERSION).
func landlockVersion() int {
	const flagVersion = 1
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, flagVersion)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// dropCapabilities takes every capability from this process and what it starts, for good: the
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
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("new privileges cannot be refused: %w", err)
	}

	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("the capabilities cannot be dropped: %w", err)
	}
	return nil
}
