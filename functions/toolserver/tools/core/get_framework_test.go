package core

import (
	"encoding/json"
	"testing"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/tool"
)

func frameworkFor(t *testing.T, arguments string, has func(string) bool) (f Framework) {
	t.Helper()
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	result := GetFramework(now, framework.Rules, func() Workspace { return Workspace{} }, has).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
	if err := json.Unmarshal(result.Structured, &f); err != nil || result.IsError {
		t.Fatalf("%+v (%v)", result, err)
	}
	return f
}

// A rule says that a tool holds it only where that tool is.
func TestRulesNameTheToolsThatAreThere(t *testing.T) {
	held := func(f Framework) (n int) {
		for _, rule := range f.Rules {
			n += len(rule.EnforcedBy)
		}
		return n
	}
	all := frameworkFor(t, `{}`, func(string) bool { return true })
	none := frameworkFor(t, `{}`, func(string) bool { return false })
	if held(all) == 0 || held(none) != 0 || len(all.Rules) != len(none.Rules) {
		t.Errorf("%d and %d tools, %d and %d rules", held(all), held(none), len(all.Rules), len(none.Rules))
	}
}

func TestTheFrameworkIsADocumentOnDemand(t *testing.T) {
	has := func(string) bool { return true }
	if f := frameworkFor(t, `{}`, has); f.Document != "" {
		t.Errorf("an unrequested document: %.60s", f.Document)
	}
	f := frameworkFor(t, `{"format":"markdown"}`, has)
	for _, rule := range f.Rules {
		if !containsText(f.Document, rule.Name) {
			t.Errorf("the document lacks %s", rule.Name)
		}
	}
}
