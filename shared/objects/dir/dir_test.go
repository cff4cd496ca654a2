package dir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/objects/dir"
	"governance.internal/shared/objects/objectstest"
)

func open(t *testing.T, name string) *dir.Directory {
	t.Helper()
	d, err := dir.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestContract(t *testing.T) {
	name := filepath.Join(t.TempDir(), "made", "new")
	objectstest.Run(t, open(t, name))
	err := filepath.WalkDir(name, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".new-") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A key cannot name a file outside, not even through a link that lies inside.
func TestNothingOutsideIsReached(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	d := open(t, inside)
	for _, key := range []string{"../" + filepath.Base(outside) + "/secret", "link/secret", secret} {
		if _, err := d.Get(t.Context(), key, 10); err == nil {
			t.Errorf("%s was read", key)
		}
		if err := d.Put(t.Context(), key, []byte("other")); err == nil {
			t.Errorf("%s was written", key)
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "text" {
		t.Errorf("%q (%v)", text, err)
	}
}
