//go:build linux

package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// TestMain makes the test binary an agent, or a server, when its environment says so.
func TestMain(m *testing.M) {
	if fence.IsFirstProcess(os.Args[1:]) {
		os.Exit(fence.Init())
	}
	switch os.Getenv("TEST_ACT") {
	case "":
		os.Exit(m.Run())
	case "agent":
		agent()
	case "server":
		serveOnce()
	case "crashing server":
		serveAndCrash()
	case "next server":
		killAll()
	case "fenced server":
		serveFenced()
	case "lacking server":
		serveLacking()
	case "orphan":
		time.Sleep(20 * time.Second)
	}
}

// agent does what its task says.
func agent() {
	task, _ := io.ReadAll(os.Stdin)
	if len(os.Args) > 2 {
		task = []byte(os.Args[2])
	}
	fmt.Printf("task %q, turns %s\n", task, os.Args[1])
	word, _, _ := strings.Cut(string(task), " ")
	switch word {
	case "fail":
		os.Exit(3)
	case "crash":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "wait":
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "talk":
		for {
			fmt.Println(strings.Repeat("x", 1000))
			time.Sleep(time.Millisecond)
		}
	case "detach": // starts what starts an orphan, and goes on
		c := exec.Command("/proc/self/exe", "1", "abandon")
		c.Env = []string{"TEST_ACT=agent"} // without the marker
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = c.Run()
		time.Sleep(20 * time.Second)
	case "abandon":
		c := exec.Command("/proc/self/exe")
		c.Env = []string{"TEST_ACT=orphan"}
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = c.Start()
	case "spoil": // what is governed, and what is not
		governed := os.WriteFile("kept.txt", []byte("spoiled"), 0o600)
		free := os.WriteFile("free.txt", []byte("written"), 0o600)
		fmt.Println("governed:", governed, "free:", free)
	case "make":
		_ = os.WriteFile("new.made", nil, 0o600)
	case "read":
		text, err := os.ReadFile(os.Args[3])
		fmt.Println("read:", string(text), err)
	case "leave":
		c := exec.Command("/proc/self/exe", "1", "wait")
		c.Env, c.SysProcAttr = os.Environ(), &syscall.SysProcAttr{Setsid: true}
		_ = c.Start()
	}
}

// serveOnce starts one dispatch in the directory and ends, as a server that is killed.
func serveOnce() {
	trail, _ := memory.New("governance", memory.Options{})
	s := settings()
	s.Runner = exe("{max_turns}", "{task}") // what comes on standard input may be lost with the server
	d, err := Open(os.Getenv("TEST_DIR"), deps(trail, s))
	if err == nil {
		_, err = d.Start(context.Background(), Task{Text: "wait", MaxTurns: 1})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func settings() Settings {
	return Settings{Runner: exe("{max_turns}"), Timeout: time.Minute}
}

// exe is this test binary as an agent.
func exe(arguments ...string) Exec {
	return Exec{Command: append([]string{"/proc/self/exe"}, arguments...), Env: []string{"TEST_ACT"}, Lookup: func(string) (string, bool) { return "agent", true }}
}

func deps(trail audit.Store, s Settings) Deps {
	return Deps{
		Settings: func() (Settings, error) { return s, nil }, LogBytes: 200_000,
		Trail: trail, Halted: func() bool { return false }, FreeMB: func() (int, error) { return 900, nil },
		Now: time.Now, Random: rand.Reader,
	}
}

type fixture struct {
	*testing.T
	*Dispatcher
	dir   string
	trail *memory.Store
}

func open(t *testing.T, dir string, change func(*Settings, *Deps)) fixture {
	t.Helper()
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := settings()
	d := deps(trail, s)
	if change != nil {
		change(&s, &d)
		d.Settings = func() (Settings, error) { return s, nil }
	}
	dispatcher, err := Open(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		dispatcher.StopAll(context.Background())
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			dispatcher.mu.Lock()
			n := len(dispatcher.running)
			dispatcher.mu.Unlock()
			if n == 0 {
				return
			}
		}
		t.Error("a dispatch is still watched")
	})
	return fixture{t, dispatcher, dir, trail}
}

func (f fixture) start(task string) Record {
	f.Helper()
	r, err := f.Start(f.Context(), Task{Text: task, MaxTurns: 7})
	if err != nil {
		f.Fatal(err)
	}
	return r
}

func (f fixture) refused(code string) {
	f.Helper()
	_, err := f.Start(f.Context(), Task{Text: "wait", MaxTurns: 1})
	var r *Refused
	if !errors.As(err, &r) || r.Code != code {
		f.Errorf("%v, want %s", err, code)
	}
}

// ended waits for the end of a dispatch.
func (f fixture) ended(id string) Record {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if r, err := f.read(id); err == nil && r.State == Ended {
			return r
		}
	}
	f.Fatalf("%s does not end", id)
	return Record{}
}

func (f fixture) log(id string) string {
	f.Helper()
	path, err := f.LogPath(id)
	if err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return string(text)
}

// events are the types of the audit entries, without the genesis.
func (f fixture) events() (types []string) {
	for b, err := range f.trail.Blocks(f.Context(), 2, 1000) {
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(b.Lines)) {
			var e struct{ Event string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				f.Fatal(err)
			}
			types = append(types, e.Event)
		}
	}
	return types
}

// An agent gets its task and turns, and how it ended is known: in the record, the log and
// the audit trail.
func TestHowADispatchEnds(t *testing.T) {
	for _, c := range []struct {
		task, reason, signal string
		code                 int
	}{
		{"finish", "exit", "", 0}, {"fail", "exit", "", 3}, {"crash", "exit", "SIGKILL", -1}, {"leave something", "exit", "", 0},
	} {
		f := open(t, t.TempDir(), nil)
		r := f.ended(f.start(c.task + ` "with" $(shell) words`).ID)
		if r.Reason != c.reason || r.Signal != c.signal || r.ExitCode == nil || *r.ExitCode != c.code {
			t.Errorf("%s: %+v", c.task, r)
		}
		log := f.log(r.ID)
		if !strings.Contains(log, fmt.Sprintf("task %q, turns 7", c.task+` "with" $(shell) words`)) || !strings.Contains(log, "at most 7 turns") || !strings.Contains(log, "ended") {
			t.Errorf("%s: %s", c.task, log)
		}
		for deadline := time.Now().Add(time.Minute); len(f.events()) < 2 && time.Now().Before(deadline); { // the entry follows the record
			time.Sleep(10 * time.Millisecond)
		}
		if got := strings.Join(f.events(), " "); got != EventStart+" "+EventEnd {
			t.Errorf("%s: entries %s", c.task, got)
		}
		if f.alive(Record{ID: r.ID, State: Running, Identity: r.Identity}) {
			t.Errorf("%s: something is alive of %d", c.task, r.Identity.PID)
		}
	}
}

// Two run, the third is refused; whatever ends one gives its place back.
func TestTheThirdIsRefused(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	first, second := f.start("wait"), f.start("stubborn")
	f.refused("limit_exceeded")
	active, completed, err := f.List(10)
	if err != nil || len(active) != 2 || len(completed) != 0 {
		t.Errorf("%v, %v, %v", active, completed, err)
	}
	if !f.Cancel(t.Context(), first.ID, "test", "a test") || f.Cancel(t.Context(), "nothing", "test", "a test") {
		t.Error("cancelled what is not there, or not what is")
	}
	if r := f.ended(first.ID); r.Reason != "cancelled" || r.Signal != "SIGTERM" {
		t.Errorf("%+v", r)
	}
	third := f.start("wait")
	f.refused("limit_exceeded")
	if err := syscall.Kill(third.Identity.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.ended(third.ID)
	f.start("finish")
	if active, completed, err = f.List(1); err != nil || len(active) < 1 || active[len(active)-1].ID != second.ID || len(completed) != 1 {
		t.Errorf("%v, %v, %v", active, completed, err)
	}
}

// The limit holds for two servers at once, also while many ask.
func TestTheLimitHoldsForTwoServers(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	started := 0
	for i := range 12 {
		group.Go(func() {
			f := []fixture{one, two}[i%2]
			_, err := f.Start(t.Context(), Task{Text: "wait", MaxTurns: 1})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				started++
			} else if r := new(Refused); !errors.As(err, &r) || r.Code != "limit_exceeded" {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if started != 2 {
		t.Errorf("%d started", started)
	}
}

// Dispatches of a server that is gone still count, and the next server ends them like its
// own.
func TestTheLimitSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	server := exec.Command("/proc/self/exe")
	server.Env = append(os.Environ(), "TEST_ACT=server", "TEST_DIR="+dir)
	if out, err := server.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	f := open(t, dir, nil)
	active, _, err := f.List(10)
	if err != nil || len(active) != 1 {
		t.Fatalf("%v, %v", active, err)
	}
	f.start("wait")
	f.refused("limit_exceeded")
	if !f.Cancel(t.Context(), active[0].ID, "test", "a test") {
		t.Fatal("the next server does not know it")
	}
	if r := f.ended(active[0].ID); r.Reason != "cancelled" || r.ExitCode != nil {
		t.Errorf("%+v", r)
	}
	if f.alive(active[0]) {
		t.Error("it is alive")
	}
	f.start("wait")
}

func TestWhatStandsAgainstADispatch(t *testing.T) {
	for code, change := range map[string]func(*Settings, *Deps){
		"halted":              func(_ *Settings, d *Deps) { d.Halted = func() bool { return true } },
		"disabled":            func(s *Settings, _ *Deps) { s.Runner = nil },
		"command_not_found":   func(s *Settings, _ *Deps) { s.Runner = Exec{Command: []string{"/nowhere/agent"}} },
		"insufficient_memory": func(_ *Settings, d *Deps) { d.FreeMB = func() (int, error) { return 499, nil } },
	} {
		f := open(t, t.TempDir(), change)
		f.refused(code)
		if active, completed, err := f.List(10); err != nil || len(active)+len(completed) != 0 || len(f.events()) != 0 {
			t.Errorf("%s: %v, %v, %v", code, active, completed, err)
		}
	}
	f := open(t, t.TempDir(), func(_ *Settings, d *Deps) { d.FreeMB = func() (int, error) { return 0, errors.New("no file") } })
	f.refused("insufficient_memory")
}

// A dispatch that runs too long or says too much is ended.
func TestBounds(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	talks := f.start("talk")
	r, err := f.Start(t.Context(), Task{Text: "wait", MaxTurns: 1, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if r := f.ended(r.ID); r.Reason != "timeout" {
		t.Errorf("%+v", r)
	}
	if r := f.ended(talks.ID); r.Reason != "log_limit" {
		t.Errorf("%+v", r)
	}
	if n := len(f.log(talks.ID)); n > 200_000+200 { // and the footer
		t.Errorf("a log of %d bytes", n)
	}
}

// The same key gives the same dispatch, and no second one.
func TestAKeyStartsOneDispatch(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	var ids []string
	for range 3 {
		r, err := f.Start(t.Context(), Task{Text: "finish", MaxTurns: 1, Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	if ids[0] != ids[1] || ids[1] != ids[2] {
		t.Error(ids)
	}
}

// A task is one argument, whatever it contains, and the agent inherits what is named.
func TestATaskIsOneArgument(t *testing.T) {
	f := open(t, t.TempDir(), func(s *Settings, _ *Deps) { s.Runner = exe("{max_turns}", "{task}") })
	task := "finish; rm -rf / \n`id` {max_turns}"
	r := f.ended(f.start(task).ID)
	if want := fmt.Sprintf("task %q", task); !strings.Contains(f.log(r.ID), want) {
		t.Errorf("%s, want %s", f.log(r.ID), want)
	}
}

func TestALogOfNoDispatch(t *testing.T) {
	f := open(t, t.TempDir(), nil)
	for _, id := range []string{"", ".", "..", "../x", "a/b", "nothing"} {
		if path, err := f.LogPath(id); err == nil && id != "" {
			t.Errorf("%q is at %s", id, path)
		}
	}
}
