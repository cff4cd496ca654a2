package toolserver

import (
	"io/fs"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/tools/core"
)

// capabilities says of each tool whether it can do its work here, for a client of a
// transport.
func (s *Server) capabilities(transport string) []core.Capability {
	state, err := s.workspace.Load()
	var list []core.Capability
	for _, t := range s.tools {
		c := core.Capability{Tool: t.Name, State: "ready"}
		if why := s.lacking(t.Name, state, err); why != "" {
			c.State, c.Why = "needs_config", why
		}
		if transport == "stdio" && t.Name == "emergency_kill_switch" {
			c.State, c.Why = "unavailable", "over stdio there is no header for the kill secret: a person uses governance kill, or POST /kill of a server that listens"
		}

		if _, blind := fs.ReadDir(procOf(s.deps.Host), "."); t.Name == "check_archive_safety" &&
			blind != nil {
			c.State, c.Why = "unavailable", "the processes of the machine cannot be read, so nothing is called safe"
		}

		list = append(list, c)
	}

	return list
}

// lacking says which setting a tool waits for, "" for none.
func (s *Server) lacking(name string, state workspace.State, unreadable error) string {
	switch name {
	case "emergency_kill_switch":
		if s.deps.KillSecret == "" {
			return "KILL_SECRET is not set"
		}
	case "preflight_check", "request_approval", "check_archive_safety":
		if unreadable != nil {
			return workspace.FileName + " cannot be read, so everything is refused"
		}
		if !state.Configured {
			return "there is no " + workspace.FileName + ", so no file is known to be safe; governance init writes one"
		}
	case "dispatch_to_llm":
		if !state.Config.Dispatch.Enabled {
			return "dispatch.enabled is not true in " + workspace.FileName
		}
		if s.runner(state.Config.Dispatch) == nil {
			return "no agent is configured, and none is on PATH"
		}
	}

	return ""
}
