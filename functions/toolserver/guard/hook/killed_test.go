package hook_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
)

// asHook makes this test program the program of the hook.
const asHook = "TEST_PROGRAM_IS_THE_HOOK"

func TestMain(m *testing.M) {
	if os.Getenv(asHook) != "" {
		os.Exit(hook.Main(context.Background(), noSnapshots, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// hookProcess starts the hook as an agent does.
func hookProcess(t *testing.T, dir, event, call string) *exec.Cmd {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(own, "-workspace", dir)
	c.Env = append(os.Environ(), asHook+"=1")
	c.Stdin = strings.NewReader(`{"session_id":"s","cwd":"` + dir + `","hook_event_name":"` + event + `","tool_name":"Write","tool_input":{"file_path":"src/b.go","content":"x"},"tool_response":{},"tool_use_id":"` + call + `"}`)
	return c
}

// A hook that is killed at any moment leaves its call unknown or not heard of, and the record
// readable. A call whose report was never begun is never said to have succeeded.
func TestAHookThatIsKilledAtAnyMomentLeavesNoLie(t *testing.T) {
	w := governed(t)
	const calls = 40
	reported := map[string]bool{}
	for n := range calls {
		call := fmt.Sprint("call ", n)
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			if event == "PostToolUse" && n%2 == 0 {
				continue // the agent was killed before
			}
			reported[call] = event == "PostToolUse"
			c := hookProcess(t, w.Dir, event, call)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(n) * 500 * time.Microsecond)
			_ = c.Process.Kill() // may have ended
			_ = c.Wait()
		}
	}

	last := hookProcess(t, w.Dir, "PreToolUse", "the last")
	if out, err := last.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the hook after them: %v %s", err, out)
	}

	reading, err := outcome.Journal{Workspace: w.Workspace}.Read()
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, p := range outcome.Join(reading.Records, time.Now().Add(2*outcome.RunningLimit)) {
		states[p.State]++
		if p.State == outcome.Succeeded && !reported[p.Outcome.Call] {
			t.Errorf("%+v", p)
		}
		if p.Outcome == nil && p.State != outcome.Unknown {
			t.Errorf("%s: %s", p.Intent.Call, p.State)
		}
	}
	t.Logf("states %v, damages %v", states, reading.Damages)
}
