//go:build linux

package processes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// lifetime is when an attack ends by itself, so that a reader may run it without care.
const lifetime = 20 * time.Second

// endVariable carries that time to what an attack starts, in seconds of the epoch.
const endVariable = "TEST_END"

func init() {
	if os.Getenv(actVariable) == "leader exits" {
		runtime.LockOSThread() // so that main runs in the thread that leads the process
	}
	acts["leader exits"] = func() { endThread() }
	acts["relay"] = func() { relay(false) }
	acts["relay of sessions"] = func() { relay(true) }
	acts["relay without a mark"] = func() { begunAnew("relay of sessions") }
	acts["twin"] = twin
	acts["lone child"] = func() { limited(); ready(); time.Sleep(lifetime) }
	acts["leaves a lone child"] = func() { loneChild() }
}

// limited makes the program end at the time of its attack.
func limited() {
	end := endOfAttack()
	_ = os.Setenv(endVariable, strconv.FormatInt(end.Unix(), 10))
	time.AfterFunc(time.Until(end), func() { os.Exit(0) })
}

func endOfAttack() time.Time {
	seconds, err := strconv.ParseInt(os.Getenv(endVariable), 10, 64)
	if err != nil {
		return time.Now().Add(lifetime)
	}
	return time.Unix(seconds, 0)
}

// endThread ends the thread that leads the process; the others go on. The process table
// shows such a process as a zombie.
func endThread() {
	limited()
	signal.Ignore(syscall.SIGTERM)
	go func() {
		for state(os.Getpid()) != 'Z' {
			time.Sleep(time.Millisecond)
		}
		ready()
		time.Sleep(lifetime)
	}()
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
}

// state is that of /proc/PID/stat, read without the code under test.
func state(pid int) (letter byte) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscanf(string(text[lastIndex(text, ')')+1:]), " %c", &letter)
	return letter
}

func lastIndex(text []byte, b byte) int {
	at := len(text) - 1
	for at > 0 && text[at] != b {
		at--
	}
	return at
}

// relay forks a successor and ends, within a millisecond, again and again. After the
// first fork it makes system calls only: a forked Go program has no other threads.
func relay(sessions bool) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	ready()
	end := endOfAttack().Unix()
	pause := syscall.Timespec{Nsec: 300_000}
	for {
		child, _, failed := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
		if child != 0 || failed != 0 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
		if sessions {
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
		var now syscall.Timeval
		_, _, _ = syscall.RawSyscall(syscall.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(&now)), 0, 0)
		if now.Sec > end {
			_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
}

// begunAnew becomes another act, without the marker.
func begunAnew(act string) {
	_ = os.Unsetenv(Marker)
	_ = os.Setenv(actVariable, act)
	panic(syscall.Exec("/proc/self/exe", os.Args[:1], os.Environ()))
}

// twin keeps a second one like it in a session of its own: whichever ends is started again
// by the other.
func twin() {
	limited()
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	ready()
	parent := os.Getppid()
	first := os.Getenv("TEST_TWIN") == ""
	_ = os.Setenv("TEST_TWIN", "second")
	for {
		if first || os.Getppid() != parent {
			c := again("twin")
			_ = c.Start()
			_ = c.Wait()
			first = true
		}
		time.Sleep(time.Millisecond)
	}
}

// again is an act in a session of its own.
func again(act string) *exec.Cmd {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), actVariable+"="+act)
	c.Stdout = os.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c
}

// loneChild starts a program that has no mark and a session of its own, waits until it was
// seen, and ends.
func loneChild() {
	_ = os.Unsetenv(Marker)
	c := again("lone child")
	_ = c.Start()
	time.Sleep(2 * watchInterval)
}

var attacks = []struct {
	act  string
	wait int
}{
	{"leader exits", 1},
	{"relay", 1},
	{"relay of sessions", 1},
	{"relay without a mark", 1},
	{"twin", 2},
}

// attackGrace is short: no attack listens to SIGTERM.
const attackGrace = 100 * time.Millisecond

// The kill switch ends every attack, with a control group where the machine has them and
// without, and knows that it did.
func TestNoAttackSurvivesTheKillSwitch(t *testing.T) {
	for _, each := range attacks {
		for name, without := range map[string]bool{"control group": false, "signals": true} {
			t.Run(each.act+" "+name, func(t *testing.T) {
				g, mark := attack(t, each.act, each.wait, without)
				began := time.Now()
				outcomes, others := target{groups: []*Group{g}, all: true}.stopAll(t.Context(), attackGrace)
				t.Logf("%v %v", time.Since(began).Round(time.Millisecond), outcomes[0].Signals)
				if shown(t, mark) {
					t.Error("something is alive")
				}
				if !outcomes[0].Ended || len(others) > 0 {
					t.Errorf("no proof that it ended: %+v %+v", outcomes, others)
				}
			})
		}
	}
}

// So does the end of one group, but for what lost every mark before it was seen.
func TestNoAttackWithAMarkSurvivesTheEndOfItsGroup(t *testing.T) {
	for _, each := range attacks {
		if each.act == "relay without a mark" {
			continue // without control groups its owner is unknown
		}
		t.Run(each.act, func(t *testing.T) {
			g, mark := attack(t, each.act, each.wait, true)
			outcome := target{groups: []*Group{g}}.stop(t.Context(), attackGrace)[0]
			if shown(t, mark) || !outcome.Ended {
				t.Errorf("%+v", outcome)
			}
		})
	}
}

// The end of one group spares others, also while a relay without a mark runs, which is left
// to the kill switch.
func TestAnUnownedOrphanIsLeftToTheKillSwitch(t *testing.T) {
	other, _ := attack(t, "lone child", 1, true)
	g, mark := attack(t, "relay without a mark", 1, true)
	target{groups: []*Group{g}}.stop(t.Context(), attackGrace)
	if p, err := read(other.PID); err != nil || p.dead() {
		t.Error("another group was ended, too")
	}
	outcomes, others := target{groups: []*Group{g, other}, all: true}.stopAll(t.Context(), attackGrace)
	if shown(t, mark) || !outcomes[0].Ended || !outcomes[1].Ended || len(others) > 0 {
		t.Errorf("%+v %+v", outcomes, others)
	}
}

// shown reports whether anything that shows the mark of a test is alive. It looks for a
// while: what forks all the time is not in every list.
func shown(t *testing.T, mark string) bool {
	t.Helper()
	for range 50 {
		names, err := os.ReadDir("/proc")
		if err != nil {
			t.Fatal(err)
		}
		for at := len(names) - 1; at >= 0; at-- {
			files, _ := filepath.Glob("/proc/" + names[at].Name() + "/task/*/environ")
			for _, file := range files {
				if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "TEST_MARK="+mark+"\x00") {
					return true
				}
			}
		}
	}
	return false
}

// attack starts an act and waits until so many programs said that they are ready.
func attack(t *testing.T, act string, wait int, withoutControlGroup bool) (g *Group, mark string) {
	t.Helper()
	mark = fmt.Sprint("attack-", os.Getpid(), "-", time.Now().UnixNano())
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	g, err = Start(Command{
		ID:                  mark,
		Argv:                []string{os.Args[0]},
		Env:                 []string{actVariable + "=" + act, "TEST_MARK=" + mark},
		Output:              log,
		withoutControlGroup: withoutControlGroup,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target{groups: []*Group{g}, all: true}.stop(context.Background(), 0) })
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "ready") >= wait {
			return g, mark
		}
	}
	t.Fatalf("%s: not ready", act)
	return nil, ""
}

// A process that was seen once is found by its notes alone, also by a server that did not
// start it; a number that was given to another process since is not.
func TestNotesLeadToWhatHasNoMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "processes.json")
	c := again("lone child")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	p, err := read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	seen := newGroup(Trace{Notes: path})
	seen.note(p)
	seen.writeNotes()

	other := newGroup(Trace{Notes: path + ".other"})
	other.note(process{pid: p.pid, begun: p.begun + 1, session: p.pid})
	other.writeNotes()
	if Alive(Trace{Identity: Expected(), Notes: other.notes}) {
		t.Error("another process with the same number is taken for it")
	}
	if outcome := Stop(t.Context(), Known(Trace{Notes: path}))[0]; !outcome.Ended || len(outcome.Signals) == 0 {
		t.Errorf("%+v", outcome)
	}
	if p, err := read(c.Process.Pid); err == nil && !p.dead() {
		t.Error("it lives")
	}
}
