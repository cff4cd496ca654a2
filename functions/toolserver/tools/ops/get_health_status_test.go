package ops

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/shared/audit"
)

// machineWith uses so many percent of its disk and nothing else worth telling.
func machineWith(diskUsed uint64) Machine {
	return Machine{
		Host: host.Reader{Files: readable(), Disk: func(string) (uint64, uint64, error) { return 100, 100 - diskUsed, nil }, Sleep: func(context.Context, time.Duration) {}, Cores: 1},
		Now:  func() time.Time { return time.Unix(1_800_000_000, 0) }, Halted: func() *killswitch.Halt { return nil },
		Verify: func(context.Context, ...audit.Anchor) (audit.Report, error) {
			return audit.Report{Valid: true, Entries: 1}, nil
		},
		Running:   func() (int, error) { return 0, nil },
		Processes: func(context.Context) ([]managed.Status, error) { return nil, nil },
	}
}

// readable is a machine at rest.
func readable() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"proc/meminfo": file("MemTotal: 2097152 kB\nMemFree: 1500000 kB\nMemAvailable: 1572864 kB\n"),
		"proc/loadavg": file("0.50 0.40 0.30 1/100 1234\n"), "proc/stat": file("cpu  100 0 100 800 0 0 0 0 0 0\n"),
	}
}

func healthOf(t *testing.T, m Machine) (h Health) {
	t.Helper()
	result := GetHealthStatus(m).Run(t.Context(), &tool.Call{})
	if err := json.Unmarshal(result.Structured, &h); err != nil || result.IsError {
		t.Fatalf("%+v (%v)", result, err)
	}
	return h
}

func TestTheStatusIsThatOfTheGravestAlert(t *testing.T) {
	for used, want := range map[uint64]string{84: "ok", 85: "warn", 94: "warn", 95: "critical", 100: "critical"} {
		if h := healthOf(t, machineWith(used)); h.Status != want || (len(h.Alerts) == 0) != (want == "ok") {
			t.Errorf("%d%% used: %s, alerts %v", used, h.Status, h.Alerts)
		}
	}
	at := uint64(2)
	for what, change := range map[string]func(*Machine){
		"halted": func(m *Machine) { m.Halted = func() *killswitch.Halt { return &killswitch.Halt{Reason: "test"} } },
		"broken chain": func(m *Machine) {
			m.Verify = func(context.Context, ...audit.Anchor) (audit.Report, error) { return audit.Report{BrokenAt: &at}, nil }
		},
		"unreadable chain": func(m *Machine) {
			m.Verify = func(context.Context, ...audit.Anchor) (audit.Report, error) {
				return audit.Report{}, errors.New("gone")
			}
		},
	} {
		m := machineWith(85) // a warning besides does not make it less
		change(&m)
		if h := healthOf(t, m); h.Status != "critical" || len(h.Alerts) != 2 {
			t.Errorf("%s: %s %v", what, h.Status, h.Alerts)
		}
	}
}

// A figure that cannot be read is listed as unavailable, not guessed and not healthy.
func TestWhatCannotBeReadIsListed(t *testing.T) {
	m := machineWith(10)
	m.Host.Files = fstest.MapFS{}
	m.Host.Disk = func(string) (uint64, uint64, error) { return 0, 0, errors.New("unknown") }
	if h := healthOf(t, m); h.RAM != nil || h.CPU != nil || len(h.Disk) != 0 || len(h.Unavailable) != 4 || len(h.Alerts) != 3 || h.Status != "warn" {
		t.Errorf("%+v", h)
	}
}

// A critical process that does not run is critical, a crash loop always is, and a process
// whose state is unavailable is never healthy.
func TestManagedProcessesAreJudgedByTheirState(t *testing.T) {
	for state, levels := range map[string][2]string{
		managed.Running: {"ok", "ok"}, managed.Stopped: {"warn", "critical"}, managed.Suspended: {"warn", "critical"}, managed.BackingOff: {"warn", "critical"},
		managed.CrashLoop: {"critical", "critical"}, managed.Unavailable: {"warn", "critical"},
	} {
		for i, critical := range []bool{false, true} {
			m := machineWith(10)
			m.Processes = func(context.Context) ([]managed.Status, error) {
				return []managed.Status{{Name: "api", State: state, Critical: critical, Why: "a reason"}}, nil
			}
			h := healthOf(t, m)
			if h.Status != levels[i] || len(h.Processes) != 1 || (len(h.CrashLoops) == 1) != (state == managed.CrashLoop) {
				t.Errorf("%s, critical %v: %s %+v", state, critical, h.Status, h.Alerts)
			}
		}
	}
	m := machineWith(10)
	m.Processes = func(context.Context) ([]managed.Status, error) { return nil, errors.New("line 3") }
	if h := healthOf(t, m); h.Status != "critical" {
		t.Errorf("a workspace file that cannot be read: %+v", h)
	}
}
