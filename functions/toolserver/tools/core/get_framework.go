// Package core holds the tools of the toolset core: the framework and its rules.
package core

import (
	"context"
	"slices"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/tool"
)

type frameworkInput struct {
	Format string `json:"format" enum:"json,markdown" default:"json" doc:"markdown adds the text."`
}

// Framework is the answer of get_framework.
type Framework struct {
	Name            string             `json:"name"`
	Version         string             `json:"version"`
	GeneratedAt     time.Time          `json:"generated_at"`
	Rules           []framework.Rule   `json:"rules"`
	Protocol        framework.Protocol `json:"permission_protocol"`
	BeforeAnyChange []string           `json:"before_any_change"`
	Workspace       Workspace          `json:"workspace"`
	Document        string             `json:"document,omitempty"`
}

// Workspace says how the framework is set up for the project.
type Workspace struct {
	Configured  bool   `json:"configured"`
	Untouchable int    `json:"untouchable_count"`
	Protected   int    `json:"protected_count"`
	HandoffAge  *int64 `json:"last_handoff_age_s"`
}

// GetFramework shows the whole framework. Each rule names the tools that enforce it and
// that has reports as existing; rules and about describe the setup of the workspace.
func GetFramework(
	now func() time.Time,
	rules func() []framework.Rule,
	about func() Workspace,
	has func(tool string) bool,
) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "get_framework",
		Title:       "Framework",
		Toolset:     "core",
		Description: "The rules, the tools that hold them, and the permission protocol.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in frameworkInput) (Framework, error) {
		list := held(rules(), has)
		answer := Framework{
			Name:            framework.Name,
			Version:         framework.Version,
			GeneratedAt:     now().UTC(),
			Rules:           list,
			Protocol:        framework.Permission,
			BeforeAnyChange: framework.BeforeAnyChange,
			Workspace:       about(),
		}

		if in.Format == "markdown" {
			answer.Document = framework.Markdown(list)
		}

		return answer, nil
	})
}

// held keeps the tools of a rule that exist.
func held(rules []framework.Rule, has func(tool string) bool) []framework.Rule {
	for i := range rules {
		rules[i].EnforcedBy = slices.DeleteFunc(rules[i].EnforcedBy, func(name string) bool {
			return !has(name)
		})
	}
	return rules
}
