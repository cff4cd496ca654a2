package hook_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/hook"
)

// Whatever an agent writes, the hook answers: it never fails, and it never answers a report
// with a refusal but where an agent wants to stop.
func FuzzReports(f *testing.F) {
	w := governed(f)
	f.Add("codex", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"a":[1,"b"]},"duration":1e300,"tool_use_id":"t"}`)
	f.Add("gemini", `{"hook_event_name":"AfterTool","tool_name":"x","tool_input":{},"tool_response":{"llmContent":["a"],"error":7}}`)
	f.Add("copilot", `{"hook_event_name":"postToolUse","toolName":"x","toolArgs":"{}","toolResult":"y"}`)
	f.Fuzz(func(t *testing.T, agent, text string) {
		if _, known := hook.Agents[agent]; !known {
			return
		}
		a := hook.Hook{Gate: w.Gate, Agent: agent, Event: "PostToolUse"}.Answer(t.Context(), strings.NewReader(text))
		if a.Status < 0 || a.Status > 2 {
			t.Errorf("%+v", a)
		}
	})
}
