package wiring

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"governance.internal/shared/config"
)

// deployedSettings are the environments of the functions in the golden template, by the
// function's name. What only AWS knows has a value of its kind instead.
func deployedSettings(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../infra/testdata/templates.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var stacks map[string]json.RawMessage
	if err := json.Unmarshal(text, &stacks); err != nil {
		t.Fatal(err)
	}
	var api struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				Description string
				Environment struct{ Variables map[string]any }
			}
		}
	}
	if err := json.Unmarshal(stacks["governance-Api"], &api); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for _, r := range api.Resources {
		name, ours := strings.CutPrefix(r.Properties.Description, "Governance service: ")
		if r.Type != "AWS::Lambda::Function" || !ours {
			continue
		}
		found[name] = map[string]string{}
		for variable, value := range r.Properties.Environment.Variables {
			plain, ok := value.(string)
			switch {
			case ok:
			case variable == "BASE_URL":
				plain = "https://one.example"
			case variable == "SIGNING_KEY":
				plain = strings.Repeat("01", 32)
			default:
				plain = "of-aws"
			}
			found[name][variable] = plain
		}
	}
	if len(found) < 10 {
		t.Fatalf("only %d functions in the template", len(found))
	}
	return found
}

// A deployed function has all that its constructor demands, and nothing that no setting
// reads.
func TestTheDeploymentSetsWhatItsFunctionsNeed(t *testing.T) {
	sold := 0
	for name, environment := range deployedSettings(t) {
		asked := map[string]bool{}
		c, err := config.Load(func(variable string) (string, bool) {
			asked[variable] = true
			value, ok := environment[variable]
			return value, ok
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for variable := range environment {
			if !asked[variable] {
				t.Errorf("%s: nothing reads %s", name, variable)
			}
		}
		switch {
		case environment["SIGNING_KEY"] != "":
			sold++
			if err := needPaid(c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			fallthrough
		case environment["PAY_TO"] != "":
			if _, err := Site(c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if (name == "seal" || name == "verify-audit") && (c.BaseURL == "" || c.AuditTable == "" || c.SegmentBucket == "" || c.CheckpointKeyKMS == "") {
			t.Errorf("%s lacks a setting: %v", name, environment)
		}
		if name == "payment-state" && c.PaymentsTable == "" {
			t.Error("payment-state has no table")
		}
	}
	if sold < 5 {
		t.Errorf("only %d functions sell", sold)
	}
}
