package hook

import (
	"slices"

	"governance.internal/functions/toolserver/guard/preflight"
)

// mustRead reports whether the workspace file lets agents of the type that calls only read.
func mustRead(gate *preflight.Gate, c call) bool {
	if c.Kind == "" {
		return false
	}
	state, err := gate.Workspace.Load()
	return err == nil && state.Config.Agents[c.Kind].ReadOnly
}

// mayChange reports whether a call may change anything, as far as can be seen.
func (c call) mayChange(gate *preflight.Gate, files map[string][]string, commands []string) bool {
	switch {
	case len(files) > 0, len(c.programs()) > 0:
		return true
	case c.reads():
		return false
	case len(commands) > 0:
		return slices.ContainsFunc(commands, func(text string) bool { return gate.MayChange(c.Dir, text) })
	}
	return true
}
