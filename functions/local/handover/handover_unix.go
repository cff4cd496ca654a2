//go:build unix

package handover

import (
	"os"
	"syscall"

	"governance.internal/shared/programs"
)

func init() {
	if !isRun(os.Args) {
		return
	}
	own, err := os.Executable()
	if err != nil {
		return
	}

	small, found := programs.Beside(own, programs.Fence)
	_, answers := programs.Beside(own, programs.Hook) // hooks, for the small program
	if found && answers {
		_ = syscall.Exec(small, os.Args, os.Environ()) // after an error this program goes on
	}
}

// isRun reports whether the command line runs a program. The help is that of this program.
func isRun(args []string) bool {
	if len(args) < 3 || args[1] != "run" {
		return false
	}
	return args[2] != "-h" && args[2] != "--help"
}
