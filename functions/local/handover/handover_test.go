//go:build unix

package handover_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/programs"
)

// handed is what the small program of the tests says.
const handed = "handed over"

// built is the whole program, alone in a folder.
func built(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), programs.Governance)
	build := exec.Command("go", "build", "-o", program, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	return program
}

// putSmall puts a script in the place of a small program.
func putSmall(t *testing.T, program, name string) {
	t.Helper()
	script := "#!/bin/sh\necho '" + handed + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(program), name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// said runs the program and returns its output, and the packages that it initialised.
func said(t *testing.T, program string, args ...string) (out string, initialised []string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "GOVERNANCE_FENCE=off")
	var errs strings.Builder
	cmd.Stderr = &errs
	text, _ := cmd.Output() // its status is not what is asked
	for line := range strings.Lines(errs.String()) {
		if name, isInit := strings.CutPrefix(line, "init "); isInit {
			initialised = append(initialised, name)
		}
	}
	return string(text), initialised
}

// The small program takes `run` over before the packages of the large one are initialised,
// which would be most of the time that a start takes.
func TestRunIsHandedOverBeforeAnythingIsInitialised(t *testing.T) {
	program := built(t)
	whole, all := said(t, program, "run", "--unfenced", "--", "echo", "plain")
	if whole != "plain\n" || len(all) < 300 {
		t.Fatalf("alone it says %q and initialises %d packages", whole, len(all))
	}

	putSmall(t, program, programs.Fence)
	if out, _ := said(t, program, "run", "--unfenced", "--", "echo", "plain"); out != "plain\n" {
		t.Errorf("without a program that answers hooks: %q", out)
	}

	putSmall(t, program, programs.Hook)
	out, few := said(t, program, "run", "--network", "none", "--", "echo", "a b")
	if want := handed + " run --network none -- echo a b\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	if len(few) > len(all)/5 {
		t.Errorf("%d of %d packages are initialised before", len(few), len(all))
	}

	for _, args := range [][]string{{"run"}, {"run", "--help"}, {"run", "-h"}, {"version"}, {"help", "run"}} {
		if out, _ := said(t, program, args...); strings.Contains(out, handed) {
			t.Errorf("%q is handed over", args)
		}
	}
}
