package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
)

// journal reads the journal of a world, which must be whole.
func journal(t *testing.T, w *guardtest.World) []outcome.Record {
	t.Helper()
	reading, err := outcome.Journal{Workspace: w.Workspace}.Read()
	if err != nil || len(reading.Damages) > 0 {
		t.Fatalf("the journal: %v %v", reading.Damages, err)
	}
	return reading.Records
}

// shortOf is a pair in one line: tool, exit status if it is known, and state.
func shortOf(p outcome.Pair) string {
	text := p.Tool()
	if p.Outcome != nil && p.Outcome.Exit != nil {
		text += map[bool]string{true: " 0", false: " 3"}[*p.Outcome.Exit == 0]
	}
	return text + " " + p.State
}

// recordedPairs are what the recorded sessions come to. Claude Code does not call the hook for
// an edit that cannot match; Codex reports no end of a patch that cannot be applied, and no
// status of a command. A command that prints what looks like a status changes nothing.
var recordedPairs = map[string][]string{
	"claude-code": {
		"Write succeeded",
		"Edit succeeded",
		"Read failed",
		"Bash 0 succeeded",
		"Bash 3 failed",
		"Agent succeeded",
		"Bash 0 succeeded",
	},
	"codex": {
		"apply_patch 0 succeeded",
		"apply_patch unknown",
		"Bash ended",
		"Bash ended",
	},
	"gemini": {
		"write_file succeeded",
		"replace failed",
		"read_file failed",
		"run_shell_command 0 succeeded",
		"run_shell_command 3 failed",
	},
}

func TestTheReportsOfRealAgentsMakePairs(t *testing.T) {
	files, err := filepath.Glob("testdata/reports/*.jsonl")
	if err != nil || len(files) != len(recordedPairs) {
		t.Fatalf("recordings %v (%v)", files, err)
	}

	for _, file := range files {
		w := governed(t)
		agent, calls := recording(t, file)
		for _, c := range calls {
			answer := answerTo(w, agent, string(c.Call))
			if answer.Status != 0 {
				t.Errorf("%s %s: %+v", agent, c.ID, answer)
			}
		}

		var got []string
		for _, p := range outcome.Join(journal(t, w), w.Time) {
			got = append(got, shortOf(p))
		}
		if want := recordedPairs[agent]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", agent, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// What a subagent does bears its id and its type, from its start to its end.
func TestTheRecordSaysWhichSubagentActed(t *testing.T) {
	w := governed(t)
	agent, calls := recording(t, "testdata/reports/claude-code.jsonl")
	for _, c := range calls {
		answerTo(w, agent, string(c.Call))
	}

	kinds := map[string]int{}
	for _, r := range journal(t, w) {
		if r.Actor.Kind == "subagent" && r.Actor.ID != "" && r.Actor.Type == "general-purpose" {
			kinds[r.Kind]++
		}
	}
	for _, kind := range []string{outcome.SubagentStarted, outcome.Intent, outcome.Outcome, outcome.SubagentStopped} {
		if kinds[kind] != 1 {
			t.Errorf("%s: %d records of the subagent", kind, kinds[kind])
		}
	}
}

// The journal holds digests and names, never what is in a file or in a command.
func TestTheJournalHoldsNoContents(t *testing.T) {
	w := governed(t)
	const secret = "hunter2-and-more"
	for _, call := range []string{
		`{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"src/b.go","content":"` + secret + `"},"tool_use_id":"t1"}`,
		`{"session_id":"s","cwd":"WORK","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"src/b.go","content":"` + secret + `"},"tool_response":{"content":"` + secret + `"},"tool_use_id":"t1"}`,
		`{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"curl -H Token:` + secret + ` x"},"tool_use_id":"t2"}`,
		`{"session_id":"s","cwd":"WORK","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"curl -H Token:` + secret + ` x"},"error":"` + secret + `","tool_use_id":"t2"}`,
	} {
		answerTo(w, "claude-code", call)
	}
	const key = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"src/`+key+`.go","content":"x"},"tool_use_id":"t3"}`)
	if text := w.Read(".governance/journal/000001.jsonl"); strings.Contains(text, key) {
		t.Error("a name that is a secret is in the journal")
	}
	if len(journal(t, w)) != 5 {
		t.Error("not all is in the journal")
	}

	err := filepath.WalkDir(filepath.Join(w.Dir, ".governance"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s holds the secret", filepath.Base(name))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Each agent has reports, and its settings register them without making a failure a refusal.
func TestReportsAreInstalledAndNeverFailClosed(t *testing.T) {
	for _, name := range hook.Names() {
		w := guardtest.New(t, nil)
		plan, err := hook.Plan(w.Workspace, name, hook.Command([]string{"/bin/hook"}, name, w.Dir, ""))
		if err != nil {
			t.Fatal(err)
		}
		if hook.Reports("", name) || !hook.Reports(plan.After, name) {
			t.Errorf("%s: whether the reports are installed is not seen", name)
		}
		for event := range hook.Agents[name].Reports {
			told := `-agent ` + name + ` -workspace '` + w.Dir + `' -event ` + event + `"`
			if !strings.Contains(plan.After, told) {
				t.Errorf("%s: %s is not in\n%s", name, told, plan.After)
			}
		}
		if strings.Contains(plan.After, "-event") && strings.Contains(plan.After, `exit 2 -event`) {
			t.Errorf("%s: a report fails closed", name)
		}
	}
}
