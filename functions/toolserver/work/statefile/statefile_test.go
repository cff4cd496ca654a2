//go:build linux

package statefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/statefile"
)

// Reading anything other than a regular file fails at once, and a write replaces it.
func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	for name, put := range map[string]func() error{
		"a pipe":             func() error { return syscall.Mkfifo(path, 0o600) },
		"a device":           func() error { return os.Symlink("/dev/zero", path) },
		"a file without end": func() error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) },
	} {
		if err := put(); err != nil {
			t.Fatal(name, err)
		}
		if text, err := statefile.Read(path); err == nil {
			t.Errorf("%s is read as %d bytes", name, len(text))
		}
		if err := statefile.Replace(path, []byte("new")); err != nil {
			t.Error(name, err)
		}
		if text, err := statefile.Read(path); err != nil || string(text) != "new" {
			t.Errorf("%s: %q (%v)", name, text, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := statefile.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Waiting for a lock has a limit, and a released lock can be taken again.
func TestALockIsHeldByOneAndNotWaitedForForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := statefile.Lock(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := statefile.Lock(path, 20*time.Millisecond); !errors.Is(err, statefile.ErrLocked) {
		t.Error(err)
	}
	unlock()
	if unlock, err = statefile.Lock(path, 0); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A folder or a link in the place of a lock would refuse everybody for ever.
func TestWhatStandsInThePlaceOfALockIsTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for name, put := range map[string]func() error{
		"a folder": func() error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
		"a link":   func() error { return os.Symlink("/nowhere/lock", path) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		unlock, err := statefile.Lock(path, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		unlock()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A failed Replace leaves nothing behind.
func TestAFileThatCannotBeReplacedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	if err := os.MkdirAll(filepath.Join(path, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := statefile.Replace(path, []byte("new")); err == nil {
		t.Error("a folder was replaced")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v (%v)", list, err)
	}
}
