// Package tools is the one ordered list of the server's tools.
package tools

import (
	"slices"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/approvals"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/dispatch"
)

// Toolsets are the groups that a client can choose from.
var Toolsets = append(slices.Clone(Default), "approvals")

// Default are those that are offered unless the operator chooses: without approvals,
// which need a person who looks at them.
var Default = []string{"core", "audit", "session", "ops", "web", "bots", "paid"}

// Deps are what the tools work with.
type Deps struct {
	System  core.System
	Machine ops.Machine
	Verify  audit.Verify
	Kill    ops.Kill
	Gate    *preflight.Gate
	Desk    session.Desk
	Shelf   ops.Shelf
	Dock    ops.Dock
	Till    ops.Till
	About   func() core.Workspace
	Rules   func() []framework.Rule

	Dispatcher *dispatch.Dispatcher
}

// All are the tools in the order in which they are listed everywhere, as far as they
// are offered.
func All(d Deps, offered func(*tool.Tool) bool) []*tool.Tool {
	var names []string
	has := func(name string) bool { return slices.Contains(names, name) }
	list := []*tool.Tool{
		core.GetFramework(d.System.Now, d.Rules, d.About, has),
		session.SessionHandoff(d.Desk),
		core.CheckPreflight(d.Gate),
		session.KeepWorklog(d.Desk),
		core.GetGuardrailRules(d.System.Now, d.Rules, d.System.Count),
		core.LogViolations(d.Desk.Log),
		session.StepBackCheck(d.Desk),
		core.GetGovernanceSystemInfo(d.System),
		ops.EmergencyKillSwitch(d.Kill),
		ops.DispatchToLLM(d.Dispatcher),
		approvals.RequestApproval(d.Gate),
		approvals.ApprovalStatus(d.Gate),
		audit.VerifyAuditChain(d.Verify),
		audit.CheckAccountability(d.Desk.Workspace, d.Desk.Now),
		ops.ReportUsage(d.Till),
		ops.CheckDependencies(d.Desk.Workspace),
		ops.GetHealthStatus(d.Machine),
		ops.TestDeployment(d.Dock),
		ops.CheckArchiveSafety(d.Shelf),
		audit.LintMCPConfig(),
	}
	list = slices.DeleteFunc(list, func(t *tool.Tool) bool { return !offered(t) })
	for _, t := range list {
		names = append(names, t.Name)
	}

	return list
}
