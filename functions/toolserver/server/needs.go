package server

import (
	"io/fs"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/core"
)

// capabilities reports for each tool whether it works here, for a client of a transport.
func (s *Server) capabilities(transport string) []core.Capability {
	here := s.surroundings(transport)

	var list []core.Capability
	for _, t := range s.sold {
		state, why := here.judge(t)
		list = append(list, core.Capability{
			Tool:  t.Name,
			State: state,
			Why:   why,
		})
	}

	return list
}

// surroundings are the environment that decides the needs of tools.
type surroundings struct {
	killSecret bool
	headers    bool
	processes  bool        // can be read
	agent      func() bool // one is configured, or on PATH
	workspace  workspace.State
	unreadable error // of the workspace file
}

func (s *Server) surroundings(transport string) surroundings {
	state, err := s.governed.workspace.Load()
	_, blind := fs.ReadDir(procOf(s.deps.Host), ".")

	return surroundings{
		killSecret: s.deps.KillSecret != "",
		headers:    transport != "stdio",
		processes:  blind == nil,
		agent:      func() bool { return s.work.runner(state.Config.Dispatch) != nil },
		workspace:  state,
		unreadable: err,
	}
}

// judge returns ready, needs_config or unavailable, and why. A need that no setting can
// provide comes first.
func (here surroundings) judge(t *tool.Tool) (state, why string) {
	state = "ready"
	for _, need := range t.Needs {
		if reason := here.cannot(need); reason != "" {
			return "unavailable", reason
		}
		if reason := here.lacks(need); reason != "" && state == "ready" {
			state, why = "needs_config", reason
		}
	}

	return state, why
}

// cannot returns the reason why no setting can meet a need, "" if one can.
func (here surroundings) cannot(need tool.Need) string {
	switch {
	case need == tool.NeedHeaders && !here.headers:
		return "over stdio there is no header for the kill secret: a person uses governance kill, or POST /kill of a server that listens"
	case need == tool.NeedProcessTable && !here.processes:
		return "the processes of the machine cannot be read, so nothing is called safe"
	}
	return ""
}

// lacks returns the setting that a need requires, "" for none.
func (here surroundings) lacks(need tool.Need) string {
	switch need {
	case tool.NeedKillSecret:
		if !here.killSecret {
			return "KILL_SECRET is not set"
		}
	case tool.NeedWorkspaceFile:
		if here.unreadable != nil {
			return workspace.FileName + " cannot be read, so everything is refused"
		}
		if !here.workspace.Configured {
			return "there is no " + workspace.FileName + ", so no file is known to be safe; governance init writes one"
		}
	case tool.NeedAgent:
		if !here.workspace.Config.Dispatch.Enabled {
			return "dispatch.enabled is not true in " + workspace.FileName
		}
		if !here.agent() {
			return "no agent is configured, and none is on PATH"
		}
	}

	return ""
}
