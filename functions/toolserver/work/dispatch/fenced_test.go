//go:build linux

package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/fence/fencetest"
	"governance.internal/shared/audit/memory"
)

// fencing makes a project with a governed file and the fence around its agents.
func fencing(t *testing.T) (folder string, f Fencing) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"governance.yaml": "version: 1\nuntouchable: [kept.txt, \"*.made\"]\n",
		"kept.txt":        "kept",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, fencingOf(folder)
}

func fencingOf(folder string) Fencing {
	return Fencing{
		Init: "/proc/self/exe",
		Plan: func(program, shown []string) (fence.Plan, error) {
			w, err := workspace.Open(folder)
			if err != nil {
				return fence.Plan{}, err
			}
			defer w.Close()
			data := filepath.Join(folder, workspace.DataDir)
			return fence.PlanOf(w, fence.Wish{Folder: folder, Data: data, Program: program, Shown: shown})
		},
		Made: func(p fence.Plan) ([]string, error) {
			w, err := workspace.Open(folder)
			if err != nil {
				return nil, err
			}
			defer w.Close()
			return fence.NewNames(w, p)
		},
	}
}

// openFenced opens a dispatcher whose agents are fenced, and reports whether a fence stands here.
// Where none can stand, the record must say so, and the test ends there.
func openFenced(t *testing.T, change func(*Settings)) (f fixture, folder string, stands bool) {
	t.Helper()
	folder, fenced := fencing(t)
	f = open(t, filepath.Join(folder, workspace.DataDir), func(s *Settings, d *Deps) {
		s.Fence, d.Dir = fenced, folder
		s.Runner = exe("{max_turns}", "{task}", "{task_file}")
		if change != nil {
			change(s)
		}
	})
	r := f.ended(f.start("finish").ID)
	stands = r.Fence.Namespaces
	if !stands && (r.Fence.Why == "" || !strings.HasPrefix(r.Fence.Word(), "none: ")) {
		t.Errorf("it does not say that no fence stands: %+v", r.Fence)
	}
	if !stands && fencetest.Possible() {
		t.Errorf("a fence could stand here: %s", r.Fence.Word())
	}
	return f, folder, stands
}

func TestAnAgentBehindAFenceChangesNoGovernedFile(t *testing.T) {
	f, folder, stands := openFenced(t, nil)
	r := f.ended(f.start("spoil").ID)
	kept, err := os.ReadFile(filepath.Join(folder, "kept.txt"))
	if stands != (string(kept) == "kept") || err != nil {
		t.Errorf("%q %v, a fence stands: %v", kept, err, stands)
	}
	if free, err := os.ReadFile(filepath.Join(folder, "free.txt")); string(free) != "written" {
		t.Errorf("%q %v: %s", free, err, f.log(r.ID))
	}
	if got := f.payload(EventStart)["fence"]; got != r.Fence.Word() {
		t.Errorf("the chain says %v, the record %s", got, r.Fence.Word())
	}
}

// A governed name that was not there when the fence was built is in the entry of the end.
func TestGovernedNamesThatWereMadeAreInTheTrail(t *testing.T) {
	f, folder, stands := openFenced(t, nil)
	if !stands {
		return
	}
	r := f.ended(f.start("make").ID)
	f.noted(r.ID)
	if got := fmt.Sprint(f.payload(EventEnd)["made_governed"]); got != "[new.made]" {
		t.Errorf("%s", got)
	}
	if _, err := os.Stat(filepath.Join(folder, "new.made")); err != nil {
		t.Error(err)
	}
}

// noted waits for the entry of the end, which follows the record.
func (f fixture) noted(id string) {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); f.payload(EventEnd)["dispatch"] != id && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// payload is that of the last entry of a type.
func (f fixture) payload(event string) (payload map[string]any) {
	f.Helper()
	for b, err := range f.trail.Blocks(f.Context(), 2, 1000) {
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(b.Lines)) {
			var e struct {
				Event   string
				Payload map[string]any
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				f.Fatal(err)
			}
			if e.Event == event {
				payload = e.Payload
			}
		}
	}
	return payload
}

// The data of the service is hidden from the agent, but for the file of its task.
func TestAnAgentReadsItsTaskInTheHiddenData(t *testing.T) {
	f, folder, stands := openFenced(t, nil)
	secret := filepath.Join(folder, workspace.DataDir, "kill.secret")
	if err := os.WriteFile(secret, []byte("secret of the service"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := f.ended(f.start("read the task").ID)
	if log := f.log(r.ID); !strings.Contains(log, "read: read the task <nil>") {
		t.Errorf("%s", log)
	}
	if !stands {
		return
	}
	f.deps.Settings = func() (Settings, error) {
		return Settings{Runner: exe("{max_turns}", "{task}", secret), Fence: fencingOf(folder), Timeout: time.Minute}, nil
	}
	r = f.ended(f.start("read the secret").ID)
	if log := f.log(r.ID); strings.Contains(log, "secret of the service") || !strings.Contains(log, "read:") {
		t.Errorf("%s", log)
	}
}

// A person ends an agent that ignores SIGTERM, with what it detached, in half a second.
func TestWhatStandsBehindAFenceEndsAtOnce(t *testing.T) {
	for name, end := range map[string]func(fixture, Record){
		"one": func(f fixture, r Record) { f.Cancel(f.Context(), r.ID, "test", "a test") },
		"all": func(f fixture, _ Record) { f.StopAll(f.Context()) },
	} {
		f, _, stands := openFenced(t, nil)
		if !stands {
			return
		}
		r := f.start("stubborn")
		time.Sleep(100 * time.Millisecond) // it begins to ignore SIGTERM
		asked := time.Now()
		end(f, r)
		ended := f.ended(r.ID)
		if f.alive(r) || ended.EndedAt == nil {
			t.Errorf("%s: alive: %+v", name, ended)
		}
		t.Logf("%s: ended after %v", name, time.Since(asked).Round(time.Millisecond))
	}
}

// Where no fence can stand, an agent starts only if none is required.
func TestARequiredFenceThatCannotStandStartsNothing(t *testing.T) {
	f, folder, _ := openFenced(t, nil)
	fenced := fencingOf(folder)
	fenced.Plan = func([]string, []string) (fence.Plan, error) { return fence.Plan{}, errors.New("no plan") }
	settings := Settings{Runner: exe("{max_turns}"), Fence: fenced, Timeout: time.Minute}
	f.deps.Settings = func() (Settings, error) { return settings, nil }
	if r := f.ended(f.start("finish").ID); r.Fence.Word() != "none: no plan" {
		t.Errorf("%+v", r.Fence)
	}

	settings.Fence.Mode = fence.Required
	f.refused("fence_unavailable")
	settings.Fence = fencingOf(folder)
	settings.Fence.Mode = fence.Off
	if r := f.ended(f.start("finish").ID); !strings.HasPrefix(r.Fence.Word(), "none: ") || !strings.Contains(r.Fence.Why, "off") {
		t.Errorf("%+v", r.Fence)
	}
	if used, err := f.Used(t.Context()); used != 0 || err != nil {
		t.Errorf("%d slots are held, %v", used, err)
	}
}

// A limited network that cannot be kept starts no agent, whatever the mode is.
func TestALimitedNetworkIsKeptOrNothingStarts(t *testing.T) {
	_, folder, stands := openFenced(t, nil)
	for _, network := range []string{"none", "allow:api.example", "allow:", "wrong"} {
		f := open(t, t.TempDir(), func(s *Settings, d *Deps) {
			s.Fence, d.Dir = fencingOf(folder), folder
			s.Fence.Network = network
			if !stands || network == "none" {
				s.Fence.Mode = fence.Off
			}
		})
		if network != "allow:api.example" || !stands {
			f.refused("fence_unavailable")
			continue
		}
		if r := f.ended(f.start("finish").ID); r.Fence.Network != network || r.ExitCode == nil || *r.ExitCode != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// serveFenced starts a fenced agent that detaches a process, and waits to be killed.
func serveFenced() {
	d, folder := serverWithFence()
	r, err := d.Start(context.Background(), Task{Text: "detach", MaxTurns: 1})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for len(orphans()) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println(r.ID, r.Fence.Namespaces, folder)
	time.Sleep(time.Minute)
}

func serverWithFence() (d *Dispatcher, folder string) {
	folder = os.Getenv("TEST_DIR")
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		panic(err)
	}
	s := settings()
	s.Runner, s.Fence = exe("{max_turns}", "{task}"), fencingOf(folder)
	dependencies := deps(trail, s)
	dependencies.Dir = folder
	d, err = Open(filepath.Join(folder, workspace.DataDir), dependencies)
	if err != nil {
		panic(err)
	}
	return d, folder
}

// Nothing behind a fence survives a SIGKILL of the server, which runs no code of it. The next
// server records that the end is not known.
func TestNothingBehindAFenceSurvivesTheServer(t *testing.T) {
	if len(orphans()) > 0 {
		t.Fatal("an orphan of another run is alive; it ends by itself within 20 seconds")
	}
	folder, _ := fencing(t)
	server := exec.Command("/proc/self/exe")
	server.Env = append(os.Environ(), "TEST_ACT=fenced server", "TEST_DIR="+folder)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var id string
	var stands bool
	if _, err := fmt.Fscan(out, &id, &stands); err != nil {
		t.Fatal(err)
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = server.Wait() // ended by the signal
	if !stands {      // it lives on, for the server that comes after
		next := open(t, filepath.Join(folder, workspace.DataDir), nil)
		next.StopAll(t.Context())
		return
	}

	for len(orphans()) > 0 {
		if time.Since(killed) > 10*time.Second {
			t.Fatalf("%v are alive", orphans())
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("all gone after %v", time.Since(killed).Round(time.Millisecond))

	next := open(t, filepath.Join(folder, workspace.DataDir), nil)
	r := next.ended(id)
	next.noted(id)
	if r.Reason != "lost" || next.payload(EventEnd)["reason"] != "lost" {
		t.Errorf("%+v, the chain says %v", r, next.payload(EventEnd))
	}
}

// A server that ends in order ends what is behind a fence, and records it.
func TestAnOrderlyEndIsRecorded(t *testing.T) {
	f, _, stands := openFenced(t, nil)
	r := f.start("wait")
	f.Close()
	if !stands {
		if !f.alive(r) {
			t.Error("without a fence it should live on")
		}
		return
	}
	if got := f.ended(r.ID); got.Reason != "server_ended" || f.alive(r) {
		t.Errorf("%+v", got)
	}
}

// serveLacking starts one agent on a kernel that lacks something, and shows its record.
func serveLacking() {
	if err := fencetest.Forbid(os.Getenv("TEST_LACKS")); err != nil {
		panic(err)
	}
	d, _ := serverWithFence()
	r, err := d.Start(context.Background(), Task{Text: "finish", MaxTurns: 1})
	if err != nil {
		panic(err)
	}
	active, completed, err := d.List(1)
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode([]string{r.Fence.Word(), append(active, completed...)[0].Fence.Word()})
	d.StopAll(context.Background())
}

// On a kernel that lacks what a fence needs, every answer says so.
func TestAKernelThatLacksAFenceIsNamed(t *testing.T) {
	_, _, stands := openFenced(t, nil)
	for lacks, want := range map[string]string{
		fencetest.Namespaces: "none: the kernel refuses user namespaces",
		fencetest.Landlock:   "kernel without landlock",
	} {
		if !stands && lacks == fencetest.Landlock {
			continue // openFenced has checked the answer
		}
		folder, _ := fencing(t)
		server := exec.Command("/proc/self/exe")
		server.Env = append(os.Environ(), "TEST_ACT=lacking server", "TEST_DIR="+folder, "TEST_LACKS="+lacks)
		var said []string
		out, err := server.Output()
		if failed := json.NewDecoder(bytes.NewReader(out)).Decode(&said); failed != nil {
			t.Fatalf("%s %v %v", out, failed, err)
		}
		for _, word := range said {
			if !strings.HasPrefix(word, want) {
				t.Errorf("without %s: %s", lacks, word)
			}
		}
	}
}

// The number in the record is one that the system knows, and that ends everything.
func TestTheRecordedNumberEndsTheFence(t *testing.T) {
	f, _, stands := openFenced(t, nil)
	if !stands {
		return
	}
	r := f.start("detach")
	for deadline := time.Now().Add(time.Minute); len(orphans()) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	if err := syscall.Kill(r.Identity.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := f.ended(r.ID); got.Signal != "SIGKILL" || len(orphans()) > 0 {
		t.Errorf("%+v, alive: %v", got, orphans())
	}
}
