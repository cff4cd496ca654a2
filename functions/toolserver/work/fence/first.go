package fence

import "governance.internal/shared/programs"

// FirstProcess is the program that becomes the first process of a fence: the small one beside
// another one of ours, or that one itself.
func FirstProcess(own string) string {
	if small, found := programs.Beside(own, programs.Fence); found {
		return small
	}
	return own
}

// IsFirstProcess reports whether the arguments of a process ask it to build a fence and to
// become its first process; it then calls [Init].
func IsFirstProcess(args []string) bool {
	return len(args) == 1 && args[0] == InitCommand
}
