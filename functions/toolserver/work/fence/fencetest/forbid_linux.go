// Package fencetest makes a process like one on a kernel that allows no fence, for tests.
package fencetest

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a kernel may lack.
const (
	Namespaces = "namespaces" // user namespaces are refused with EPERM
	Landlock   = "landlock"   // its calls are unknown
)

// Offsets in the data of a system call that a filter sees (struct seccomp_data).
const (
	numberOfCall  = 0
	firstArgument = 16
)

// Forbid puts a filter around this process and all that it starts, for good: the kernel then
// answers as one that lacks something. It is for a test that runs itself again as a child.
func Forbid(lacks string) error {
	filter := withoutLandlock()
	if lacks == Namespaces {
		filter = withoutNamespaces()
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}

	const allThreads = unix.SECCOMP_FILTER_FLAG_TSYNC
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, allThreads, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// withoutNamespaces refuses clone and unshare of a user namespace. The flags of clone3 are in
// memory, which no filter reads, so clone3 is unknown: programs then call clone.
func withoutNamespaces() []unix.SockFilter {
	return []unix.SockFilter{
		load(numberOfCall),
		equal(unix.SYS_CLONE3, 5, 0),
		equal(unix.SYS_CLONE, 1, 0),
		equal(unix.SYS_UNSHARE, 0, 4),
		load(firstArgument),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jt: 0, Jf: 2},
		fail(unix.EPERM),
		fail(unix.ENOSYS),
		allow,
	}
}

func withoutLandlock() []unix.SockFilter {
	return []unix.SockFilter{
		load(numberOfCall),
		equal(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 1),
		fail(unix.ENOSYS),
		allow,
	}
}

var allow = unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// equal goes on so many steps further if the number is this one, and else so many.
func equal(number uint32, isSo, isNot uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jt: isSo, Jf: isNot}
}

func fail(with unix.Errno) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(with)}
}
