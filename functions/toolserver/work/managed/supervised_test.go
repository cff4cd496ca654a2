//go:build linux

package managed

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/processes"
)

// watched is a supervisor whose clock the test moves.
func watched(t *testing.T, dir string) (s *Supervisor, halted *atomic.Bool, clock *atomic.Int64) {
	t.Helper()
	halted, clock = new(atomic.Bool), new(atomic.Int64)
	now := func() time.Time { return time.Unix(1_800_000_000, 0).Add(time.Duration(clock.Load())) }
	var n atomic.Int64
	s, err := OpenSupervisor(dir, Rules{
		Dir: dir, Halted: halted.Load, Raised: halted.Load, Now: now, Lookup: os.LookupEnv,
		Random: func() string { return filepath.Base(t.Name()) + time.Now().String() + string(rune('a'+n.Add(1))) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, halted, clock
}

func shellProcess(name, line string) Process {
	return Process{Name: name, Provider: "supervised", Command: []string{"/bin/sh", "-c", line}}
}

func (s *Supervisor) state(p Process) Status { return s.States(context.Background(), []Process{p})[0] }

// Each restart waits twice as long as the one before. After too many within an hour there
// are no more and the process is reported as a crash loop. An hour later it may try again.
func TestAProcessThatEndsIsStartedAgainUntilThatIsALoop(t *testing.T) {
	s, _, clock := watched(t, t.TempDir())
	p := shellProcess("api", "exit 3")
	p.MaxRestarts1 = 3
	for n, pause := range []time.Duration{time.Second, 2 * time.Second} {
		s.Look(t.Context(), []Process{p})
		until(t, "backing off", func() bool { st := s.state(p); return st.State == BackingOff && st.Restarts == n+1 })
		clock.Add(int64(pause) - 1)
		if name := s.due(); name != "" {
			t.Error("started before its time")
		}
		clock.Add(1)
	}
	s.Look(t.Context(), []Process{p})
	until(t, "a crash loop", func() bool { return s.state(p).State == CrashLoop })
	clock.Add(int64(10 * time.Minute))
	if st := s.state(p); s.due() != "" || !strings.Contains(st.Why, "exit code 3") {
		t.Errorf("%q %+v", s.due(), st)
	}
	clock.Add(int64(time.Hour))
	if s.due() != "api" {
		t.Error("it is never tried again")
	}
}

// Under a halt nothing starts; after it one starts with each look.
func TestNothingStartsUnderAHaltAndThenOneByOne(t *testing.T) {
	s, halted, _ := watched(t, t.TempDir())
	list := []Process{shellProcess("a", "sleep 1000"), shellProcess("b", "sleep 1000"), {Name: "seen", Provider: "procfs"}}
	halted.Store(true)
	count := func() (n int) {
		for _, st := range s.States(t.Context(), list[:2]) {
			if st.State == Running {
				n++
			}
		}
		return n
	}
	for range 3 {
		if s.Look(t.Context(), list); count() != 0 {
			t.Fatal("started under a halt")
		}
	}
	halted.Store(false)
	for want := 1; want <= 2; want++ {
		if s.Look(t.Context(), list); count() != want {
			t.Errorf("%d run, want %d", count(), want)
		}
	}
	if out := s.Stop(t.Context(), list[:2]); !out[0].OK || !out[1].OK {
		t.Errorf("%+v", out)
	}
	until(t, "nothing runs", func() bool { return count() == 0 })
	if st := s.state(list[0]); st.State != Stopped || st.Restarts != 0 {
		t.Errorf("a stop counts as a crash: %+v", st)
	}
}

// A process that is removed from the workspace file is ended.
func TestAProcessThatIsNamedNoMoreEnds(t *testing.T) {
	s, _, _ := watched(t, t.TempDir())
	p := shellProcess("a", "sleep 1000")
	s.Look(t.Context(), []Process{p})
	pid := s.state(p).PID
	if others := s.beside(nil); len(others) != 1 || pid == 0 {
		t.Fatalf("%v %d", others, pid)
	}
	until(t, "ended", func() bool { s.Look(t.Context(), nil); return s.state(p).State == Stopped && len(s.beside(nil)) == 0 })
	if _, ok := processes.Identify(pid); ok {
		t.Error("it lives")
	}
}

// A supervisor that was killed leaves its processes running; the next one goes on with
// them and starts no second one.
func TestTheNextSupervisorGoesOn(t *testing.T) {
	dir := t.TempDir()
	first, _, _ := watched(t, dir)
	p := shellProcess("a", "sleep 1000")
	first.Look(t.Context(), []Process{p})
	first.unlock() // as the end of its process does
	next, _, _ := watched(t, dir)
	next.Look(t.Context(), []Process{p})
	if a, b := first.state(p), next.state(p); a.PID == 0 || a.PID != b.PID || b.State != Running {
		t.Errorf("%+v, then %+v", a, b)
	}
	if out := next.Stop(t.Context(), []Process{p}); !out[0].OK {
		t.Errorf("%+v", out)
	}
}

// One of two servers on a directory supervises. The other sees the processes and can stop
// them, starts no second one, and ends nothing when it closes.
func TestOfTwoServersOneSupervises(t *testing.T) {
	dir := t.TempDir()
	first, _, _ := watched(t, dir)
	second, halted, _ := watched(t, dir)
	p := shellProcess("a", "sleep 1000")
	for range 2 {
		second.Look(t.Context(), []Process{p})
		first.Look(t.Context(), []Process{p})
	}
	one, two := first.state(p), second.state(p)
	if one.PID == 0 || one.PID != two.PID || two.State != Running || len(second.beside(nil)) != 1 {
		t.Errorf("%+v and %+v", one, two)
	}
	second.Close()
	if st := first.state(p); st.PID != one.PID || st.State != Running {
		t.Errorf("it ended with the other server: %+v", st)
	}
	halted.Store(true)
	if out := second.Stop(t.Context(), []Process{p}); !out[0].OK || len(out[0].Did) == 0 {
		t.Errorf("%+v", out)
	}
	if _, ok := processes.Identify(one.PID); ok {
		t.Error("it lives")
	}
	first.Close()
	if second.Look(t.Context(), []Process{p}); second.unlock == nil {
		t.Error("the second set did not take over")
	}
}

// A process that runs for ever and says much does not fill the disk.
func TestALogIsRotatedWhileItsProcessRuns(t *testing.T) {
	s, _, _ := watched(t, t.TempDir())
	s.rules.mostLog = 1000
	p := shellProcess("talks", "i=0; while [ $i -lt 500 ]; do echo line; i=$((i+1)); done; sleep 1000")
	s.Look(t.Context(), []Process{p})
	log := filepath.Join(s.folder("talks"), "log")
	size := func() int64 {
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	until(t, "it has spoken", func() bool { return size() == 2500 })
	if s.Look(t.Context(), []Process{p}); size() > 1000 {
		t.Errorf("%d bytes", size())
	}
}

// A command that cannot be started is reported and retried later; its environment does not
// contain the secrets of the server.
func TestAFailedStartIsReportedAndNothingIsInherited(t *testing.T) {
	t.Setenv("KILL_SECRET", "hidden-1")
	t.Setenv("GIVEN", "yes")
	s, _, _ := watched(t, t.TempDir())
	bad := Process{Name: "bad", Provider: "supervised", Command: []string{"/no/such/program"}}
	none := Process{Name: "none", Provider: "supervised"}
	shows := shellProcess("shows", `echo "<$KILL_SECRET$GIVEN>"; sleep 1000`)
	shows.Env = []string{"GIVEN"}
	greedy := shellProcess("greedy", "sleep 1000")
	greedy.Env = []string{"KILL_SECRET"}
	for range 4 {
		s.Look(t.Context(), []Process{bad, none, shows, greedy})
	}
	if st := s.state(greedy); st.State != BackingOff || !strings.Contains(st.Why, "a secret of this server") {
		t.Errorf("%+v", st)
	}
	if st := s.state(bad); st.State != BackingOff || st.Why != "the program program is not there" {
		t.Errorf("%+v", st)
	}
	if st := s.state(none); st.State != BackingOff || !strings.Contains(st.Why, "no command") {
		t.Errorf("%+v", st)
	}
	until(t, "its log", says(filepath.Join(s.folder("shows"), "log"), "<yes>"))
}
