//go:build linux

package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/shared/audit/memory"
)

// orphans are the processes that the act "detach" left, found without the code under test.
func orphans() (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		pid := 0
		if _, failed := fmt.Sscanf(file, "/proc/%d/environ", &pid); err == nil && failed == nil && string(text) == "TEST_ACT=orphan\x00" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// serverIn opens a dispatcher as a process of its own does.
func serverIn(dir string) *Dispatcher {
	trail, err := memory.New("governance", memory.Options{})
	if err != nil {
		panic(err)
	}
	s := settings()
	s.Runner = exe("{max_turns}", "{task}")
	d, err := Open(dir, deps(trail, s))
	if err != nil {
		panic(err)
	}
	return d
}

// serveAndCrash starts a dispatch that leaves an orphan without any mark, waits until that
// was seen, and is killed.
func serveAndCrash() {
	dir := os.Getenv("TEST_DIR")
	if _, err := serverIn(dir).Start(context.Background(), Task{Text: "detach", MaxTurns: 1}); err != nil {
		panic(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(dir, "dispatches", "*", "processes.json"))
		for _, file := range append(files, filepath.Join(dir, "dispatches", "strays.json")) {
			text, _ := os.ReadFile(file)
			for _, pid := range orphans() {
				if strings.Contains(string(text), fmt.Sprintf(`"pid":%d,`, pid)) {
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				}
			}
		}
	}
}

// killAll is the kill switch of the server that comes after.
func killAll() {
	outcomes, survivors := serverIn(os.Getenv("TEST_DIR")).StopAll(context.Background())
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"outcomes": outcomes, "survivors": survivors})
}

// A server that was killed leaves agents, and what they detached, to the kill switch of the
// next one: a child with no mark, in a session of its own, whose parents are gone.
func TestWhatWasDetachedBeforeACrashIsEndedByTheNextKill(t *testing.T) {
	if len(orphans()) > 0 {
		t.Fatal("an orphan of another run is alive; it ends by itself within 20 seconds")
	}
	dir := t.TempDir()
	crashing := exec.Command("/proc/self/exe")
	crashing.Env = append(os.Environ(), "TEST_ACT=crashing server", "TEST_DIR="+dir)
	err := crashing.Run()
	if len(orphans()) == 0 {
		t.Fatalf("nothing was detached (%v)", err)
	}

	next := exec.Command("/proc/self/exe")
	next.Env = append(os.Environ(), "TEST_ACT=next server", "TEST_DIR="+dir)
	said, err := next.CombinedOutput()
	if left := orphans(); len(left) > 0 || err != nil {
		t.Errorf("alive: %v (%v)\n%s", left, err, said)
	}
	if !strings.Contains(string(said), `"Ended":true`) || strings.Contains(string(said), `"Ended":false`) || !strings.Contains(string(said), `"survivors":null`) {
		t.Errorf("%s", said)
	}
}
