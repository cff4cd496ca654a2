// Package framework is the content of the governance framework: the rules for
// agents, the permission protocol and what to do before any change. Tools and
// resources show it; nothing here enforces anything.
package framework

import "slices"

// Identity of the framework.
const (
	Name    = "Governance framework for agents"
	Version = "1.0.0"
)

// Rule is one rule for agents.
type Rule struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Rule        string   `json:"rule"`
	Trigger     string   `json:"trigger"`     // when it applies
	Enforcement string   `json:"enforcement"` // what makes it hold
	Prevents    string   `json:"prevents"`    // the failure that it is there for
	EnforcedBy  []string `json:"enforced_by"` // tools of this server
	Enabled     bool     `json:"enabled"`
}

// Detail is what the rule means in practice.
type Detail struct {
	Implementation []string
	Signs          []string // of a violation
	Violations     []string // types of audit entries that count as one
}

// Protocol tells changes that an agent may make from those that a person decides.
type Protocol struct {
	Data    string `json:"data"`
	Logic   string `json:"logic"`
	Default string `json:"default"` // what an unclear change counts as
}

// Permission is the permission protocol.
var Permission = Protocol{
	Data:    "DATA: texts, translations, figures and values that no code decides by. The agent may change them and records it.",
	Logic:   "LOGIC: control flow, names, prompts, schemas, configuration keys, dependencies, permissions. A person approves the change before it is made.",
	Default: "LOGIC",
}

// BeforeAnyChange is the list to go through, in order.
var BeforeAnyChange = []string{
	"Say which file changes, and why the task needs it.",
	"Find out whether the file is untouchable or protected; stop if it is untouchable, ask if it is protected.",
	"Decide whether the change is DATA or LOGIC; everything that is not clearly DATA is LOGIC.",
	"For LOGIC, show a person the change and wait for the approval.",
	"Know how to undo it: a commit, a snapshot or a backup exists.",
	"Make the change, check that it does what was asked, and write down what was done.",
}

// Rules are all rules in their order: seven core rules, the permission protocol and
// the confirmation of destructive requests.
func Rules() []Rule {
	rules := make([]Rule, len(entries))
	for i, e := range entries {
		rules[i] = e.Rule
		rules[i].EnforcedBy, rules[i].Enabled = slices.Clone(e.EnforcedBy), true
	}
	return rules
}

// With are the rules as a workspace has them: some do not apply, and some are its own.
func With(disabled []string, extra []Rule) []Rule {
	rules := append(Rules(), extra...)
	for i := range rules {
		rules[i].Enabled = !slices.Contains(disabled, rules[i].ID)
		if rules[i].EnforcedBy == nil {
			rules[i].EnforcedBy = []string{}
		}
	}
	return rules
}

// Core is the number of core rules at the beginning of the list.
const Core = 7

// DetailOf is the detail of a rule of the list.
func DetailOf(id string) Detail {
	for _, e := range entries {
		if e.ID == id {
			return e.Detail
		}
	}
	return Detail{Implementation: []string{}, Signs: []string{}}
}

// ViolationTypes are all types of audit entries that are violations of a rule.
func ViolationTypes() []string {
	var types []string
	for _, e := range entries {
		types = append(types, e.Violations...)
	}
	return types
}

type entry struct {
	Rule
	Detail
}
