package core

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/tool"
)

func containsText(text, part string) bool { return strings.Contains(text, part) }

func rulesOf(t *testing.T, arguments string, count Count) tool.Result {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC) }
	return GetGuardrailRules(now, framework.Rules, count).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
}

func TestViolationsAreCountedOverThirtyDays(t *testing.T) {
	var since time.Time
	result := rulesOf(t, `{"rule":"untouchable"}`, func(_ context.Context, from time.Time) (map[string]uint64, error) {
		since = from
		return map[string]uint64{"BLOCKED_UNTOUCHABLE": 3, "BLOCKED_PROTECTED": 5}, nil
	})
	var rules GuardrailRules
	if err := json.Unmarshal(result.Structured, &rules); err != nil || len(rules.Rules) != 1 || rules.Rules[0].Violations != 3 || rules.Classification != nil {
		t.Errorf("%s (%v)", result.Structured, err)
	}
	if want := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC); !since.Equal(want) {
		t.Errorf("counted since %s, want %s", since, want)
	}
}

func TestAChangeIsClassifiedBesideTheRules(t *testing.T) {
	count := func(context.Context, time.Time) (map[string]uint64, error) { return map[string]uint64{}, nil }
	for change, proceed := range map[string]bool{"+if x {": false, "correct a typo": true} {
		text, err := json.Marshal(map[string]string{"classify": change})
		if err != nil {
			t.Fatal(err)
		}
		var rules GuardrailRules
		result := rulesOf(t, string(text), count)
		if err := json.Unmarshal(result.Structured, &rules); err != nil || rules.Classification == nil || rules.Classification.MayProceed != proceed || len(rules.Rules) < 9 {
			t.Errorf("%q: %s (%v)", change, result.Structured, err)
		}
	}
	if result := rulesOf(t, `{"rule":"none"}`, count); result.Err == nil || result.Err.Code != "invalid_argument" || result.Err.Allowed == nil {
		t.Errorf("a rule that does not exist: %+v", result.Err)
	}
}

func TestRulesWithoutTheChainAreUnavailable(t *testing.T) {
	result := rulesOf(t, `{}`, func(context.Context, time.Time) (map[string]uint64, error) { return nil, errors.New("gone") })
	if result.Err == nil || result.Err.Code != "unavailable" {
		t.Errorf("%+v", result)
	}
}
