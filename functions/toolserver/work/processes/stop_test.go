//go:build linux

package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// actVariable makes the test binary one of the programs below.
const actVariable = "TEST_ACT"

func TestMain(m *testing.M) {
	if act := os.Getenv(actVariable); act != "" {
		acts[act]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// acts are programs that do not want to end.
var acts = map[string]func(){
	"sleeps":         func() { time.Sleep(time.Hour) },
	"ignores TERM":   func() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP); ready(); time.Sleep(time.Hour) },
	"ends at once":   func() {},
	"stops itself":   func() { ready(); _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP); time.Sleep(time.Hour) },
	"has a child":    func() { spawn("ignores TERM", nil, true); ready(); time.Sleep(time.Hour) },
	"double fork":    func() { spawn("leaves a child", nil, false); ready(); time.Sleep(time.Hour) },
	"leaves a child": func() { spawn("ignores TERM", nil, true) },
	"new session": func() {
		spawn("ignores TERM", &syscall.SysProcAttr{Setsid: true}, true)
		ready()
		time.Sleep(time.Hour)
	},
	"daemon": func() { spawn("becomes a daemon", nil, false) },
	"becomes a daemon": func() {
		spawn("ignores TERM", &syscall.SysProcAttr{Setsid: true}, true)
	},
	"forgets its mark": func() {
		_ = os.Unsetenv(Marker)
		spawn("ignores TERM", &syscall.SysProcAttr{Setsid: true}, true)
		ready()
		time.Sleep(time.Hour)
	},
	"loses its child": func() { // which has no mark, and a session of its own
		_ = os.Unsetenv(Marker)
		spawn("ignores TERM", &syscall.SysProcAttr{Setsid: true}, true)
		time.Sleep(100 * time.Millisecond)
	},
	"sleeps when ready": func() { ready(); time.Sleep(time.Hour) },
	"kills another user's": func() { // it starts a program as root, and is root no longer when it stops that
		says, output, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		g, err := Start(Command{ID: "other", Argv: []string{"/proc/self/exe"}, Env: []string{actVariable + "=sleeps when ready"}, Output: output})
		if err != nil {
			panic(err)
		}
		_, err = says.Read(make([]byte, 1)) // that it is ready
		if err := errors.Join(err, syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(target{groups: []*Group{g}}.stop(context.Background(), shortGrace))
	},
	"has a secret": func() {
		if os.Getenv("TEST_CONCEALED") != "" {
			if err := Conceal(); err != nil {
				panic(err)
			}
		}
		c := exec.Command(os.Args[0])
		c.Env, c.Stdout = []string{actVariable + "=wants the secret"}, os.Stdout
		if err := c.Run(); err != nil {
			panic(err)
		}
	},
	"wants the secret": func() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		fmt.Println("seen:", strings.Contains(string(text), "hidden-1"), "refused:", errors.Is(err, os.ErrPermission))
	},
	"has a zombie": func() {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), actVariable+"=ends at once")
		_ = c.Start() // never waited for
		ready()
		time.Sleep(time.Hour)
	},
	"breeds": func() {
		signal.Ignore(syscall.SIGTERM)
		ready()
		for {
			spawn("ignores TERM", nil, true)
			time.Sleep(20 * time.Millisecond)
		}
	},
}

// spawn starts an act from within one. Unless it is left alone it is waited for.
func spawn(act string, how *syscall.SysProcAttr, leave bool) {
	c := exec.Command("/proc/self/exe")
	c.Env, c.SysProcAttr = append(os.Environ(), actVariable+"="+act), how
	c.Stdout = os.Stdout // held open
	if err := c.Start(); err != nil {
		panic(err)
	}
	if !leave {
		_ = c.Wait()
	}
}

// ready signals the test that the program has started completely.
func ready() { fmt.Println("ready") }

// begin starts an act and waits until so many programs said that they are ready.
func begin(t *testing.T, id, act string, wait int) *Group {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	g, err := Start(Command{ID: id, Argv: []string{os.Args[0]}, Env: []string{actVariable + "=" + act}, Output: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target{groups: []*Group{g}}.stop(context.Background(), 0) })
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "ready") >= wait {
			return g
		}
	}
	t.Fatalf("%s: not ready", act)
	return nil
}

// markedPIDs finds what shows a marker, without the code under test's own search.
func markedPIDs(t *testing.T, id string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), Marker+"="+id+"\x00") {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

var battery = []struct {
	act     string
	wait    int
	signals string // the last one that is needed
}{
	{"sleeps", 0, "SIGTERM"},
	{"ignores TERM", 1, "SIGKILL"},
	{"stops itself", 1, "SIGTERM"},
	{"has a child", 2, "SIGKILL"},
	{"double fork", 2, "SIGKILL"},
	{"new session", 2, "SIGKILL"},
	{"daemon", 1, "SIGKILL"},
	{"forgets its mark", 2, "SIGKILL"},
	{"has a zombie", 1, "SIGTERM"},
	{"breeds", 5, "SIGKILL"},
	{"ends at once", 0, ""},
}

// shortGrace is enough for a program that handles SIGTERM, even on a busy machine.
const shortGrace = 3 * time.Second

// No part of any of these programs survives, and each stop keeps its time limit.
func TestNothingSurvives(t *testing.T) {
	for _, b := range battery {
		t.Run(b.act, func(t *testing.T) {
			t.Parallel()
			id := "t-" + strconv.FormatInt(time.Now().UnixNano(), 36)
			g := begin(t, id, b.act, b.wait)
			began := time.Now()
			grace := shortGrace
			if b.signals == "SIGTERM" { // it ends by itself, however slow the machine
				grace = time.Minute
			}
			o := target{groups: []*Group{g}}.stop(t.Context(), grace)[0]
			took := time.Since(began)
			if !o.Ended || len(o.Survivors) > 0 {
				t.Errorf("%+v", o)
			}
			if last := lastOf(o.Signals); b.signals != "" && last != b.signals {
				t.Errorf("signals %v", o.Signals)
			}
			if left := markedPIDs(t, id); len(left) > 0 {
				t.Errorf("alive: %v", left)
			}
			t.Logf("%v, %v", took.Round(time.Millisecond), o.Signals)
			select {
			case <-g.Done():
			case <-time.After(time.Minute):
				t.Error("no proof that the program ended")
			}
		})
	}
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// What does not listen to SIGTERM is stopped before it is killed: while the one is killed the
// other neither forks nor starts it again.
func TestWhatIsKilledWasStoppedBefore(t *testing.T) {
	g := begin(t, "stopped before", "has a child", 2)
	o := target{groups: []*Group{g}}.stop(t.Context(), 100*time.Millisecond)[0]

	want := []string{"SIGTERM", "SIGSTOP", "SIGKILL"}
	if !o.Ended || !slices.Equal(o.Signals, want) {
		t.Errorf("ended %v by %v, want %v", o.Ended, o.Signals, want)
	}
}

// A look in which somebody vanished or was buried is no proof that nothing lives: a child of
// it may not have been seen.
func TestOnlyAQuietLookShowsThatAllIsOver(t *testing.T) {
	for name, tc := range map[string]struct {
		seen sight
		want bool
	}{
		"nothing":        {sight{}, true},
		"one lives":      {sight{living: []process{{pid: 7}}}, false},
		"one died":       {sight{died: true}, false},
		"one vanished":   {sight{vanished: true}, false},
		"cannot be read": {sight{err: errStat}, false},
	} {
		if got := tc.seen.over(); got != tc.want {
			t.Errorf("%s: over %v, want %v", name, got, tc.want)
		}
	}
}

// A grandchild that lost its mark, its session and its parent is still below this process:
// who stops all stops it.
func TestWhatLostEveryMarkIsBelow(t *testing.T) {
	g := begin(t, "lost", "loses its child", 1)
	<-g.Done()
	var lost []process
	all, err := snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for pid := range adopted(all) {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil && strings.Contains(string(text), actVariable+"=ignores TERM") && !strings.Contains(string(text), Marker) {
			p, err := read(pid)
			if err == nil {
				lost = append(lost, p)
			}
		}
	}
	if len(lost) != 1 || lost[0].parent != self {
		t.Fatalf("%+v", lost)
	}
	outcomes := target{groups: []*Group{g}, all: true}.stop(t.Context(), shortGrace)
	if p, err := read(lost[0].pid); err == nil && p.begun == lost[0].begun && !p.dead() {
		t.Errorf("%+v lives, outcomes %+v", p, outcomes)
	}
}

// A process that restarts itself all the time is seldom seen alive. It ends, or is reported.
func TestAProcessThatRestartsItselfIsNotReportedDead(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("needs perl, which forks fast")
	}
	for n := range 12 {
		g, err := Start(Command{ID: fmt.Sprint("comet ", n, os.Getpid()), Argv: []string{perl, "-e", "for (1..20000) { exit if fork }"}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		o := target{groups: []*Group{g}}.stop(t.Context(), 0)[0]
		lives := syscall.Kill(-g.PID, syscall.SIGKILL) == nil
		if o.Ended == lives {
			t.Errorf("it lives: %v, %+v", lives, o)
		}
	}
}

// While the process table cannot be read, no process is reported dead.
func TestWithoutAProcessTableNothingIsReportedDead(t *testing.T) {
	g := begin(t, "unseen", "sleeps", 0)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	alive := Alive(Trace{ID: g.ID, Identity: g.Identity()})
	o := target{groups: []*Group{g}}.stop(t.Context(), 0)[0]
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if !alive || o.Ended || len(o.Survivors) != 1 || o.Survivors[0].Why == "" {
		t.Errorf("alive %v, %+v", alive, o)
	}
	if o := (target{groups: []*Group{g}}).stop(t.Context(), shortGrace)[0]; !o.Ended {
		t.Errorf("%+v", o)
	}
}

// A program that runs for days is not remembered with everything that it ever started.
func TestProcessesThatEndedAreForgotten(t *testing.T) {
	g := begin(t, "forgets", "sleeps", 0)
	g.note(process{pid: 1 << 30, begun: 7})
	target{groups: []*Group{g}}.look()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known[key{1 << 30, 7}] || !g.known[key{g.PID, g.begun}] {
		t.Errorf("%v", g.known)
	}
}

// A child of this process that is no dispatch, and what it started, is left alone.
func TestOtherChildrenAreLeftAlone(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), actVariable+"=new session")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	target{all: true}.stop(t.Context(), shortGrace)
	if p, err := read(c.Process.Pid); err != nil || p.dead() {
		t.Errorf("%+v (%v)", p, err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	target{all: true}.stop(t.Context(), shortGrace) // its child is an orphan now
}

// A program of the same user cannot read the secrets of a process that conceals them.
func TestSecretsAreConcealedFromTheSameUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to be another user, for root reads everything")
	}
	program := filepath.Join(t.TempDir(), "program")
	text, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	for at := filepath.Dir(program); err == nil && at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		err = os.Chmod(at, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for concealed, want := range map[string]string{"": "seen: true refused: false\n", "yes": "seen: false refused: true\n"} {
		c := exec.Command(program)
		c.Env = []string{actVariable + "=has a secret", "TEST_SECRET=hidden-1", "TEST_CONCEALED=" + concealed}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := c.Output(); err != nil || string(out) != want {
			t.Errorf("concealed %q: %s (%v)", concealed, out, err)
		}
	}
}

// A process that cannot be ended, because another user now owns it, is reported with the
// reason.
func TestASurvivorIsReported(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make a process of another user")
	}
	c := exec.Command("/proc/self/exe")
	c.Env = []string{actVariable + "=kills another user's"}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c.Stdout, c.Stderr = out, os.Stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []Outcome
	if err := json.Unmarshal(said, &outcomes); err != nil || len(outcomes) != 1 || outcomes[0].Ended || len(outcomes[0].Survivors) != 1 {
		t.Fatalf("%s (%v)", said, err)
	}
	survivor := outcomes[0].Survivors[0]
	if survivor.Why != "it is of another user" || survivor.Command == "" {
		t.Errorf("%+v", survivor)
	}
	if err := syscall.Kill(survivor.PID, syscall.SIGKILL); err != nil {
		t.Errorf("the survivor does not live: %v", err)
	}
}
