package fencetest

import (
	"os/exec"
)

// Possible reports whether this machine certainly allows what a fence needs, as another program
// finds: then a test must not be content with the answer that none stands.
func Possible() bool {
	return exec.Command("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "true").Run() == nil
}
