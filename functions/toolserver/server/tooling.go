package server

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"slices"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tally"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
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
	enforcing := *gate // for tools that make the change themselves
	enforcing.Enforces = true
	enforcing.Halted = nil // a halted agent may still hand over

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
			Now:       s.deps.Now,
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

		Dispatcher: s.work.dispatches,
	}
}

// killWith halts for a request that shows the kill secret.
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
