package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/fence/fencetest"
	"governance.internal/shared/programs"
)

// BenchmarkFencedStart runs a program that ends at once, alone and behind the fence of the command
// run. The goal is 10 ms over the program alone, with the end of the fence.
func BenchmarkFencedStart(b *testing.B) {
	if !fencetest.Possible() {
		b.Skip("no fence can stand here")
	}
	dir := b.TempDir()
	for name, source := range map[string]string{programs.Governance: ".", programs.Hook: "./local-hook", programs.Fence: "./local-fence"} {
		build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%s %v", out, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "governance.yaml"), []byte("untouchable: [infra/**]\n"), 0o600); err != nil {
		b.Fatal(err)
	}

	var alone, fenced time.Duration
	for b.Loop() {
		alone += timeOf(b, dir, "true")
		fenced += timeOf(b, dir, filepath.Join(dir, programs.Governance), "run", "--", "true")
	}
	over := (fenced - alone) / time.Duration(b.N)
	b.ReportMetric(float64(over.Microseconds())/1000, "ms-over-exec")
	b.ReportMetric(float64(fenced)/float64(alone), "times-exec")
}

func timeOf(b *testing.B, dir string, command ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s %v", out, err)
	}
	return time.Since(began)
}
