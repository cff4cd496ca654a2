//go:build linux

package server_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"governance.internal/functions/toolserver/work/fence"
)

// again starts a task that was killed, as it was, and gives it back when it answers.
func (k task) again() task {
	k.Helper()
	next := task{k.running, exec.Command(os.Args[0]), k.log}
	next.process.Env, next.process.Stderr = k.process.Env, k.log
	if err := next.process.Start(); err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() {
		_ = next.process.Process.Kill()
		_ = next.process.Wait()
	})
	next.answers()
	return next
}

func (k task) dispatch() dispatched {
	k.Helper()
	return structured[dispatched](k.running, "dispatch_to_llm", `{"task":"wait"}`)
}

// started waits for a slot and starts an agent, which ends with the test.
func (k task) started() (got dispatched) {
	k.Helper()
	k.eventually(func() bool { got = k.dispatch(); return got.Dispatched })
	k.Cleanup(func() { _ = syscall.Kill(-got.PID, syscall.SIGKILL) })
	return got
}

func (k task) refused(when string) {
	k.Helper()
	if got := k.dispatch(); got.Dispatched || got.Code != "limit_exceeded" || got.Slots.Used != 2 {
		if got.PID > 0 {
			_ = syscall.Kill(-got.PID, syscall.SIGKILL)
		}
		k.Errorf("%s: %+v", when, got)
	}
}

// Over two servers with directories of their own, as on two machines, two agents run and a
// third one is refused, also after a server was killed and started again. A slot comes back
// when its agent ends, is killed or dies, and when the kill switch ends it.
func TestTwoAgentsRunOverTwoServers(t *testing.T) {
	workspace := t.TempDir()
	line := "version: 1\ndispatch: {enabled: true, command: [\"/bin/sh\", \"-c\", 'while [ ! -e end.$GOV_DISPATCH_ID ]; do sleep 0.1; done'], env: [PATH]}\n"
	if err := os.WriteFile(filepath.Join(workspace, "governance.yaml"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	// Behind a fence an agent ends with its server; without one, as in a container, it lives on.
	all := tasks(t, 2, "WORKSPACE="+workspace, fence.Setting+"=off")
	one, two := all[0], all[1]
	first, second := one.started(), two.started()
	one.refused("two run")
	two.refused("two run")

	if err := one.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.process.Wait()
	two.refused("the other server is dead, and its agent lives")
	one = one.again()
	one.refused("after the restart")
	if rows := one.running.dispatches("active"); len(rows) != 1 || rows[0]["pid"] != float64(first.PID) {
		t.Errorf("%v", rows)
	}

	if err := syscall.Kill(-first.PID, syscall.SIGKILL); err != nil { // a crash, seen by the server that came later
		t.Fatal(err)
	}
	third := two.started()
	one.refused("the slot is taken again")
	if err := os.WriteFile(filepath.Join(workspace, "end."+second.ID), nil, 0o600); err != nil { // an exit
		t.Fatal(err)
	}
	one.started()
	two.refused("the slot of the exit is taken")
	two.halt()
	two.eventually(func() bool { return syscall.Kill(-third.PID, 0) != nil })
	for _, k := range []task{one, two} { // the halt reaches the other one a little later
		k.eventually(func() bool { return len(k.running.dispatches("active")) == 0 })
	}
	two.eventually(func() bool {
		answer, _ := two.send("POST", "/kill", liftBody, "Authorization", "Bearer "+killSecret)
		return answer.StatusCode == 200
	})
	for _, k := range []task{one, two} {
		k.started()
	}
}
