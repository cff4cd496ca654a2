package hook_test

import (
	"context"
	"encoding/json"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// A session of a coding agent in a scratch repository: it tries to change an
// untouchable file with every tool and by every way around them. Nothing runs, and
// each attempt is in the chain once a server has taken the spool in.
func TestAWholeSessionIsRefusedAndOnTheRecord(t *testing.T) {
	w := bypassed(t)
	trail := w.Log.Trail
	w.Log.Trail = nil
	calls := []map[string]any{
		{"tool_name": "Write", "tool_input": map[string]string{"file_path": w.Dir + "/infra/prod/main.tf", "content": "x"}},
		{"tool_name": "Edit", "tool_input": map[string]string{"file_path": w.Dir + "/infra/prod/main.tf", "old_string": "x", "new_string": "y"}},
		{"tool_name": "NotebookEdit", "tool_input": map[string]string{"notebook_path": w.Dir + "/infra/prod/a.ipynb", "new_source": "x"}},
	}
	for _, command := range guardtest.Bypasses {
		calls = append(calls, map[string]any{"tool_name": "Bash", "tool_input": map[string]string{"command": command}})
	}
	for _, c := range calls {
		c["session_id"], c["cwd"], c["hook_event_name"], c["permission_mode"] = "s", w.Dir, "PreToolUse", "acceptEdits"
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if a := answerTo(w, "claude-code", string(text)); decision(t, a) != "deny" {
			t.Errorf("%s: %+v", text, a)
		}
	}
	w.Log.Trail = trail
	if err := w.Log.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.Recorded("BLOCKED_UNTOUCHABLE")); n != len(calls) {
		t.Errorf("%d refusals in the chain, want %d", n, len(calls))
	}
	if w.Read("infra/prod/main.tf") != "x" {
		t.Error("the file changed")
	}
}
