//go:build linux

package fence_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/fence/fencetest"
)

// TestMain lets this test program be the first process of a fence.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fence.InitCommand {
		os.Exit(fence.Init())
	}
	if lacks := os.Getenv("TEST_LACKS"); lacks != "" {
		if err := fencetest.Forbid(lacks); err != nil {
			panic(err)
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "run" { // as another process, which a test kills
		os.Exit(fence.Main(context.Background(), "/proc/self/exe", outside.Of(snapshot.BeforeCommand), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == hook.Name {
		os.Exit(hook.Main(context.Background(), snapshot.BeforeCommand, os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == broker.Write {
		os.Exit(outside.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 2 && os.Args[1] == judgeCommand { // as the hook of an agent
		os.Exit(judge(os.Args[2]))
	}
	os.Exit(m.Run())
}

const rules = `version: 1
untouchable:
  - config/prod.yaml
  - keys/**
  - "*.lock"
protected:
  - src/core.go
`

// files are those of a fresh workspace; what rules governs must keep its bytes.
var files = map[string]string{
	"governance.yaml": rules, "config/prod.yaml": "prod: 1\n", "config/dev.yaml": "dev: 1\n", "keys/a.pem": "key a\n", "keys/deep/b.pem": "key b\n",
	"go.lock": "lock\n", "src/core.go": "package core\n", "src/free.go": "package core\n", "README.md": "# read\n", "data/a.csv": "1,2\n", "run.sh": "echo run\n", "spare.txt": "spare\n",
	".git/config": "[core]\n\tbare = false\n", ".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n", ".git/HEAD": "ref: refs/heads/main\n",
}

// governed are the files that no command may change.
var governed = []string{
	"governance.yaml", "config/prod.yaml", "keys/a.pem", "keys/deep/b.pem", "go.lock", "src/core.go", ".git/config", ".git/hooks/pre-commit",
}

// project makes a workspace and a home directory.
func project(t *testing.T) (folder, home string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, home = filepath.Join(base, "project"), filepath.Join(base, "home")
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	write(t, filepath.Join(home, ".ssh", "id_ed25519"), "a private key")
	write(t, filepath.Join(home, ".bashrc"), "# start")
	write(t, filepath.Join(home, "notes.txt"), "free")
	return folder, home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// outcome is what a command did.
type outcome struct {
	status int
	output string
}

// run runs a command line behind a fence.
func run(t *testing.T, folder, home, command string, arguments ...string) outcome {
	t.Helper()
	t.Chdir(folder)
	t.Setenv("HOME", home)
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()

	args := append(arguments, "--", "bash", "-c", command)
	status := fence.Main(t.Context(), "/proc/self/exe", outside.Of(snapshot.BeforeCommand), args, nil, out, out)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return outcome{status, string(text)}
}

// changed names the governed files that differ from what they were.
func changed(folder string) []string {
	var list []string
	for _, name := range governed {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != files[name] {
			list = append(list, name)
		}
	}
	return list
}
