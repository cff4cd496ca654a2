package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/shared/logtest"
)

// The README is run as it stands, in a copy of the source: every command of a
// console block, and what it prints is what the README says. A line ... stands
// for any lines, and hashes may differ. The port is a free one instead of 8402.
func TestReadmeIsASession(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	t.Setenv("GOVERNANCE_ADDR", addr)
	elsewhere := strings.NewReplacer("localhost:8402", "localhost:"+addr[strings.LastIndexByte(addr, ':')+1:])

	dir := copySource(t)
	for _, block := range codeBlocks(t, filepath.Join(dir, "README.md"), "console") {
		for _, step := range commandsOf(elsewhere.Replace(block)) {
			if step.command == "make run" {
				runInBackground(t, dir, addr, step)
				continue
			}
			out, err := shell(dir, step.command)
			if err != nil {
				t.Fatalf("$ %s\n%s%v", step.command, out, err)
			}
			step.compare(t, out)
		}
	}
	python := codeBlocks(t, filepath.Join(dir, "README.md"), "python")
	if len(python) != 1 {
		t.Fatalf("%d python blocks", len(python))
	}
	if err := os.WriteFile(filepath.Join(dir, "check.py"), []byte(python[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, good := range map[string]bool{".data/governance.jsonl": true, "testdata/chains/good-64.jsonl": true, "testdata/chains/edited.jsonl": false, "testdata/chains/dropped-middle.jsonl": false} {
		out, err := shell(dir, "python3 check.py "+file)
		if good != (err == nil) {
			t.Errorf("check.py %s: %s (%v)", file, out, err)
		}
	}
}

// make run compiles the programs; the commands after it use them.
func TestReadmeCompilesOnce(t *testing.T) {
	var commands []string
	for _, language := range []string{"console", "sh"} {
		for _, block := range codeBlocks(t, "../../README.md", language) {
			commands = append(commands, strings.Split(block, "\n")...)
		}
	}

	for _, command := range commands {
		if strings.Contains(command, "go run ") || strings.Contains(command, "go build ") {
			t.Errorf("%s compiles the program again", command)
		}
	}
}

// copySource copies the files that git knows or would add.
func copySource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := shell("../..", `git ls-files -co --exclude-standard -z | xargs -0 -I{} sh -c '[ ! -e "{}" ] || cp --parents "{}" '`+dir)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func shell(dir, command string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", command)
	c.Dir, c.Env = dir, userEnvironment()
	out, err := c.CombinedOutput()
	return string(out), err
}

// userEnvironment is that of a person at a prompt: no make stands above it.
func userEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS")
	})
}

// downloads is what the go command adds while modules are missing.
var downloads = regexp.MustCompile(`(?m)^go: downloading .*\n`)

func codeBlocks(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("no %s block in %s", language, file)
	}
	return blocks
}

// step is one command and what it should print.
type step struct {
	command string
	printed []string
}

func commandsOf(block string) []step {
	var steps []step
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, step{command: command})
		} else if len(steps) > 0 {
			last := &steps[len(steps)-1]
			last.printed = append(last.printed, line)
		}
	}
	return steps
}

var hash = regexp.MustCompile(`[0-9a-f]{64}`)

func (s step) compare(t *testing.T, out string) {
	t.Helper()
	if !s.matches(out) {
		t.Errorf("$ %s\nprints\n%s\nthe README says\n%s", s.command, out, strings.Join(s.printed, "\n"))
	}
}

func (s step) matches(out string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for _, line := range s.printed {
		if line == "..." {
			pattern.WriteString(`(?s:.*)`)
			continue
		}
		quoted := regexp.QuoteMeta(hash.ReplaceAllString(line, "HASH"))
		pattern.WriteString(strings.ReplaceAll(quoted, "HASH", `[0-9a-f]{64}`) + `\r?\n`)
	}
	pattern.WriteString(`\z`)
	return regexp.MustCompile(pattern.String()).MatchString(downloads.ReplaceAllString(out, ""))
}

// runInBackground starts the service as the README says and stops it at the end
// with Ctrl-C.
func runInBackground(t *testing.T, dir, addr string, s step) {
	t.Helper()
	var out logtest.Buffer
	command := exec.Command("bash", "-c", s.command)
	command.Dir, command.Env, command.Stdout, command.Stderr = dir, userEnvironment(), &out, &out
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) // the whole group, like a terminal
		_ = command.Wait()                                     // make reports the interrupt
		if !strings.Contains(out.String(), "stopped") {
			t.Errorf("after Ctrl-C: %s", &out)
		}
	})
	// Make and the go command pass on what the service prints, so it may come after
	// the first answer.
	for range 3000 {
		response, err := http.Get("http://" + addr + "/x402/products")
		if err == nil {
			_ = response.Body.Close()
		}
		if err == nil && s.matches(out.String()) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.compare(t, out.String())
	t.Fatal("the service did not start as the README says")
}
