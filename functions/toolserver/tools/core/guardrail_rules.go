package core

import (
	"context"
	"slices"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/tool"
)

type rulesInput struct {
	Rule     string `json:"rule" default:"all" doc:"id of a rule, or all"`
	Classify string `json:"classify,omitempty" max:"4000" doc:"A diff or a sentence."`
}

// GuardrailRules is the answer of guardrail_rules.
type GuardrailRules struct {
	GeneratedAt    time.Time                 `json:"generated_at"`
	Rules          []Guardrail               `json:"rules"`
	Classification *framework.Classification `json:"classification,omitempty"`
}

// Guardrail is a rule with what it means in practice.
type Guardrail struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Rule           string   `json:"rule"`
	Trigger        string   `json:"trigger"`
	Enforcement    string   `json:"enforcement"`
	Prevents       string   `json:"prevents"`
	Implementation []string `json:"implementation"`
	Signs          []string `json:"signs_of_violation"`
	Violations     uint64   `json:"violations_30d"` // entries of the audit chain
	Enabled        bool     `json:"enabled"`
}

// Count counts entries of the audit chain since a day, by type.
type Count func(ctx context.Context, from time.Time) (map[string]uint64, error)

// GetGuardrailRules shows the rules of the workspace with the violations of the last 30
// days.
func GetGuardrailRules(now func() time.Time, rules func() []framework.Rule, count Count) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "guardrail_rules",
		Title:       "Guardrail rules",
		Toolset:     "core",
		Description: "The rules in practice and their violations. Classifies a change as DATA (proceed) or LOGIC (a person approves).",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, in rulesInput) (GuardrailRules, error) {
		list := rules()
		if ids := ruleIDs(list); !slices.Contains(ids, in.Rule) {
			return GuardrailRules{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/rule",
				Message: "There is no such rule.",
				Allowed: ids,
			}
		}

		counts, err := count(ctx, now().AddDate(0, 0, -30))
		if err != nil {
			return GuardrailRules{}, &tool.Error{
				Code:    "unavailable",
				Message: "The audit chain cannot be read right now, and the violations are counted from it.",
				Hint:    "Try again.",
			}
		}

		answer := GuardrailRules{GeneratedAt: now().UTC(), Rules: []Guardrail{}}
		for _, r := range list {
			if in.Rule == "all" || in.Rule == r.ID {
				answer.Rules = append(answer.Rules, guardrail(r, counts))
			}
		}

		if in.Classify != "" {
			verdict := framework.Classify(in.Classify)
			answer.Classification = &verdict
		}

		return answer, nil
	})
}

// ruleIDs are validated here, because in the schema they would lengthen the list of tools
// for every model.
func ruleIDs(rules []framework.Rule) []string {
	ids := []string{"all"}
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	return ids
}

func guardrail(r framework.Rule, counts map[string]uint64) Guardrail {
	detail := framework.DetailOf(r.ID)
	g := Guardrail{r.ID, r.Name, r.Rule, r.Trigger, r.Enforcement, r.Prevents, detail.Implementation, detail.Signs, 0, r.Enabled}
	for _, violation := range detail.Violations {
		g.Violations += counts[violation]
	}
	return g
}
