// Package programs names the programs that make builds side by side, and finds one of them by
// another. It imports os alone: functions/local/handover needs it before other packages are
// initialised.
package programs

import "os"

// Names of the programs.
const (
	Governance = "governance"
	Hook       = "governance-hook"  // answers the calls of agents
	Fence      = "governance-fence" // runs others behind a fence
)

// Beside is the path of a program in the folder of another one, and whether a file that can be
// executed is there.
func Beside(own, name string) (path string, found bool) {
	path = folder(own) + name
	info, err := os.Stat(path)
	found = err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
	return path, found
}

// folder is the part of a path up to its last separator.
func folder(path string) string {
	for end := len(path); end > 0; end-- {
		if os.IsPathSeparator(path[end-1]) {
			return path[:end]
		}
	}
	return ""
}
