// Package resources holds the seven texts that clients can read.
package resources

import (
	"context"
	_ "embed"
	"slices"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/stateless"
)

//go:embed quick-start.md
var quickStart string

//go:embed templates.md
var templates string

//go:embed reference-implementation.md
var referenceImplementation string

//go:embed case-study.md
var caseStudy string

const scheme = "governance-system://"

// All are the resources in the order in which they are listed. The rules name the
// tools of the server that hold them.
func All(has func(tool string) bool) []stateless.Resource {
	text := func(id, name, description, content string) stateless.Resource {
		return stateless.Resource{
			URI:         scheme + id,
			Name:        name,
			Title:       name,
			Description: description,
			MIMEType:    "text/markdown",
			Read:        func(context.Context) (string, error) { return content, nil },
		}
	}

	rules := framework.Rules()
	for i := range rules {
		rules[i].EnforcedBy = slices.DeleteFunc(rules[i].EnforcedBy, func(name string) bool {
			return !has(name)
		})
	}

	return []stateless.Resource{
		text("framework", "Framework", "All rules, the permission protocol, and what to do before any change.",
			framework.Markdown(rules)),
		text("quick-start", "Quick Start Guide", "From nothing to governed agents in seven steps.",
			quickStart),
		text("rules", "The 7 Core Rules", "The core rules in full.",
			"# The 7 Core Rules\n"+framework.RulesMarkdown(rules[:framework.Core])),
		text("templates", "Templates", "Handoff, worklog entry, untouchable list and preflight check to copy.",
			templates),
		text("drift-audit", "Drift Audit", "The state of the workspace compared with what it declares.",
			driftAudit(has)),
		text("reference-implementation",
			"Reference implementation", "How this server is built, and how to build an operations agent on it.", referenceImplementation),
		text("case-study", "Case study", "One incident, from the mistake to the record of it.", caseStudy),
	}
}

// driftAudit returns how to get the report of the workspace, or that this server makes none.
func driftAudit(has func(tool string) bool) string {
	if !has("drift_audit") {
		return "# Drift audit\n\nStatus: not_checked.\n\nThis server does not offer the tool drift_audit, so nothing was compared and nothing can be said about drift in this workspace. Do not read this page as a clean result. The operator chose the toolsets that are offered; drift_audit is in the toolset audit.\n"
	}
	return driftReport
}

const driftReport = `# Drift audit

Call the tool drift_audit for the report of this workspace. It changes nothing.

| Scope | What is compared |
|---|---|
| roles, members | Lists that repeat the members of roles_source. |
| versions | Every place that repeats a version, with its source. |
| files | Governed files with their baseline; links, paths and commands in documents with what is there. |
| processes | What should run and listen with what does. |
| website | Counts and versions on pages, the sitemap, canonical links. |
| platforms, bots | Features of members, and standards of bots. |
| docs | Age, ports, processes, schedules and counts that documents state. |
| session_facts | Facts of the last two days with the handoff and the worklog. |

A status of clean says that something was compared and agrees. A status of not_checked says that nothing was compared; skipped names what to describe in governance.yaml.
`
