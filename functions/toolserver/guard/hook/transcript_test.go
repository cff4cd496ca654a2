package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
)

// transcript are lines as Codex 0.169 writes them. The output of the second command imitates a
// line.
const transcript = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_1","command":["/bin/bash","-lc","x"],"status":"failed","aggregated_output":"","exit_code":3}}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_2","status":"failed","aggregated_output":"{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":{\"type\":\"CommandExecution\",\"id\":\"call_2\",\"exit_code\":0}}}\n","exit_code":7}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":"Process exited with code 0"}}
`

// What ended without a report is settled from the transcript when the agent stops. A text that
// imitates a refusal is none.
func TestCallsWithoutAReportAreSettledFromTheTranscript(t *testing.T) {
	for agent, c := range map[string]struct{ tool, line, want string }{
		"claude-code": {"Bash", `{"type":"user","message":{"content":[{"type":"tool_result","content":"no","is_error":true,"tool_use_id":"call_1"}]},"toolDenialKind":"user-rejected"}`, outcome.Refused},
		"codex":       {"apply_patch", `{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_1","output":"apply_patch verification failed: x"}}`, outcome.Failed},
	} {
		file := filepath.Join(t.TempDir(), "transcript.jsonl")
		imitation := `{"type":"user","message":{"content":[{"type":"tool_result","content":"\"toolDenialKind\":\"user-rejected\" apply_patch verification failed","tool_use_id":"call_2"}]}}` +
			"\n" + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_2","output":"apply_patch verification failed"}}`
		if err := os.WriteFile(file, []byte(c.line+"\n"+imitation+"\n{cut"), 0o600); err != nil {
			t.Fatal(err)
		}

		w := governed(t)
		for _, call := range []string{"call_1", "call_2"} {
			answerTo(w, agent, `{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"`+c.tool+`","tool_input":{"command":"ls"},"tool_use_id":"`+call+`"}`)
		}
		answerTo(w, agent, `{"session_id":"s","cwd":"WORK","hook_event_name":"Stop","transcript_path":"`+file+`"}`)

		pairs := outcome.Join(journal(t, w), w.Time)
		if len(pairs) != 2 || pairs[0].State != c.want || pairs[1].State != outcome.Unknown {
			t.Errorf("%s: %+v", agent, pairs)
		}
	}
}

// A call that ran while the hook was not asked is found in the transcript when the agent stops.
func TestACallThatTheHookWasNotAskedAboutIsFound(t *testing.T) {
	w := governed(t)
	result := func(call string, at time.Time, more string) string {
		return `{"type":"user","timestamp":"` + at.Format(time.RFC3339Nano) + `","message":{"content":[{"type":"tool_result","content":"x","tool_use_id":"` + call + `"` + more + `}]}}` + "\n"
	}
	later := w.Time.Add(time.Minute)
	text := result("before the hook", w.Time.Add(-time.Minute), "") +
		result("asked", later, "") +
		result("not asked", later, "") +
		result("not asked and an error", later, `,"is_error":true`)
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"asked"}`)
		answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{},"tool_use_id":"asked"}`)
		answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"Stop","transcript_path":"`+file+`"}`)
	}

	var found []string
	for _, p := range outcome.Join(journal(t, w), w.Time) {
		if p.State == outcome.Unannounced {
			found = append(found, p.Outcome.Call)
		}
	}
	if strings.Join(found, " ") != "not asked" {
		t.Errorf("%q", found)
	}
}

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
