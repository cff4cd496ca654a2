package server_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"governance.internal/functions/toolserver/work/descriptors"
)

// A server keeps descriptors back for the kill switch from its start: when clients have used up
// all others it is too late.
func TestAServerKeepsDescriptorsBackForTheKillSwitch(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only there a process can see its own descriptors
	}
	start(t, nil)

	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && target == os.DevNull {
			kept++
		}
	}
	if kept < descriptors.Spare {
		t.Errorf("%d descriptors are kept back, want %d", kept, descriptors.Spare)
	}
}
