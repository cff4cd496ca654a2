package projectscan

import (
	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/tree"
)

// governance reads what the workspace file says.
func (p *Project) governance(t *tree.Tree, state workspace.State) {
	p.Governance = Governance{
		Configured:  state.Configured,
		Untouchable: workspace.Texts(state.Config.Untouchable),
		Protected:   workspace.Texts(state.Config.Protected),
		Handoff:     state.Config.Session.Handoff,
		Worklog:     state.Config.Session.Worklog,
		Hooks:       []string{},
		config:      state.Config,
	}
	for _, agent := range coder.Agents {
		if agent.Hook != nil && t.IsFile(agent.Hook.Settings) {
			p.Governance.Hooks = append(p.Governance.Hooks, agent.Hook.Settings)
		}
	}
}
