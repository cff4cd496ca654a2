package core_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/core"
)

// The chain shows what happened to its records; it cannot show what was never recorded.
func TestTheTextsAboutViolationsClaimNoMoreThanTheChainShows(t *testing.T) {
	w := guardtest.New(t, nil)
	for _, action := range []string{"get_pattern", "get_enforcement"} {
		var answer core.ViolationLogging
		w.Call(core.LogViolations(w.Log), `{"action":"`+action+`"}`, &answer)
		for _, claim := range []string{"proves that no record is missing", "nobody can change or remove"} {
			if strings.Contains(answer.Text, claim) {
				t.Errorf("%s claims %q", action, claim)
			}
		}
	}
}
