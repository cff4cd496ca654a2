// Package tools is the one ordered list of the server's tools.
package tools

import (
	"slices"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/approvals"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/bots"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/paid"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/tools/web"
	"governance.internal/functions/toolserver/work/dispatch"
)

// Toolsets are the groups that a client can choose from.
var Toolsets = append(slices.Clone(Default), "approvals")

// Default are the default toolsets: all but approvals, which need a person who answers
// them. The tools of paid are listed only for a client that chooses them.
var Default = []string{"core", "audit", "session", "ops", "web", "bots", "paid"}

// Deps are what the tools work with.
type Deps struct {
	System     core.System
	Self       core.SelfDeps
	Machine    ops.Machine
	Verify     audit.Verify
	Kill       ops.Kill
	Preflight  *preflight.Gate
	Session    session.Deps
	Archive    ops.ArchiveDeps
	Deployment ops.DeploymentDeps
	Usage      ops.UsageDeps
	Evidence   audit.Evidence
	Drift      *drift.Audit
	Propagate  ops.PropagateDeps
	Analyzer   ops.AnalyzerDeps
	Snapshot   *snapshot.Keeper
	Close      session.CloseDeps
	Pages      *pages.Check
	Watch      *pages.Watch
	Products   paid.Products
	About      func() core.Workspace
	Rules      func() []framework.Rule

	Dispatcher *dispatch.Dispatcher
}

// Count is the number of tools that this server has.
func Count() int {
	return len(All(Deps{}, func(*tool.Tool) bool { return true }))
}

// All returns the offered tools in the order in which they are always listed.
func All(d Deps, offered func(*tool.Tool) bool) []*tool.Tool {
	var names []string
	has := func(name string) bool { return slices.Contains(names, name) }
	list := []*tool.Tool{
		core.GetFramework(d.System.Now, d.Rules, d.About, has),
		session.SessionHandoff(d.Session),
		core.CheckPreflight(d.Preflight),
		session.KeepWorklog(d.Session),
		core.GetGuardrailRules(d.System.Now, d.Rules, d.System.Count),
		core.LogViolations(d.Session.Log),
		session.StepBackCheck(d.Session),
		session.PersistFact(d.Session),
		session.DiscoveryBriefing(d.Session),
		core.GetGovernanceSystemInfo(d.System),
		core.CheckSelf(d.Self),
		ops.EmergencyKillSwitch(d.Kill),
		ops.DispatchToLLM(d.Dispatcher),
		approvals.RequestApproval(d.Preflight),
		approvals.ApprovalStatus(d.Preflight),
		audit.VerifyAuditChain(d.Verify),
		audit.AuditDrift(d.Drift),
		audit.SecurityAudit(d.Session.Workspace, d.Session.Now),
		ops.AutoPropagate(d.Propagate),
		ops.PropagateFamilyMember(d.Propagate),
		web.CheckPageHealth(d.Pages),
		audit.PrePublishAudit(d.Session.Workspace),
		audit.CheckAccountability(d.Session.Workspace, d.Session.Now),
		bots.CheckBotCompliance(d.Session.Workspace, d.Session.Now),
		ops.ReportUsage(d.Usage),
		ops.CheckDependencies(d.Session.Workspace),
		session.SessionClose(d.Session, d.Close),
		ops.CreateSnapshot(d.Snapshot),
		session.CheckSessionDiff(d.Session, d.Close.Markers),
		ops.FixDocDrift(d.Propagate),
		ops.AnalyzeProject(d.Analyzer, has),
		ops.GetHealthStatus(d.Machine),
		ops.TestDeployment(d.Deployment),
		web.CheckPageChanges(d.Watch),
		ops.CheckArchiveSafety(d.Archive),
		audit.LintMCPConfig(),
		audit.GovernanceScan(d.Evidence),
		paid.LegalPrep(d.Products),
		paid.Bookkeeping(d.Products),
		paid.AgentTherapy(d.Products),
	}
	list = slices.DeleteFunc(list, func(t *tool.Tool) bool { return !offered(t) })
	for _, t := range list {
		names = append(names, t.Name)
	}

	return list
}
