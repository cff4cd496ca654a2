package framework_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/framework"
)

func TestEveryRuleIsWhole(t *testing.T) {
	names := "DISPATCH DONT DO, UNTOUCHABLE, WRITE PROGRESS, STEP BACK, DELEGATE AND RETURN, ASK BEFORE TOUCHING, HAND OFF"
	var core []string
	for i, r := range framework.Rules() {
		detail := framework.DetailOf(r.ID)
		for what, text := range map[string]string{"rule": r.Rule, "trigger": r.Trigger, "enforcement": r.Enforcement, "prevents": r.Prevents} {
			if len(text) < 20 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is %q", r.ID, what, text)
			}
		}
		if len(detail.Implementation) < 3 || len(detail.Signs) < 2 || !r.Enabled {
			t.Errorf("%s: %+v", r.ID, detail)
		}
		if i < framework.Core {
			core = append(core, r.Name)
		}
		if r.ID != strings.ToLower(strings.ReplaceAll(r.Name, " ", "_")) {
			t.Errorf("id %s of %s", r.ID, r.Name)
		}
	}
	if got := strings.Join(core, ", "); got != names {
		t.Errorf("core rules %s", got)
	}
	framework.Rules()[0].EnforcedBy[0] = "changed"
	if framework.Rules()[0].EnforcedBy[0] == "changed" {
		t.Error("a caller can change the rules")
	}
}

// Only what is plainly data may proceed; LOGIC that passes as DATA is the failure
// that the protocol is there to prevent.
func TestChangesAreClassified(t *testing.T) {
	for change, want := range map[string]string{
		"correct a typo in the headline":                               "DATA",
		"new opening hours on the page":                                "DATA",
		"-\"title\": \"Welcom\",\n+\"title\": \"Welcome\",":            "DATA",
		"-<p>Helo there.</p>\n+<p>Hello there.</p>":                    "DATA",
		"-  color: red;\n+  color: blue;":                              "DATA",
		"-Open from nine.\n+Open from ten.":                            "DATA",
		"correct a typo in the prompt":                                 "LOGIC",
		"make it better":                                               "LOGIC",
		"":                                                             "LOGIC",
		"refactor the handler":                                         "LOGIC",
		"-if a > 1 {\n+if a >= 1 {":                                    "LOGIC",
		"-\"title\": \"a\",\n+\"titel\": \"a\",":                       "LOGIC",
		"-\"timeout\": 5\n+\"timeout\": 50":                            "LOGIC",
		"-\"title\": \"a\"\n+\"title\": \"b\"\n-  x = f()\n+  x = g()": "LOGIC",
		"-\"a\": {\n+\"b\": {":                                         "LOGIC",
		"-<p>a</p>\n+<p onclick=\"steal()\">a</p>":                     "LOGIC",
		"-  width: 10px;\n+  width: expression(alert(1));":             "LOGIC",
		"+import os":                                                   "LOGIC",
		"-<p>Hi.</p>\n+<script>go()</script>":                          "LOGIC",
	} {
		got := framework.Classify(change)
		if got.Kind != want || got.MayProceed != (want == "DATA") || len(got.Evidence) == 0 {
			t.Errorf("%q: %+v, want %s", change, got, want)
		}
	}
	const secret = "sk-live-abcdef0123456789"
	if got := framework.Classify("-key = old\n+API_KEY=\"" + secret + "\""); strings.Contains(strings.Join(got.Evidence, " "), secret) {
		t.Errorf("evidence repeats a secret: %v", got.Evidence)
	}
}

// The enforcement that a rule describes exists. A missing tool enforces nothing.
func TestNoRuleClaimsWhatIsNotBuilt(t *testing.T) {
	for _, rule := range framework.Rules() {
		for _, claim := range []string{"cannot close", "forced", "closing of a session", "session_close", "drift_audit", "clients ask"} {
			if strings.Contains(rule.Enforcement, claim) {
				t.Errorf("%s: %q claims %q", rule.ID, rule.Enforcement, claim)
			}
		}
	}
}
