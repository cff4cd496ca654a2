package fence

import (
	"io/fs"
	"os"
	"path/filepath"
)

// program is the small program that becomes the first process of a fence.
const program = "governance-fence"

// FirstProcess is the program that becomes the first process of a fence: the small one beside
// another one of ours, or that one itself.
func FirstProcess(own string) string {
	small := filepath.Join(filepath.Dir(own), program)
	info, err := os.Stat(small)
	isProgram := err == nil && info.Mode().Type() == fs.FileMode(0) && info.Mode().Perm()&0o111 != 0
	if isProgram {
		return small
	}
	return own
}

// IsFirstProcess reports whether the arguments of a process ask it to build a fence and to
// become its first process; it then calls [Init].
func IsFirstProcess(args []string) bool {
	return len(args) == 1 && args[0] == InitCommand
}
