package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkHookCold starts the program anew for each call, as an agent does. The goal is
// 30 ms a call; an agent waits for it at every step.
func BenchmarkHookCold(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "local")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%s %v", out, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "governance.yaml"), []byte("untouchable: [infra/**]\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, call := range map[string]string{
		"write":   `{"tool_name":"Write","tool_input":{"file_path":"a.go","content":"x"}}`,
		"command": `{"tool_name":"Bash","tool_input":{"command":"cd src && go test ./... | tail -5"}}`,
		"refused": `{"tool_name":"Bash","tool_input":{"command":"rm -rf infra"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				hook := exec.Command(program, "hook")
				hook.Dir, hook.Stdin = dir, bytes.NewReader([]byte(call))
				began := time.Now()
				if err := hook.Run(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
