//go:build linux

package server_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
)

// managing writes a workspace file with managed processes, one YAML object a line.
func managing(t *testing.T, d *depsOf, expected ...string) {
	t.Helper()
	text := "version: 1\nprocesses:\n  expected:\n"
	for _, each := range expected {
		text += "    - " + each + "\n"
	}
	if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// untilStates waits until the processes are as they should be.
func (r running) untilStates(what string, ok func(map[string]managed.Status) bool) map[string]managed.Status {
	r.Helper()
	var states map[string]managed.Status
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		states = map[string]managed.Status{}
		for _, each := range structured[ops.Health](r, "get_health_status", `{}`).Processes {
			states[each.Name] = each
		}
		if ok(states) {
			return states
		}
	}
	r.Fatalf("never %s: %+v", what, states)
	return nil
}

func isRunning(names ...string) func(map[string]managed.Status) bool {
	return func(states map[string]managed.Status) bool {
		for _, name := range names {
			if states[name].State != managed.Running || states[name].PID == 0 {
				return false
			}
		}
		return true
	}
}

// A process of the workspace file runs, is halted with its descendants, is not restarted
// under the halt, and restarts when a person lifts it.
func TestTheKillSwitchReachesManagedProcesses(t *testing.T) {
	r := start(t, func(d *depsOf) {
		managing(t, d,
			`{name: api, provider: supervised, command: [/bin/sh, -c, "trap '' TERM; setsid sleep 1000 & sleep 1000"], critical: true}`,
			`{name: worker, provider: supervised, command: [/bin/sh, -c, "sleep 1000"]}`,
			`{name: seen, provider: procfs, match: {pid_file: seen.pid}}`)
	})
	other := startForeign(t, filepath.Join(r.deps.Workspace, "seen.pid"))
	before := r.untilStates("all run", isRunning("api", "worker", "seen"))
	out, whole := r.halted()
	stopped, asked := out["stopped"].(map[string]any)["processes"].([]any), out["asked"].(map[string]any)["processes"].([]any)
	if out["complete"] != true || whole && (len(stopped) != 3 || len(asked) != 3) || len(out["survivors"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
	for _, name := range []string{"api", "worker"} {
		deadline := time.Now().Add(time.Minute) // a zombie counts as one of the group until it is buried
		for syscall.Kill(-before[name].PID, 0) == nil {
			if time.Sleep(10 * time.Millisecond); time.Now().After(deadline) {
				t.Fatalf("something of %s is alive", name)
			}
		}
	}
	select {
	case <-other:
	case <-time.After(time.Minute):
		t.Error("the foreign process lives")
	}
	health := structured[ops.Health](r, "get_health_status", `{}`)
	if health.Status != "critical" || len(health.Processes) != 3 {
		t.Errorf("%+v", health)
	}
	for _, p := range health.Processes {
		if p.State != managed.Stopped {
			t.Errorf("%+v", p)
		}
	}
	if answer, out := r.send("POST", "/kill", liftBody, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 || out["resumed"] != true {
		t.Fatalf("%d %v", answer.StatusCode, out)
	}
	after := r.untilStates("they run again", isRunning("api", "worker"))
	if after["api"].PID == before["api"].PID || after["seen"].State != managed.Stopped {
		t.Errorf("%+v", after)
	}
}

// A halt of the dispatches leaves managed processes alone.
func TestAHaltOfTheDispatchesSparesManagedProcesses(t *testing.T) {
	r := start(t, func(d *depsOf) {
		managing(t, d, `{name: api, provider: supervised, command: [/bin/sh, -c, "setsid sleep 1000 & sleep 1000"]}`)
	})
	before := r.untilStates("it runs", isRunning("api"))
	if _, out := r.send("POST", "/kill", `{"reason":"a test","scope":"dispatches"}`, "Authorization", "Bearer "+killSecret); out["complete"] != true {
		t.Errorf("%v", out)
	}
	if after := r.untilStates("it runs", isRunning("api")); after["api"].PID != before["api"].PID || after["api"].Restarts != 0 {
		t.Errorf("%+v, was %+v", after, before)
	}
}

// A halt that came while no server ran ends what an earlier one left running.
func TestAHaltIsHonouredByTheNextServer(t *testing.T) {
	r := start(t, func(d *depsOf) {
		managing(t, d, `{name: api, provider: supervised, command: [/bin/sh, -c, "sleep 1000"]}`)
		halt := `{"since":"2026-01-01T00:00:00Z","reason":"by hand","source":"file","scope":"all"}`
		if err := os.WriteFile(filepath.Join(d.DataDir, "HALT"), []byte(halt), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	time.Sleep(3 * time.Second) // in which it would be started
	if h := structured[ops.Health](r, "get_health_status", `{}`); len(h.Processes) != 1 || h.Processes[0].State != managed.Stopped {
		t.Errorf("%+v", h.Processes)
	}
}

// startForeign starts a process that is no child of the server's supervisor, and gives a
// channel that is closed when it ended.
func startForeign(t *testing.T, pidFile string) <-chan struct{} {
	t.Helper()
	ended := make(chan struct{})
	c := shell("sleep 1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	go func() { defer close(ended); _ = c.Wait() }()
	if err := os.WriteFile(pidFile, []byte(sprint(c.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return ended
}

// A process whose provider is unavailable is reported as such, never as healthy.
func TestAMissingProviderIsReportedAndNeverHealthy(t *testing.T) {
	r := start(t, func(d *depsOf) {
		managing(t, d, `{name: queue, provider: ecs, target: cluster/queue, critical: true}`, `{name: odd, provider: procfs}`)
	})
	h := structured[ops.Health](r, "get_health_status", `{}`)
	if h.Status != "critical" || len(h.Processes) != 2 || h.Processes[0].State != managed.Unavailable || h.Processes[1].State != managed.Unavailable ||
		!strings.Contains(sprint(h.Unavailable), "match.cmd") {
		t.Errorf("%+v", h)
	}
	if answer, list := r.send("GET", "/processes", ""); answer.StatusCode != 200 || len(list["processes"].([]any)) != 2 || !strings.Contains(sprint(list), managed.Unavailable) {
		t.Errorf("%d %v", answer.StatusCode, list)
	}
	_, out := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
	if out["complete"] != false || len(out["survivors"].([]any)) != 2 || !strings.Contains(sprint(out), "no provider ecs") {
		t.Errorf("%v", out)
	}
}

func shell(line string) *exec.Cmd { return exec.Command("/bin/sh", "-c", line) }

// elsewhere is a provider that remembers, as those of AWS do.
type elsewhere struct {
	former *managed.Former
	runs   *atomic.Bool
}

func (e elsewhere) States(_ context.Context, list []managed.Process) (states []managed.Status) {
	for _, p := range list {
		states = append(states, managed.Status{Name: p.Name, Provider: p.Provider, State: map[bool]string{true: managed.Running, false: managed.Stopped}[e.runs.Load()]})
	}
	return states
}

func (e elsewhere) Stop(_ context.Context, list []managed.Process) []managed.Outcome {
	return managed.Each(list, func(p managed.Process) managed.Outcome {
		did := managed.Keep(e.former, p, "3")
		e.runs.Store(false)
		return managed.Done(p, append(did, "3 to 0")...)
	})
}

func (e elsewhere) Start(_ context.Context, p managed.Process, former string) (string, error) {
	if former != "3" || p.Target != "jobs/queue" {
		return "", errors.New("not as it was")
	}
	e.runs.Store(true)
	return "0 to 3", nil
}

// A process that was stopped elsewhere stays stopped after the lift until a person restores
// it, even through another server that started in the meantime.
func TestWhatRanElsewhereComesBackForwarded(t *testing.T) {
	var runs atomic.Bool
	runs.Store(true)
	cloud := func(f *managed.Former) map[string]managed.Provider {
		return map[string]managed.Provider{"ecs": elsewhere{f, &runs}}
	}
	r := start(t, func(d *depsOf) {
		managing(t, d, `{name: queue, provider: ecs, target: jobs/queue}`)
		d.Cloud = cloud
	})
	secret := []string{"Authorization", "Bearer " + killSecret}
	if _, out := r.send("POST", "/kill", killBody, secret...); out["complete"] != true || runs.Load() {
		t.Errorf("%v", out)
	}
	r.send("POST", "/kill", killBody, secret...) // finds nothing to stop, and forgets nothing
	if _, out := r.send("POST", "/kill", liftBody, secret...); out["resumed"] != true || len(out["restored"].([]any)) != 0 || runs.Load() {
		t.Errorf("%v", out)
	}
	again := start(t, func(d *depsOf) {
		d.DataDir, d.Workspace, d.Audit, d.Cloud = r.deps.DataDir, r.deps.Workspace, r.deps.Audit, cloud
	})
	body := `{"resume":true,"reason":"looked at, all is well","restore":true}`
	for range 2 {
		answer, out := again.send("POST", "/kill", body, secret...)
		if restored := out["restored"].([]any); answer.StatusCode != 200 || len(restored) > 1 || len(restored) == 1 && restored[0].(map[string]any)["ok"] != true {
			t.Errorf("%d %v", answer.StatusCode, out)
		}
	}
	if !runs.Load() || r.entries("KILL_SWITCH_RESTORE") != 4 {
		t.Errorf("runs %v, %d entries", runs.Load(), r.entries("KILL_SWITCH_RESTORE"))
	}
}

// The tools report about their own workspace only.
func TestTwoWorkspacesAreNotAnsweredAlike(t *testing.T) {
	answers := func(port, tokens string) map[string]string {
		dir := project(t, map[string]string{
			"governance.yaml": "processes: {expected: [{name: p" + port + ", script: a.go, ports: [" + port + "], provider: procfs, match: {dir: none" + port + "}}]}\nusage: {sources: [{file: u.jsonl}]}\n",
			"a.go":            "package a\nimport \"os\"\nvar _ = os.Getenv(\"P" + port + "\")\n",
			"u.jsonl":         `{"ts":"` + noon.Format(time.RFC3339) + `","bot":"x","input_tokens":` + tokens + `,"output_tokens":1}` + "\n",
		})
		r := start(t, func(d *depsOf) { d.Workspace, d.Now = dir, time.Now })
		said := map[string]string{}
		for name, arguments := range map[string]string{"check_dependencies": `{}`, "usage_report": `{}`, "get_health_status": `{}`} {
			result := r.call(name, arguments)
			if result["isError"] != nil {
				t.Errorf("%s: %v", name, result)
			}
			said[name] = sprint(result["structuredContent"])
		}
		return said
	}
	a, b := answers("8081", "10"), answers("8082", "20")
	for name, want := range map[string][2]string{"check_dependencies": {"P8081", "P8082"}, "usage_report": {"11", "21"}, "get_health_status": {"p8081", "p8082"}} {
		if !strings.Contains(a[name], want[0]) || !strings.Contains(b[name], want[1]) || a[name] == b[name] {
			t.Errorf("%s: %s and %s", name, a[name], b[name])
		}
	}
}

// hangs is a trail that never answers while it is set.
type hangs struct {
	audit.Store
	is *atomic.Bool
}

func (h hangs) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	if h.is.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return h.Store.Append(ctx, events...)
}

// A trail that never answers holds up no halt: everything ends, and the entries wait.
func TestATrailThatHangsHoldsUpNoHalt(t *testing.T) {
	var is atomic.Bool
	r := start(t, func(d *depsOf) {
		d.Audit = hangs{d.Audit, &is}
		managing(t, d, `{name: api, provider: supervised, command: [/bin/sh, -c, "trap '' TERM; setsid sleep 1000 & while :; do sleep 1; done"]}`)
	})
	pid := r.untilStates("it runs", isRunning("api"))["api"].PID
	is.Store(true)
	out, _ := r.halted()
	if out["complete"] != true || out["audit"] != "deferred" {
		t.Errorf("%v", out)
	}
	if u, ok := processes.Identify(pid); ok {
		t.Errorf("it lives: %+v", u)
	}
	is.Store(false)
	for deadline := time.Now().Add(time.Minute); r.entries("KILL_SWITCH") < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the entries are lost")
		}
	}
}
