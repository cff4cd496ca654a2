package devchain

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// unavailable skips a test for want of a tool, except in CI, where every tool is
// there and a skip would hide a hole.
func unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func TestTheArtefactsBelongToTheSources(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		unavailable(t, "node is not installed: cannot recompile token/*.sol")
	}
	if _, err := os.Stat(filepath.Join("..", "..", "..", "testdata", "node_modules", "solc")); err != nil {
		unavailable(t, "testdata/node_modules has no solc (npm --prefix testdata ci): cannot recompile token/*.sol")
	}
	cmd := exec.Command(node, filepath.Join("token", "compile.mjs"), "--stdout")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var built map[string]string
	if err := json.Unmarshal(out, &built); err != nil || len(built) != 6 {
		t.Fatalf("%d files, %v", len(built), err)
	}
	for name, want := range built {
		got, err := os.ReadFile(filepath.Join("token", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("token/%s is stale: run node functions/local/devchain/token/compile.mjs", name)
		}
	}
}
