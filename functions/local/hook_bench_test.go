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

// BenchmarkHookCold starts a new process for each call, as an agent does. The goal is
// 30 ms a call, because the agent waits for it at every step.
func BenchmarkHookCold(b *testing.B) {
	dir := b.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", dir, ".", "./local-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
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
		b.Run(name+"/local-hook", func(b *testing.B) { coldCalls(b, dir, call, "./local-hook") })
		b.Run(name+"/local", func(b *testing.B) { coldCalls(b, dir, call, "./local", "hook") })
	}
}

func coldCalls(b *testing.B, dir, call string, command ...string) {
	var took []time.Duration
	for b.Loop() {
		hook := exec.Command(filepath.Join(dir, command[0]), command[1:]...)
		hook.Dir, hook.Stdin = dir, bytes.NewReader([]byte(call))
		began := time.Now()
		if err := hook.Run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
