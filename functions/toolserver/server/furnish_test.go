package server

import (
	"os"
	"path/filepath"
	"testing"

	"governance.internal/shared/config"
)

// A task begins on a new disk, and its agents do not keep what they made of its rules.
func TestATaskFurnishesItsWorkspace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "workspace")
	file, elsewhere := filepath.Join(dir, "governance.yaml"), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(elsewhere, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Config{Workspace: dir}
	if err := furnish(c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a workspace file exists without a setting")
	}
	c.WorkspaceFile = "version: 1"
	for range 2 {
		if err := furnish(c); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "version: 1\n" {
			t.Errorf("%q %v", text, err)
		}
		if err := os.WriteFile(file, []byte("version: 1\ndispatch: {enabled: true}\n# by an agent\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if err := furnish(c); err == nil {
		t.Error("it wrote through a link that leads out")
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "kept" {
		t.Errorf("%q %v", text, err)
	}
}
