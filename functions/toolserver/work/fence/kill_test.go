//go:build linux

package fence_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tree starts processes that leave their parent, their session and their group, and says when
// they run; the marker is in the command line of each.
const tree = `marker=%s
setsid sleep 987$marker & (setsid sleep 988$marker &) ; nohup sleep 989$marker >/dev/null 2>&1 &
python3 -c "import os,time
if os.fork()==0:
    os.setsid()
    if os.fork()==0:
        time.sleep(990)
" $marker &
sleep 0.2; echo ready; wait; sleep 991$marker`

// withMarker counts the processes of the machine whose command line holds a text.
func withMarker(t *testing.T, marker string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, line := range lines {
		if text, err := os.ReadFile(line); err == nil && strings.Contains(string(text), marker) {
			count++
		}
	}
	return count
}

// Whoever started the fence may die by SIGKILL, which runs no code: nothing of the fence stays.
func TestNothingSurvivesTheEndOfItsStarter(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	marker := fmt.Sprintf("7%d7", os.Getpid())
	starter := exec.Command("/proc/self/exe", "run", "--", "bash", "-c", fmt.Sprintf(tree, marker))
	starter.Dir = folder
	starter.Env = append(os.Environ(), "HOME="+home)
	out, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if n := withMarker(t, marker); n < 4 {
		t.Fatalf("only %d processes run", n)
	}

	if err := starter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = starter.Wait() // ended by the signal
	for withMarker(t, marker) > 0 {
		if time.Since(killed) > 10*time.Second {
			t.Fatalf("%d processes are left", withMarker(t, marker))
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("all gone after %v", time.Since(killed).Round(time.Millisecond))
}
