package framework

import (
	"fmt"
	"strings"
)

// Markdown is the whole framework as a document.
func Markdown(rules []Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nVersion %s. Rules that hold because something checks them, for agents that change files, run commands and speak for people.\n",
		Name, Version)
	b.WriteString(RulesMarkdown(rules))
	fmt.Fprintf(&b, "\n## Permission protocol\n\n- %s\n- %s\n- What is unclear counts as %s.\n",
		Permission.Data, Permission.Logic, Permission.Default)
	b.WriteString("\n## Before any change\n\n")

	for i, step := range BeforeAnyChange {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	return b.String()
}

// RulesMarkdown lists rules with all that belongs to them.
func RulesMarkdown(rules []Rule) string {
	var b strings.Builder
	for i, r := range rules {
		fmt.Fprintf(&b, "\n## %d. %s\n\n%s\n\n- Applies when: %s\n- Held by: %s\n- Prevents: %s\n",
			i+1, r.Name, r.Rule, r.Trigger, r.Enforcement, r.Prevents)
		if len(r.EnforcedBy) > 0 {
			fmt.Fprintf(&b, "- Tools: %s\n", strings.Join(r.EnforcedBy, ", "))
		} else {
			b.WriteString("- Tools: none of this server yet; the rule rests on its reader\n")
		}

		if !r.Enabled {
			b.WriteString("- Switched off in this workspace\n")
		}

		for _, step := range DetailOf(r.ID).Implementation {
			fmt.Fprintf(&b, "- %s\n", step)
		}
	}

	return b.String()
}
