package fence

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Pauses between two looks at the governed places: they grow.
const (
	leastPause = 5 * time.Millisecond
	mostPause  = 200 * time.Millisecond
)

// keeper binds again what was replaced from outside the fence, as an editor of a person or git
// does: the kernel takes a mount away together with the file below it.
type keeper struct {
	places, links []string
	mounts        *os.File // the kernel reports each change of them
}

// newKeeper knows what is held now, before the program starts.
func newKeeper(p Plan) (*keeper, error) {
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("the mounts cannot be watched: %w", err)
	}
	return &keeper{
		places: slices.DeleteFunc(slices.Clone(p.ReadOnly), isNoMount), // such as what is in a hidden folder
		links:  slices.DeleteFunc(slices.Clone(p.Links), isNoMount),
		mounts: mounts,
	}, nil
}

// run returns only if the mounts cannot be watched any more. The kernel reports a change before
// it is complete, so the places are looked at some more times after each report.
func (k *keeper) run() {
	defer k.mounts.Close()
	watched := []unix.PollFd{{Fd: int32(k.mounts.Fd()), Events: unix.POLLPRI}}
	pause := leastPause
	for {
		absent := k.bindLost()
		isSettled := pause >= mostPause && !absent
		timeout := int(pause / time.Millisecond)
		if isSettled {
			timeout = -1
		}

		reported, err := unix.Poll(watched, timeout)
		switch {
		case err != nil && err != unix.EINTR:
			return
		case reported > 0:
			pause = leastPause
		default:
			pause = min(2*pause, mostPause)
		}
	}
}

// bindLost binds the places that no mount covers any more. It reports whether any is absent: it
// is looked for again, because a file that is put in its place makes no change of the mounts. For
// a moment of each replacement nothing can be bound.
func (k *keeper) bindLost() (absent bool) {
	for _, path := range k.places {
		absent = !holds(path, bindReadOnly) || absent
	}
	for _, path := range k.links {
		absent = !holds(path, bindLink) || absent
	}
	return absent
}

// holds reports whether a mount begins at a path, after binding it if it must.
func holds(path string, bind func(string) error) bool {
	held, err := isMountRoot(path)
	if err != nil {
		return false
	}
	return held || bind(path) == nil
}

func isNoMount(path string) bool {
	held, err := isMountRoot(path)
	return err != nil || !held
}

// isMountRoot reports whether a mount begins at a path itself, without following a link.
func isMountRoot(path string) (bool, error) {
	var info unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE, &info)
	if err != nil {
		return false, err
	}
	if info.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT == 0 {
		return true, nil // before Linux 5.8 nothing says so
	}
	return info.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, nil
}
