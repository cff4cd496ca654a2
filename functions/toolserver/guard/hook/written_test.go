package hook_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// What a governed file holds after a call is compared with what the agent says that it wrote.
func TestAGovernedFileIsComparedWithWhatTheCallWrote(t *testing.T) {
	for name, c := range map[string]struct {
		agent, event, tool, input, response, holds string
		other                                      bool
	}{
		"written":             {"claude-code", "PostToolUse", "Write", `{"file_path":"go.mod","content":"module y\n"}`, `{}`, "module y\n", false},
		"written otherwise":   {"claude-code", "PostToolUse", "Write", `{"file_path":"go.mod","content":"module y\n"}`, `{}`, "module z\n", true},
		"emptied":             {"claude-code", "PostToolUse", "Write", `{"file_path":"go.mod","content":""}`, `{}`, "", false},
		"ends of lines":       {"claude-code", "PostToolUse", "Write", `{"file_path":"go.mod","content":"a\nb\n"}`, `{}`, "a\r\nb\r\n", false},
		"edited":              {"claude-code", "PostToolUse", "Edit", `{"file_path":"go.mod","old_string":"x","new_string":"y"}`, `{"originalFile":"x x\n"}`, "y x\n", false},
		"edited everywhere":   {"claude-code", "PostToolUse", "Edit", `{"file_path":"go.mod","old_string":"x","new_string":"y","replace_all":true}`, `{"originalFile":"x x\n"}`, "y y\n", false},
		"edited otherwise":    {"claude-code", "PostToolUse", "Edit", `{"file_path":"go.mod","old_string":"x","new_string":"y"}`, `{"originalFile":"x x\n"}`, "y y\n", true},
		"nothing is told":     {"claude-code", "PostToolUse", "Edit", `{"file_path":"go.mod","old_string":"x","new_string":"y"}`, `{}`, "z\n", false},
		"Gemini":              {"gemini", "AfterTool", "replace", `{"file_path":"go.mod","old_string":"x","new_string":"y"}`, `{"returnDisplay":{"newContent":"y\n"}}`, "y\n", false},
		"Gemini otherwise":    {"gemini", "AfterTool", "replace", `{"file_path":"go.mod","old_string":"x","new_string":"y"}`, `{"returnDisplay":{"newContent":"y\n"}}`, "z\n", true},
		"a file of no list":   {"claude-code", "PostToolUse", "Write", `{"file_path":"src/a.go","content":"x"}`, `{}`, "y", false},
		"an answer in a text": {"gemini", "AfterTool", "replace", `{"file_path":"go.mod"}`, `{"returnDisplay":"done"}`, "z\n", false},
	} {
		w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "go.mod": c.holds, "src/a.go": c.holds})
		answerTo(w, c.agent, `{"session_id":"s","cwd":"WORK","hook_event_name":"`+c.event+`","tool_name":"`+c.tool+`","tool_input":`+c.input+`,"tool_response":`+c.response+`,"tool_use_id":"t"}`)

		r := journal(t, w)[0]
		if len(r.Files) != 1 || r.Files[0].Other != c.other {
			t.Errorf("%s: %+v", name, r.Files)
		}
		if text := w.Read(".governance/journal/000001.jsonl"); strings.Contains(text, "module") {
			t.Errorf("%s: the journal holds contents", name)
		}
	}
}
