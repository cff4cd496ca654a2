package hook_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
)

const observed = guardtest.Governance + "mode: observe\n"

// In a rehearsal what only lists forbid passes, and the record says what would have been
// refused. What the rehearsal stands on stays forbidden.
func TestARehearsalRefusesNothingButWhatItStandsOn(t *testing.T) {
	for name, c := range map[string]struct{ tool, input, want string }{
		"untouchable":             {"Write", `{"file_path":"infra/prod/main.tf","content":"x"}`, ""},
		"protected":               {"Edit", `{"file_path":"go.mod"}`, ""},
		"a command":               {"Bash", `{"command":"rm -rf infra/prod"}`, ""},
		"a hidden command":        {"Bash", `{"command":"eval $X"}`, ""},
		"git":                     {"Write", `{"file_path":".git/config","content":"x"}`, ""},
		"the rules":               {"Write", `{"file_path":"governance.yaml","content":"x"}`, "deny"},
		"the record":              {"Bash", `{"command":"rm -r .governance"}`, "deny"},
		"the settings":            {"Write", `{"file_path":".claude/settings.local.json","content":"{}"}`, "deny"},
		"the rules, among others": {"Bash", `{"command":"rm infra/prod/main.tf governance.yaml"}`, "deny"},
		"both by another server":  {"mcp__files__write_files", `{"files":["infra/prod/a"],"more":["governance.yaml"]}`, "deny"},
	} {
		w := guardtest.New(t, map[string]string{"governance.yaml": observed, "infra/prod/main.tf": "x", "go.mod": "module x\n"})
		a := answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"`+c.tool+`","tool_input":`+c.input+`,"tool_use_id":"t"}`)
		if got := decision(t, a); got != c.want {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, a)
		}

		r := journal(t, w)[0]
		if r.Decision == outcome.Allowed || r.Rehearsed != (c.want == "") {
			t.Errorf("%s: the record says %q, rehearsed %v", name, r.Decision, r.Rehearsed)
		}
		would, refused := len(w.Recorded("WOULD_BLOCK")), refusals(w)
		if rehearsed := would > 0; rehearsed != (c.want == "") && name != "both by another server" || refused > 0 != (c.want != "") {
			t.Errorf("%s: %d entries of the rehearsal, %d of refusals", name, would, refused)
		}
	}
}

func TestAHaltIsNeverRehearsed(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": observed, ".data/HALT": `{"reason":"stop","scope":"all"}`})
	if got, said := called(t, w.Dir, w.Dir, "Write", writing("src/a.go")); got != "deny" {
		t.Errorf("%q %s", got, said)
	}
}

func TestRulesThatCannotBeReadAreNoRehearsal(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": observed + "wrong: x\n"})
	if got, said := called(t, w.Dir, w.Dir, "Write", writing("src/a.go")); got != "deny" {
		t.Errorf("%q %s", got, said)
	}
}

// A person who starts an agent is told that the guard only rehearses.
func TestARehearsalSaysSoAtEveryStart(t *testing.T) {
	for _, agent := range []string{"claude-code", "codex", "gemini"} {
		w := guardtest.New(t, map[string]string{"governance.yaml": observed})
		start := `{"session_id":"s","cwd":"WORK","hook_event_name":"SessionStart","source":"startup"}`
		if a := answerTo(w, agent, start); a.Status != 0 || !strings.Contains(a.Stdout, `"systemMessage":"The governance guard only rehearses here`) {
			t.Errorf("%s: %+v", agent, a)
		}

		w.Write("governance.yaml", guardtest.Governance)
		if a := answerTo(w, agent, start); a != (hook.Answer{}) {
			t.Errorf("%s, enforcing: %+v", agent, a)
		}
	}
}

// Agents of a type that only reads change nothing, by whatever tool.
func TestATypeOfAgentsThatOnlyReads(t *testing.T) {
	const rules = guardtest.Governance + "agents: {reviewer: {read_only: true}}\n"
	for name, c := range map[string]struct{ kind, tool, input, want string }{
		"writes":            {"reviewer", "Write", `{"file_path":"src/a.go","content":"x"}`, "deny"},
		"writes by a shell": {"reviewer", "Bash", `{"command":"echo x > src/a.go"}`, "deny"},
		"hides":             {"reviewer", "Bash", `{"command":"eval $X"}`, "deny"},
		"an unknown tool":   {"reviewer", "mcp__x__process", `{"a":"b"}`, "deny"},
		"runs a program":    {"reviewer", "mcp__ide__executeCode", `{"code":"x"}`, "deny"},
		"reads":             {"reviewer", "Read", `{"file_path":"src/a.go"}`, ""},
		"reads by a shell":  {"reviewer", "Bash", `{"command":"grep -rn x src | head"}`, ""},
		"another type":      {"coder", "Write", `{"file_path":"src/a.go","content":"x"}`, ""},
		"the agent above":   {"", "Write", `{"file_path":"src/a.go","content":"x"}`, ""},
	} {
		w := guardtest.New(t, map[string]string{"governance.yaml": rules, "src/a.go": "x"})
		a := answerTo(w, "claude-code", `{"session_id":"s","cwd":"WORK","hook_event_name":"PreToolUse","agent_id":"a1","agent_type":"`+c.kind+`","tool_name":"`+c.tool+`","tool_input":`+c.input+`,"tool_use_id":"t"}`)
		if got := decision(t, a); got != c.want {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, a)
		}
		if refused := refusals(w) > 0; refused != (c.want == "deny") {
			t.Errorf("%s: in the chain %v", name, refused)
		}
	}
}
