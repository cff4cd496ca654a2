// Package tools is the one ordered list of the server's tools.
package tools

import (
	"slices"

	"governance.internal/functions/toolserver/preflight"
	"governance.internal/functions/toolserver/tool"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
)

// Toolsets are the groups that a client can choose from.
var Toolsets = []string{"core", "audit", "session", "ops", "web", "bots", "paid"}

// Deps are what the tools work with.
type Deps struct {
	System  core.System
	Machine ops.Machine
	Verify  audit.Verify
	Kill    ops.Kill
	Gate    *preflight.Gate
}

// All are the tools in the order in which they are listed everywhere.
func All(d Deps) []*tool.Tool {
	var names []string
	has := func(name string) bool { return slices.Contains(names, name) }
	list := []*tool.Tool{
		core.GetFramework(d.System.Now, has),
		core.CheckPreflight(d.Gate),
		core.GetGuardrailRules(d.System.Now, d.System.Count),
		core.GetGovernanceSystemInfo(d.System),
		ops.EmergencyKillSwitch(d.Kill),
		audit.VerifyAuditChain(d.Verify),
		ops.GetHealthStatus(d.Machine),
		audit.LintMCPConfig(),
	}
	for _, t := range list {
		names = append(names, t.Name)
	}
	return list
}
