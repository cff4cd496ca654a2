package core

import (
	"context"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/tool"
)

type rulesInput struct {
	Rule     string `json:"rule" enum:"all,dispatch_dont_do,untouchable,write_progress,step_back,delegate_and_return,ask_before_touching,hand_off,permission_protocol,confirm_destructive_intent" default:"all" doc:"One rule, or all."`
	Classify string `json:"classify,omitempty" max:"4000" doc:"A diff, or a sentence about a change, to classify as DATA or LOGIC."`
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
}

// Count counts entries of the audit chain since a day, by type.
type Count func(ctx context.Context, from time.Time) (map[string]uint64, error)

// GetGuardrailRules shows the rules with the violations of the last 30 days.
func GetGuardrailRules(now func() time.Time, count Count) *tool.Tool {
	return tool.Define(tool.Tool{
		Name: "guardrail_rules", Title: "Guardrail rules", Toolset: "core",
		Description: "Rules with trigger, enforcement, prevented failure and violations in 30 days. Classifies a change as DATA (may proceed) or LOGIC (a person must approve).",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, in rulesInput) (GuardrailRules, error) {
		counts, err := count(ctx, now().AddDate(0, 0, -30))
		if err != nil {
			return GuardrailRules{}, &tool.Error{Code: "unavailable", Message: "The audit chain cannot be read right now, and the violations are counted from it.", Hint: "Try again."}
		}
		answer := GuardrailRules{GeneratedAt: now().UTC(), Rules: []Guardrail{}}
		for _, r := range framework.Rules() {
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

func guardrail(r framework.Rule, counts map[string]uint64) Guardrail {
	detail := framework.DetailOf(r.ID)
	g := Guardrail{r.ID, r.Name, r.Rule, r.Trigger, r.Enforcement, r.Prevents, detail.Implementation, detail.Signs, 0}
	for _, violation := range detail.Violations {
		g.Violations += counts[violation]
	}
	return g
}
