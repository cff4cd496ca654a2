package server

import (
	"context"
	"crypto/rand"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/inspect/bots"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/mcp/tally"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/session/briefing"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
)

// toolTable are tools that can be called by their names.
type toolTable []*tool.Tool

// Run calls a tool by its name.
func (t toolTable) Run(ctx context.Context, name string, call *tool.Call) tool.Result {
	i := t.index(name)
	if i < 0 {
		return tool.Failure(&tool.Error{
			Code:    "not_found",
			Message: "This server does not offer " + name + ".",
		})
	}
	return t[i].Run(ctx, call)
}

// listed are the tools that a client gets which chooses none.
func (t toolTable) listed() []*tool.Tool {
	return middleware.Filter{}.Apply(t)
}

func (t toolTable) has(name string) bool {
	return t.index(name) >= 0
}

func (t toolTable) index(name string) int {
	return slices.IndexFunc(t, func(each *tool.Tool) bool {
		return each.Name == name
	})
}

// toolDeps are what the tools work with.
func (s *Server) toolDeps(secret *access.KillSecret) tools.Deps {
	gate := &preflight.Gate{
		Workspace: s.governed.workspace,
		Log:       s.governed.violations,
		Approvals: s.governed.approvals,
		Halted:    func() string { return haltOfFiles(s.halt) },
	}
	gate.Snapshot = snapshot.BeforeCommand(s.governed.workspace, s.governed.violations)
	enforcing := *gate // for tools that make the change themselves
	enforcing.Enforces = true
	enforcing.Halted = nil // a halted agent may still hand over

	audit := s.driftAudit()
	writer := &edit.Writer{
		Workspace: s.governed.workspace,
		Gate:      gate,
		Log:       s.governed.violations,
		Now:       s.deps.Now,
	}
	propagated := ops.PropagateDeps{
		Propagator: &propagate.Propagator{
			Audit:  audit,
			Writer: writer,
		},
		Workspace: s.governed.workspace,
		Now:       s.deps.Now,
	}
	count := tally.New(s.deps.Audit, framework.ViolationTypes()...).Since
	return tools.Deps{
		System: core.System{
			Name:         Name,
			Version:      Version,
			Build:        s.deps.Build,
			Started:      s.deps.Now(),
			Now:          s.deps.Now,
			Store:        s.deps.Audit,
			Count:        count,
			Calls:        s.calls.Load,
			Governed:     s.governed.count,
			Capabilities: s.capabilities,
		},
		Self:     s.selfCheck(),
		Products: s.deps.Products,
		Machine: ops.Machine{
			Host:      s.deps.Host,
			DataDir:   s.deps.DataDir,
			Now:       s.deps.Now,
			Halted:    s.halt.Halted,
			Verify:    s.chain.verify,
			Running:   s.work.running,
			Processes: s.work.managed.States,
		},
		Verify: s.chain.verify,
		Kill:   killWith(secret, s.halt),
		About:  s.governed.about,
		Rules:  s.governed.rules,
		Archive: ops.ArchiveDeps{
			Workspace: s.governed.workspace,
			Proc:      procOf(s.deps.Host),
		},
		Session: session.Deps{
			Workspace: s.governed.workspace,
			Log:       s.governed.violations,
			Gate:      &enforcing,
			Running:   s.work.running,
			Started:   s.deps.Now(),
			Now:       s.deps.Now,
			Fetch:     briefing.NewClient().Fetch,
		},
		Preflight: gate,
		Deployment: ops.DeploymentDeps{
			Workspace: s.governed.workspace,
			Host:      s.deps.Host,
			States:    s.work.managed.States,
		},
		Usage: ops.UsageDeps{
			Workspace: s.governed.workspace,
			Data:      os.DirFS(s.deps.DataDir),
			Now:       s.deps.Now,
		},
		Evidence:  s.evidence(),
		Drift:     audit,
		Snapshot:  snapshot.New(s.governed.workspace, s.governed.violations, s.deps.Now),
		Propagate: propagated,
		Analyzer: ops.AnalyzerDeps{
			Workspace: s.governed.workspace,
			Writer:    writer,
			Now:       s.deps.Now,
		},
		Close: session.CloseDeps{
			Drift:     audit,
			Propagate: propagated,
			Verify:    s.chain.verify,
			Markers: &session.Markers{
				Workspace: s.governed.workspace,
				Chain:     s.deps.Audit.Head,
				Processes: s.processStates,
				Now:       s.deps.Now,
				Random:    func() string { return strings.ToLower(rand.Text()[:6]) },
			},
		},
		Pages: &pages.Check{
			Workspace: s.governed.workspace,
			Now:       s.deps.Now,
			Probe:     pages.Network(),
		},
		Watch: &pages.Watch{
			Workspace: s.governed.workspace,
			Now:       s.deps.Now,
		},

		Dispatcher: s.work.dispatches,
	}
}

// driftAudit compares the workspace with what runs here.
func (s *Server) driftAudit() *drift.Audit {
	return &drift.Audit{
		Workspace: s.governed.workspace,
		Builtins: fact.Builtins{
			"mcp_tools": func() int { return len(s.sold) },
		},
		Net:       s.governed.net(),
		Now:       s.deps.Now,
		Processes: s.processStates,
		Listening: s.deps.Host.Listening,
		Facts:     audit.SessionFacts(s.governed.workspace),
		Bots:      bots.Drifts,
	}
}

// processStates are the managed processes as the audit of drift sees them.
func (s *Server) processStates(ctx context.Context) ([]drift.Process, error) {
	states, err := s.work.managed.States(ctx)
	if err != nil {
		return nil, err
	}

	var list []drift.Process
	for _, each := range states {
		list = append(list, drift.Process{
			Name:     each.Name,
			State:    each.State,
			Known:    each.State != managed.Unavailable,
			Restarts: each.Restarts,
			PID:      each.PID,
			Why:      each.Why,
		})
	}
	return list, nil
}

// killWith halts for a request with the kill secret.
func killWith(secret *access.KillSecret, halt *killswitch.Switch) ops.Kill {
	return func(ctx context.Context, header http.Header, o killswitch.Order) (killswitch.Outcome, error) {
		if refusal := secret.Check(ctx, header, o.Source); refusal != nil {
			return killswitch.Outcome{}, refusal
		}
		return halt.Activate(ctx, o), nil
	}
}

// procOf is the folder of the processes on the machine.
func procOf(h host.Reader) fs.FS {
	proc, err := fs.Sub(h.Files, "proc")
	if err != nil {
		panic(err) // the name is valid
	}
	return proc
}
