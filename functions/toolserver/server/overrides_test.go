package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/tools/core"
)

// A workspace switches rules off and adds its own; both tools say so, at once.
func TestTheRulesAreThoseOfTheWorkspace(t *testing.T) {
	dir := project(t, map[string]string{"governance.yaml": "rules:\n  disabled: [step_back]\n  extra:\n    - {id: no_friday, rule: No release on a Friday., prevents: Weekends.}\n"})
	r := start(t, func(d *depsOf) { d.Workspace = dir })
	f := structured[core.Framework](r, "get_framework", `{"format":"markdown"}`)
	enabled := map[string]bool{}
	for _, rule := range f.Rules {
		enabled[rule.ID] = rule.Enabled
	}
	if len(f.Rules) != 10 || enabled["step_back"] || !enabled["no_friday"] || !enabled["untouchable"] || !strings.Contains(f.Document, "Switched off in this workspace") || !strings.Contains(f.Document, "No release on a Friday.") {
		t.Errorf("%v", enabled)
	}
	own := structured[core.GuardrailRules](r, "guardrail_rules", `{"rule":"no_friday"}`)
	if len(own.Rules) != 1 || own.Rules[0].Prevents != "Weekends." || !own.Rules[0].Enabled || own.Rules[0].Implementation == nil {
		t.Errorf("%+v", own.Rules)
	}
	if off := structured[core.GuardrailRules](r, "guardrail_rules", `{"rule":"step_back"}`); off.Rules[0].Enabled {
		t.Error("a rule that is switched off counts as on")
	}
	if err := os.WriteFile(filepath.Join(dir, "governance.yaml"), []byte("rules: {disabled: broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, rule := range structured[core.Framework](r, "get_framework", `{}`).Rules {
		if !rule.Enabled {
			t.Errorf("%s is off because the file cannot be read", rule.ID)
		}
	}
}

// D12: what the schema offers is what the tool knows, and the other way round: every
// value of every enum, and every rule, gets an answer of its own.
func TestD12EveryValueOfAnEnumIsAnswered(t *testing.T) {
	r := start(t, allTools)
	for _, rule := range structured[core.Framework](r, "get_framework", `{}`).Rules {
		if got := structured[core.GuardrailRules](r, "guardrail_rules", `{"rule":"`+rule.ID+`"}`); len(got.Rules) != 1 || got.Rules[0].ID != rule.ID {
			t.Errorf("%s: %+v", rule.ID, got.Rules)
		}
	}
	needed := map[string]string{"check": `,"path":"a"`, "check_command": `,"command":"ls"`, "write": `,"content":"x"`, "append": `,"did":["x"]`, "record": `,"type":"OTHER"`}
	for name, action := range map[string][]string{
		"session_handoff":   {"read_example", "get_template", "get_best_practices", "status", "write", "read"},
		"preflight_check":   {"check", "check_command", "get_script", "get_pattern", "get_untouchable_template"},
		"worklog":           {"get_template", "get_format", "get_best_practices", "append", "tail"},
		"violation_logging": {"get_pattern", "get_template", "get_enforcement", "record", "list", "stats"},
	} {
		for _, value := range action {
			if answer := r.call(name, `{"action":"`+value+`"`+needed[value]+`}`); answer["isError"] == true {
				t.Errorf("%s %s: %v", name, value, answer)
			}
		}
		if answer := r.call(name, `{"action":"none"}`); answer["isError"] != true || !strings.Contains(sprint(answer), action[0]) {
			t.Errorf("%s none: %v", name, answer)
		}
	}
	for _, scope := range []string{"full", "credentials", "duplicates", "defaults", "workarounds"} {
		if answer := r.call("accountability_check", `{"scope":"`+scope+`"}`); answer["isError"] == true {
			t.Errorf("%s: %v", scope, answer)
		}
	}
}

// D10: a workspace in which there is nothing to look at is never called clean or safe.
func TestD10NothingIsCalledCleanThatWasNotLookedAt(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Workspace = project(t, map[string]string{}) })
	for name, c := range map[string][2]string{
		"accountability_check": {`{}`, `"status":"not_checked"`}, "check_archive_safety": {`{"filepath":"a"}`, `"safe":false`}, "preflight_check": {`{"path":"a"}`, `"decision":"UNKNOWN"`},
		"session_handoff": {`{}`, `"status":"missing"`}, "get_governance_system_info": {`{"topic":"capabilities"}`, `"state":"needs_config"`},
	} {
		if answer := sprint(r.call(name, c[0])["structuredContent"]); !strings.Contains(answer, c[1]) {
			t.Errorf("%s: %s", name, answer)
		}
	}
}
