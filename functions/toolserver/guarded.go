package toolserver

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/work/host"
)

// watchInterval is how often the governed files are compared with their baseline, unless
// it is said otherwise.
const watchInterval = 30 * time.Second

// discreet takes out of everything that a tool answers what gives itself away as a
// secret, and the place of the workspace. Tools do so themselves where they know more;
// this is the last look.
func (s *Server) discreet(t *tool.Tool) *tool.Tool {
	clean := *t
	hide := func(text string) string { return mask.Shapes(s.workspace.Hide(text)) }
	clean.Run = func(ctx context.Context, call *tool.Call) tool.Result {
		result := t.Run(ctx, call)
		if result.Err != nil {
			problem := *result.Err
			problem.Message, problem.Hint, problem.Field = hide(problem.Message), hide(problem.Hint), hide(problem.Field)
			return tool.Failure(&problem)
		}

		whole := string(result.Structured)
		if text := hide(whole); text != whole && json.Valid([]byte(text)) {
			result.Structured, result.Content = json.RawMessage(text), []any{tool.Text{
				Type: "text",
				Text: text,
			}}
		}
		return result
	}
	return &clean
}

// aboutWorkspace tells how the workspace is set up; one that cannot be read is not.
func (s *Server) aboutWorkspace() core.Workspace {
	state, err := s.workspace.Load()
	if err != nil {
		return core.Workspace{}
	}

	about := core.Workspace{
		Configured:  state.Configured,
		Untouchable: len(state.Config.Untouchable),
		Protected:   len(state.Config.Protected),
	}

	if info, err := fs.Stat(s.workspace.Files(), state.Config.Session.Handoff); err == nil {
		age := int64(max(s.deps.Now().Sub(info.ModTime()), 0) / time.Second)
		about.HandoffAge = &age
	}
	return about
}

// halted says for the guard why everything is halted, "" if it is not. A halt of dispatches or
// of processes alone is none.
func (s *Server) halted() string {
	halt := s.halt.Halted()
	if halt == nil ||
		halt.Scope == "dispatches" ||
		halt.Scope == "processes" {
		return ""
	}
	return cmp.Or(halt.Reason, "no reason was given")
}

// rules are the rules as the workspace has them. If it cannot be read, they all hold.
func (s *Server) rules() []framework.Rule {
	state, err := s.workspace.Load()
	if err != nil {
		return framework.Rules()
	}

	extra := []framework.Rule{}
	for _, r := range state.Config.Rules.Extra {
		extra = append(extra, framework.Rule{
			ID:          r.ID,
			Name:        cmp.Or(r.Name, r.ID),
			Rule:        r.Rule,
			Trigger:     r.Trigger,
			Enforcement: r.Enforcement,
			Prevents:    r.Prevents,
		})
	}

	return framework.With(state.Config.Rules.Disabled, extra)
}

// governed counts the files that the lists match, without the service's own.
func (s *Server) governed() (untouchable, protected uint64, err error) {
	state, err := s.workspace.Load()
	if err != nil {
		return 0, 0, err
	}

	err = s.workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() {
			if name == workspace.StateDir || name == ".git" {
				return fs.SkipDir
			}
			return nil
		}

		switch decision, rule := state.Policy.Decide(name); {
		case decision == policy.Blocked && !s.workspace.Own(rule):
			untouchable++
		case decision == policy.Protected:
			protected++
		}
		return nil
	})
	return untouchable, protected, err
}

// procOf is the folder of the processes on the machine.
func procOf(h host.Reader) fs.FS {
	proc, err := fs.Sub(h.Files, "proc")
	if err != nil {
		panic(err) // the name is valid
	}
	return proc
}

// net compares the governed files with what they were.
func (s *Server) net() *baseline.Net {
	return &baseline.Net{
		Workspace: s.workspace,
		Log:       s.violations,
		Now:       s.deps.Now,
		Approved:  s.approvals().UsedSince,
	}
}

// keepWatching compares until ctx ends. A comparison that fails is told once, until
// one succeeds.
func (s *Server) keepWatching(ctx context.Context) {
	ticker := time.NewTicker(cmp.Or(s.deps.Watch, watchInterval))
	defer ticker.Stop()

	net, told := s.net(), ""
	for {
		changes, err := net.Watch(ctx)
		for _, c := range changes {
			slog.WarnContext(ctx, "a governed file changed without passing the guard",
				"path", c.Path,
				"change", c.Kind)
		}

		text := ""
		if err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != "" && text != told {
			slog.WarnContext(ctx, "the governed files cannot be compared", "error", text)
		}

		told = text
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// approvals is the book of what people allow in the workspace.
func (s *Server) approvals() *approval.Book {
	return &approval.Book{
		Workspace: s.workspace,
		Now:       s.deps.Now,
		Random:    s.deps.Random,
		Record:    s.violations.Note,
	}
}
