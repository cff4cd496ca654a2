package ops

import (
	"context"
	"fmt"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
)

// Bounds of the alerts, in percent used.
const (
	memoryWarn, memoryCritical = 85, 95
	diskWarn, diskCritical     = 85, 95
)

// Health is the answer of get_health_status.
type Health struct {
	Status      string           `json:"status"` // ok, warn or critical
	GeneratedAt time.Time        `json:"generated_at"`
	RAM         *host.Memory     `json:"ram"`
	Disk        []host.Disk      `json:"disk"`
	CPU         *host.CPU        `json:"cpu"`
	Processes   []managed.Status `json:"processes"`
	CrashLoops  []string         `json:"crash_loops"`
	Dispatches  Dispatches       `json:"dispatches"`
	Chain       *Chain           `json:"chain"`
	Halt        *killswitch.Halt `json:"halt"`
	Alerts      []Alert          `json:"alerts"`
	Unavailable []string         `json:"unavailable"` // what could not be read here
}

// Dispatches are the agents that run in the background.
type Dispatches struct {
	Running int `json:"running"`
	Max     int `json:"max"`
}

// Chain is the state of the audit chain.
type Chain struct {
	Valid   bool   `json:"valid"`
	Entries uint64 `json:"entries"`
}

// Alert is something that a person should look at.
type Alert struct {
	Level   string `json:"level"` // warn or critical
	Message string `json:"message"`
}

// Machine is what get_health_status reads.
type Machine struct {
	Host    host.Reader
	DataDir string
	Now     func() time.Time
	Halted  func() *killswitch.Halt
	Verify  audit.Verify
	Running func() (int, error) // dispatches

	Processes func(context.Context) ([]managed.Status, error)
}

// GetHealthStatus reports the state of the machine. It lists values that cannot be read
// instead of guessing them.
func GetHealthStatus(m Machine) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "get_health_status",
		Title:       "Health",
		Toolset:     "ops",
		Description: "State of the machine, processes, dispatches, audit chain and kill switch, with alerts.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, _ struct{}) (Health, error) {
		h := Health{
			GeneratedAt: m.Now().UTC(),
			Disk:        []host.Disk{},
			Processes:   []managed.Status{},
			CrashLoops:  []string{},
			Alerts:      []Alert{},
			Dispatches:  Dispatches{Max: dispatch.MostAtOnce},
			Halt:        m.Halted(),
			Unavailable: []string{},
		}
		m.processes(ctx, &h)

		m.memory(&h)
		m.disk(&h)
		if cpu, err := m.Host.CPU(ctx); err == nil {
			h.CPU = &cpu
		} else {
			h.unseen("cpu: not readable on this system")
		}

		m.chain(ctx, &h)
		if n, err := m.Running(); err == nil {
			h.Dispatches.Running = n
		} else {
			h.unseen("dispatches: their records cannot be read")
		}

		if h.Halt != nil {
			h.alert("critical", "Everything is halted by the kill switch since "+h.Halt.Since.Format(time.RFC3339)+".")
		}

		h.Status = worst(h.Alerts)
		return h, nil
	})
}

// processes reports the state of the managed processes. A critical one that does not run
// is a critical alert; one whose state is unavailable is never reported as running.
func (m Machine) processes(ctx context.Context, h *Health) {
	list, err := m.Processes(ctx)
	switch {
	case err != nil:
		h.Unavailable = append(h.Unavailable, "processes: the workspace file cannot be read")
		h.alert("critical", "The workspace file cannot be read.")
	case len(list) == 0:
		h.Unavailable = append(h.Unavailable, "processes: no workspace file names any")
	}

	for _, p := range list {
		h.Processes = append(h.Processes, p)
		level := "warn"
		if p.Critical {
			level = "critical"
		}

		switch p.State {
		case managed.Running:
		case managed.Unavailable:
			h.Unavailable = append(h.Unavailable, "process "+p.Name+": "+p.Why)
			h.alert(level, fmt.Sprintf("The state of %s is unavailable.", p.Name))
		case managed.CrashLoop:
			h.CrashLoops = append(h.CrashLoops, p.Name)
			h.alert("critical", fmt.Sprintf("%s ends again and again: %d restarts.", p.Name, p.Restarts))
		default:
			h.alert(level, fmt.Sprintf("%s does not run: %s.", p.Name, p.State))
		}
	}
}

func (m Machine) memory(h *Health) {
	memory, err := m.Host.Memory()
	if err != nil {
		h.unseen("ram: not readable on this system")
		return
	}

	h.RAM = &memory
	h.measure("memory", memory.UsedPercent, memoryWarn, memoryCritical)
}

func (m Machine) disk(h *Health) {
	disk, err := m.Host.DiskOf(m.DataDir, "data")
	if err != nil {
		h.unseen("disk: not readable on this system")
		return
	}

	h.Disk = append(h.Disk, disk)
	h.measure("the disk of the data directory", disk.UsedPercent, diskWarn, diskCritical)
}

func (m Machine) chain(ctx context.Context, h *Health) {
	v, err := audit.VerifyNow(ctx, m.Verify)
	if err != nil {
		h.Unavailable = append(h.Unavailable, "chain: the audit chain cannot be read right now")
		h.alert("critical", "The audit chain cannot be read.")
		return
	}

	h.Chain = &Chain{v.Valid, v.Entries}
	if !v.Valid {
		h.alert("critical", fmt.Sprintf("The audit chain is not valid at entry %d.", *v.BrokenAt))
	}
}

// unseen reports a check that could not be done, so that it does not count as passed.
func (h *Health) unseen(what string) {
	h.Unavailable = append(h.Unavailable, what)
	h.alert("warn", "Not looked at: "+what+".")
}

func (h *Health) measure(what string, used, warn, critical int) {
	switch {
	case used >= critical:
		h.alert("critical", fmt.Sprintf("%d%% of %s is used.", used, what))
	case used >= warn:
		h.alert("warn", fmt.Sprintf("%d%% of %s is used.", used, what))
	}
}

func (h *Health) alert(level, message string) {
	h.Alerts = append(h.Alerts, Alert{level, message})
}

func worst(alerts []Alert) string {
	status := "ok"
	for _, a := range alerts {
		if a.Level == "critical" {
			return "critical"
		}
		status = a.Level
	}
	return status
}
