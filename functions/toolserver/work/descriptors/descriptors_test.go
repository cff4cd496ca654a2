//go:build unix

package descriptors_test

import (
	"os"
	"syscall"
	"testing"

	"governance.internal/functions/toolserver/work/descriptors"
)

// The spare descriptors are there when everything else has used up what the system allows.
func TestTheSpareDescriptorsServeWhenNoneIsLeft(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := syscall.Rlimit{Cur: min(256, before.Max), Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) }()

	descriptors.Hold()
	for {
		file, err := os.Open(os.DevNull)
		if descriptors.Exhausted(err) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
	}

	again := descriptors.Free()
	for n := range descriptors.Spare {
		file, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatalf("only %d of %d spare descriptors are free: %v", n, descriptors.Spare, err)
		}
		defer file.Close()
	}
	again()
}
