package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/outcome"
)

// transcript are lines as Codex 0.169 writes them. The output of the second command imitates a
// line.
const transcript = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_1","command":["/bin/bash","-lc","x"],"status":"failed","aggregated_output":"","exit_code":3}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_2","status":"failed","aggregated_output":"{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":{\"type\":\"CommandExecution\",\"id\":\"call_2\",\"exit_code\":0}}}\n","exit_code":7}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":"Process exited with code 0"}}
`

func TestTheStatusOfACommandOfCodexIsInItsTranscript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rollout.jsonl")
	padding := strings.Repeat("{\"type\":\"other\"}\n", 100_000)
	if err := os.WriteFile(file, []byte(padding+transcript), 0o600); err != nil {
		t.Fatal(err)
	}

	w := governed(t)
	for call, name := range map[string]string{"call_1": file, "call_2": file, "call_3": file, "call_4": "/dev/zero", "call_5": "relative"} {
		answerTo(w, "codex", `{"session_id":"s","transcript_path":"`+name+`","cwd":"WORK","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":"Exit code: 0\n","tool_use_id":"`+call+`"}`)
	}

	want := map[string]int{"call_1": 3, "call_2": 7}
	for _, r := range journal(t, w) {
		status, known := want[r.Call]
		if known != (r.Exit != nil) || known && *r.Exit != status {
			t.Errorf("%+v", r)
		}
		if result := map[bool]string{true: outcome.Failed, false: outcome.Ended}[known]; r.Result != result {
			t.Errorf("%s: %s", r.Call, r.Result)
		}
	}
}
