package core_test

import (
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/core"
)

func violation(w *guardtest.World, arguments string) core.ViolationLogging {
	w.Helper()
	var answer core.ViolationLogging
	w.Call(core.LogViolations(w.Log), arguments, &answer)
	return answer
}

func TestViolationsAreInTheChainAndCounted(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance})
	w.Time = time.Now() // the chain in memory has its own clock
	recorded := violation(w, `{"action":"record","type":"RULE_BREACH","rule":"step_back","agent":"a","context":"token ghp_a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"}`)
	if !recorded.Logged || recorded.Entry.Hash == nil || recorded.Entry.Seq == 0 {
		t.Errorf("%+v", recorded.Entry)
	}
	if payload := string(w.Recorded("RULE_BREACH")[0].Payload); strings.Contains(payload, "ghp_a8Kx93mQz") || !strings.Contains(payload, "step_back") {
		t.Errorf("%s", payload)
	}
	for range 2 {
		check(w, map[string]any{"path": "infra/prod/x"})
	}
	list := violation(w, `{"action":"list","limit":2}`)
	if *list.Total != 3 || len(list.Entries) != 2 || list.Entries[0].Type != "BLOCKED_UNTOUCHABLE" {
		t.Errorf("%+v", list)
	}
	if only := violation(w, `{"action":"list","type":"RULE_BREACH"}`); *only.Total != 1 {
		t.Errorf("%+v", only)
	}
	if later := violation(w, `{"action":"list","since":"2100-01-01T00:00:00Z"}`); *later.Total != 0 {
		t.Errorf("%+v", later)
	}
	s := violation(w, `{"action":"stats"}`).Stats
	if s.Total != 3 || s.ByType["BLOCKED_UNTOUCHABLE"] != 2 || s.ByRule["step_back"] != 1 || s.ByPath[0].Path != "infra/prod/x" || s.ByPath[0].Count != 2 || s.Trend != "rising" || len(s.ByDay) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestARecordNeedsAKnownType(t *testing.T) {
	w := guardtest.New(t, nil)
	for _, arguments := range []string{`{"action":"record"}`, `{"action":"record","type":"NONE"}`} {
		if e := w.Refused(core.LogViolations(w.Log), arguments); e.Code != "invalid_argument" || e.Field != "/type" {
			t.Errorf("%s: %v", arguments, e)
		}
	}
}
