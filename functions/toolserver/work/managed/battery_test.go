//go:build linux

package managed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

var runs = flag.Int("runs", 2, "how often each program of the battery is killed, at each provider")

// markVariable is in the environment of everything that the battery starts; the check
// looks for it by itself.
const markVariable = "BATTERY"

// stubborn are programs that do not want to end. Each says ready once it is where it
// wants to be.
var stubborn = map[string]string{
	"ignores TERM":     `trap '' TERM; echo ready; while :; do sleep 1; done`,
	"double fork":      `(trap '' TERM; sleep 1000 & ) ; echo ready; sleep 1000`,
	"new session":      `setsid sh -c "trap '' TERM; echo ready; sleep 1000" & sleep 1000`,
	"holds its output": `trap '' TERM; (sleep 1000; echo late) & echo ready; wait`,
	"is stopped":       `echo ready; kill -STOP $$; sleep 1000`,
	"has a zombie":     `sh -c 'exit 0' & sleep 0.1; echo ready; exec sleep 1000`,
	"daemon":           `setsid sh -c 'cd /; trap "" TERM HUP; (sleep 1000 &) ; echo ready; sleep 1000' < /dev/null & sleep 1000`,
}

// alive finds what has the mark and is no zombie, without the code under test.
func alive(t *testing.T, mark string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		stat, gone := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		if err == nil && gone == nil && bytes.Contains(text, []byte(markVariable+"="+mark+"\x00")) && !bytes.Contains(stat, []byte(") Z ")) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// until waits a minute for what should be so on any machine.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

func says(path, text string) func() bool {
	return func() bool { said, err := os.ReadFile(path); return err == nil && strings.Contains(string(said), text) }
}

// supervise makes a supervisor that is not halted and gives PATH and the mark on.
func supervise(t *testing.T, dir, mark string) *Supervisor {
	t.Helper()
	no := func() bool { return false }
	n := 0
	s, err := OpenSupervisor(dir, Rules{Dir: dir, Halted: no, Raised: no, Now: time.Now, First: time.Hour,
		Random: func() string { n++; return fmt.Sprint(mark, n) },
		Lookup: func(name string) (string, bool) {
			value, ok := map[string]string{markVariable: mark, "PATH": os.Getenv("PATH")}[name]
			return value, ok
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// begin starts a program at a provider and waits until it is ready.
var begin = map[string]func(t *testing.T, line, mark string) (Provider, Process){
	"supervised": func(t *testing.T, line, mark string) (Provider, Process) {
		s := supervise(t, t.TempDir(), mark)
		p := Process{Name: "p", Provider: "supervised", Command: []string{"/bin/sh", "-c", line}, Env: []string{markVariable, "PATH"}}
		s.Look(t.Context(), []Process{p})
		until(t, "ready", says(filepath.Join(s.folder("p"), "log"), "ready"))
		return s, p
	},
	"procfs": func(t *testing.T, line, mark string) (Provider, Process) {
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("/bin/sh", "-c", line+" # "+mark)
		c.Env, c.Stdout = append(os.Environ(), markVariable+"="+mark), log
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := errors.Join(c.Start(), log.Close()); err != nil {
			t.Fatal(err)
		}
		go func() { _ = c.Wait() }()
		t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
		until(t, "ready", says(log.Name(), "ready"))
		pidFile := filepath.Join(t.TempDir(), "pid")
		if err := os.WriteFile(pidFile, []byte(fmt.Sprintln(c.Process.Pid)), 0o600); err != nil {
			t.Fatal(err)
		}
		return Procfs{"/"}, Process{Name: "p", Provider: "procfs", Match: workspace.Match{PIDFile: pidFile}}
	},
}

// No part of any of these programs survives, at any provider of this machine.
func TestNothingSurvivesAtAnyProvider(t *testing.T) {
	for name, start := range begin {
		for act, line := range stubborn {
			t.Run(name+" "+act, func(t *testing.T) {
				t.Parallel()
				var longest time.Duration
				for n := range *runs {
					mark := fmt.Sprintf("%d-%s-%d", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"), n)
					provider, p := start(t, line, mark)
					until(t, "it runs", func() bool { return len(alive(t, mark)) > 0 }) // in the midst of exec nothing shows
					ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
					began := time.Now()
					out := provider.Stop(ctx, []Process{p})[0]
					longest = max(longest, time.Since(began))
					cancel()
					if left := alive(t, mark); len(left) > 0 || !out.OK || len(out.Survivors) > 0 || len(out.Did) == 0 {
						t.Fatalf("run %d: %+v, alive %v", n, out, left)
					}
				}
				t.Logf("%d runs, the longest %v", *runs, longest.Round(time.Millisecond))
			})
		}
	}
}

// A pattern finds what it describes in the folder that it names, and never this program
// or those above it.
func TestProcfsFindsByPatternAndFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sleep", "1000")
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	pattern := workspace.Pattern{Regexp: regexp.MustCompile(`^sleep 1000$`)}
	p := Process{Name: "s", Provider: "procfs", Match: workspace.Match{Cmd: pattern, Dir: "."}}
	f := Procfs{dir}
	until(t, "seen", func() bool { return f.States(t.Context(), []Process{p})[0].PID == c.Process.Pid })
	p.Match.Dir = "elsewhere"
	if s := f.States(t.Context(), []Process{p})[0]; s.State != Stopped {
		t.Errorf("in another folder: %+v", s)
	}
	all, why := f.find(Process{Match: workspace.Match{Cmd: workspace.Pattern{Regexp: regexp.MustCompile(`.`)}}})
	for _, each := range all {
		if each.Identity.PID == os.Getpid() || each.Identity.PID == os.Getppid() {
			t.Errorf("found itself: %+v", each)
		}
	}
	if why != "" || len(all) == 0 {
		t.Errorf("%d %s", len(all), why)
	}
	for _, text := range []string{"", "x", "-1", "1", "99999999"} {
		file := filepath.Join(dir, "pid")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := f.States(t.Context(), []Process{{Match: workspace.Match{PIDFile: "pid"}}})[0]; s.State != Stopped {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// A process that something else restarts is reported, and the stop command of the workspace
// file runs.
func TestProcfsRunsTheStopCommandBesides(t *testing.T) {
	dir := t.TempDir()
	_, p := begin["procfs"](t, `echo ready; sleep 1000`, "stop-"+fmt.Sprint(os.Getpid()))
	p.Stop = []string{"touch", filepath.Join(dir, "asked")}
	out := Procfs{dir}.Stop(t.Context(), []Process{p})[0]
	if _, err := os.Stat(filepath.Join(dir, "asked")); err != nil || !out.OK || !strings.Contains(strings.Join(out.Did, " "), "SIGTERM touch") {
		t.Errorf("%+v (%v)", out, err)
	}
	p.Stop = []string{"no-such-program"}
	if out := (Procfs{dir}).Stop(t.Context(), []Process{p})[0]; !strings.Contains(strings.Join(out.Did, " "), "not there") {
		t.Errorf("%+v", out)
	}
}

const strangerVariable = "TEST_STRANGER"

func TestMain(m *testing.M) {
	if pid := os.Getenv(strangerVariable); pid != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_ = json.NewEncoder(os.Stdout).Encode(Procfs{"/"}.Stop(ctx, []Process{{Name: "other", Match: workspace.Match{PIDFile: pid}}})[0])
		return
	}
	os.Exit(m.Run())
}

// A process of another user that this one may not end is reported with the reason.
func TestAProcessOfAnotherUserIsReported(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to become another user")
	}
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	program, pid := filepath.Join(dir, "program"), filepath.Join(dir, "pid")
	text, err := os.ReadFile(os.Args[0])
	if err := errors.Join(err, os.WriteFile(program, text, 0o755), os.WriteFile(pid, []byte(fmt.Sprintln(c.Process.Pid)), 0o644)); err != nil {
		t.Fatal(err)
	}
	stranger := exec.Command(program)
	stranger.Env = []string{strangerVariable + "=" + pid}
	stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	said, err := stranger.Output()
	var out Outcome
	if err := errors.Join(err, json.Unmarshal(said, &out)); err != nil || out.OK || !strings.Contains(out.Error, "of another user") {
		t.Errorf("%s (%v)", said, err)
	}
	if err := c.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("it was ended: %v", err)
	}
}
