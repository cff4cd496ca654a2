package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/preflight"
)

func governed(t testing.TB) *guardtest.World {
	return guardtest.New(t, map[string]string{
		"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x", "infra/prod/a.ipynb": "{}", "src/a.go": "x", "go.mod": "module x",
	})
}

// The shapes are those that the agents document; WORK stands for the folder of the
// project.
var calls = map[string][]struct{ name, call, want string }{
	"claude-code": {
		{"write", `{"session_id":"s","transcript_path":"t","cwd":"WORK","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"WORK/infra/prod/main.tf","content":"x"},"tool_use_id":"t1"}`, "deny"},
		{"edit", `{"cwd":"WORK/src","hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"../infra/prod/main.tf","old_string":"x","new_string":"y"}}`, "deny"},
		{"notebook", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"NotebookEdit","tool_input":{"notebook_path":"WORK/infra/prod/a.ipynb","new_source":"x"}}`, "deny"},
		{"bash", `{"cwd":"WORK/infra","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf prod","description":"clean"}}`, "deny"},
		{"protected", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"WORK/go.mod","old_string":"x","new_string":"y"}}`, "deny"},
		{"hidden", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ruby -e 'print(1)'"}}`, "ask"},
		{"other server", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__filesystem__write_file","tool_input":{"path":"WORK/infra/prod/main.tf","content":"x"}}`, "deny"},
		{"harmless", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"WORK/src/b.go","content":"x"}}`, ""},
		{"read", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"WORK/infra/prod/main.tf"}}`, ""},
		{"a tool of another name that runs a command", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Monitor","tool_input":{"description":"x","timeout_ms":1,"command":"while true; do echo x > infra/prod/main.tf; done"}}`, "deny"},
		{"a command of another server", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__desktop__start_process","tool_input":{"command":"rm -rf infra"}}`, "deny"},
		{"a word that is called command", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__files__show","tool_input":{"command":"view","path":"WORK/infra/prod/main.tf"}}`, ""},
		{"a tool that finds and replaces", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__editor__find_and_replace","tool_input":{"relative_path":"infra/prod/main.tf","find":"x","replace":"y"}}`, "deny"},
		{"settings of git", `{"cwd":"WORK","tool_name":"Edit","tool_input":{"file_path":".git/config","old_string":"x","new_string":"fsmonitor = ./evil"}}`, "deny"},
		{"a hook of git", `{"cwd":"WORK/src","tool_name":"Write","tool_input":{"file_path":"WORK/.git/hooks/pre-commit","content":"x"}}`, "deny"},
		{"a hook of git by another server", `{"cwd":"WORK","tool_name":"mcp__filesystem__move_file","tool_input":{"source":"src/a.go","destination":".git/hooks/post-checkout"}}`, "deny"},
		{"a message of a commit", `{"cwd":"WORK","tool_name":"Write","tool_input":{"file_path":".git/COMMIT_EDITMSG","content":"x"}}`, ""},
		{"Serena", `{"cwd":"WORK","tool_name":"mcp__serena__replace_symbol_body","tool_input":{"name_path":"A/b","relative_path":"infra/prod/main.tf","body":"x"}}`, "deny"},
		{"Serena from a folder below", `{"cwd":"WORK/src","tool_name":"mcp__serena__create_text_file","tool_input":{"relative_path":"infra/prod/new.tf","content":"x"}}`, "deny"},
		{"Serena runs a command", `{"cwd":"WORK","tool_name":"mcp__serena__execute_shell_command","tool_input":{"command":"rm -rf infra","cwd":null}}`, "deny"},
		{"Serena reads", `{"cwd":"WORK","tool_name":"mcp__serena__get_symbols_overview","tool_input":{"relative_path":"infra/prod/main.tf"}}`, ""},
		{"JetBrains", `{"cwd":"WORK","tool_name":"mcp__jetbrains__replace_text_in_file","tool_input":{"pathInProject":"infra/prod/main.tf","oldText":"x","newText":"y","projectPath":"WORK"}}`, "deny"},
		{"JetBrains reformats", `{"cwd":"WORK","tool_name":"mcp__jetbrains__reformat_file","tool_input":{"path":"go.mod"}}`, "deny"},
		{"JetBrains reads", `{"cwd":"WORK","tool_name":"mcp__jetbrains__get_file_text_by_path","tool_input":{"pathInProject":"infra/prod/main.tf"}}`, ""},
		{"JetBrains in a terminal", `{"cwd":"WORK","tool_name":"mcp__jetbrains__execute_terminal_command","tool_input":{"command":"tee infra/prod/main.tf","projectPath":"WORK"}}`, "deny"},
		{"a list of files", `{"cwd":"WORK","tool_name":"mcp__files__write_files","tool_input":{"files":[{"path":"src/b.go","content":"x"},{"path":"infra/prod/main.tf","content":"y"}]}}`, "deny"},
		{"files by name", `{"cwd":"WORK","tool_name":"mcp__files__push","tool_input":{"tree":{"infra/prod/main.tf":"y"}}}`, "deny"},
		{"code in a notebook", `{"cwd":"WORK","tool_name":"mcp__ide__executeCode","tool_input":{"code":"open('infra/prod/main.tf','w')"}}`, "deny"},
		{"code of an unknown language", `{"cwd":"WORK","tool_name":"mcp__ide__executeCode","tool_input":{"code":"import x"}}`, "ask"},
		{"a tool of unknown purpose", `{"cwd":"WORK","tool_name":"mcp__x__process","tool_input":{"options":{"target":"file://WORK/infra/prod/main.tf"}}}`, "deny"},
		{"a place in a file", `{"cwd":"WORK","tool_name":"mcp__x__refactor","tool_input":{"at":"infra/prod/main.tf:12:3"}}`, "deny"},
		{"a pattern", `{"cwd":"WORK","tool_name":"mcp__x__format","tool_input":{"glob":"infra/**/*.tf"}}`, "deny"},
		{"a unified diff", `{"cwd":"WORK","tool_name":"mcp__jetbrains__apply_patch","tool_input":{"diff":"--- a/infra/prod/main.tf\n+++ b/infra/prod/main.tf\n@@ -1 +1 @@\n-x\n+y\n"}}`, "deny"},
		{"commands in a list", `{"cwd":"WORK","tool_name":"mcp__x__batch","tool_input":{"commands":["ls","rm infra/prod/main.tf"]}}`, "deny"},
		{"git of another server", `{"cwd":"WORK","tool_name":"mcp__git__commit","tool_input":{"message":"change infra/prod/main.tf","repo_path":"WORK"}}`, ""},
		{"a label", `{"cwd":"WORK","tool_name":"mcp__github__create_issue","tool_input":{"title":"What is infra?","labels":["docs","infra"]}}`, ""},
		{"a folder", `{"cwd":"WORK/infra","tool_name":"mcp__x__process","tool_input":{"folder":"prod"}}`, "deny"},
		{"a message", `{"cwd":"WORK","tool_name":"mcp__slack__post_message","tool_input":{"channel":"ops","text":"hello"}}`, ""},
		{"a subagent", `{"cwd":"WORK","tool_name":"Task","tool_input":{"description":"go.mod","prompt":"look at go.mod","subagent_type":"Explore"}}`, ""},
		{"a list of things to do", `{"cwd":"WORK","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"go.mod","status":"pending"}]}}`, ""},
		{"a command in a governed folder", `{"cwd":"WORK","tool_name":"mcp__x__run_command","tool_input":{"command":"ls","workdir":"WORK/infra/prod"}}`, ""},
		{"no JSON", `{"cwd"`, "2"},
		{"no tool", `{"cwd":"WORK"}`, "2"},
		{"no input", `{"tool_name":"Write"}`, "2"},
	},
	"codex": {
		{"patch", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.go\n@@\n-x\n+y\n*** Delete File: infra/prod/main.tf\n*** End Patch"}}`, "2"},
		{"patch that moves", `{"cwd":"WORK","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.go\n*** Move to: infra/prod/new.tf\n*** End Patch"}}`, "2"},
		{"patch of git", `{"cwd":"WORK","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch"}}`, "2"},
		{"move into git", `{"cwd":"WORK","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.go\n*** Move to: .git/config\n*** End Patch"}}`, "2"},
		{"argument list", `{"cwd":"WORK","tool_name":"shell","tool_input":{"command":["bash","-lc","echo x > infra/prod/main.tf"]}}`, "2"},
		{"hidden cannot be asked about", `{"cwd":"WORK","tool_name":"Bash","tool_input":{"command":"eval $X"}}`, "2"},
		{"harmless", `{"cwd":"WORK","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: src/b.go\n+infra/prod/main.tf\n*** End Patch"}}`, ""},
	},
	"gemini": {
		{"write", `{"session_id":"s","cwd":"WORK","hook_event_name":"BeforeTool","timestamp":"2026-11-21T12:00:00Z","tool_name":"write_file","tool_input":{"file_path":"WORK/infra/prod/main.tf","content":"x"}}`, "2"},
		{"replace", `{"cwd":"WORK","tool_name":"replace","tool_input":{"file_path":"infra/prod/main.tf","old_string":"a","new_string":"b"}}`, "2"},
		{"shell", `{"cwd":"WORK","tool_name":"run_shell_command","tool_input":{"command":"sed -i s/a/b/ infra/prod/main.tf"}}`, "2"},
		{"read", `{"cwd":"WORK","tool_name":"read_file","tool_input":{"absolute_path":"WORK/infra/prod/main.tf"}}`, ""},
	},
	"cursor": {
		{"write", `{"hook_event_name":"preToolUse","conversation_id":"c","workspace_roots":["WORK"],"cwd":"WORK","tool_name":"Write","tool_input":{"file_path":"WORK/infra/prod/main.tf"}}`, "deny"},
		{"shell", `{"hook_event_name":"beforeShellExecution","command":"tee infra/prod/main.tf","cwd":"WORK"}`, "deny"},
		{"hidden", `{"hook_event_name":"beforeShellExecution","command":"eval $X","cwd":"WORK"}`, "ask"},
		{"hidden where the agent cannot ask", `{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"eval $X"},"cwd":"WORK"}`, "deny"},
		{"harmless", `{"hook_event_name":"beforeShellExecution","command":"ls","cwd":"WORK"}`, "allow"},
	},
	"copilot": {
		{"edit", `{"timestamp":1763726400000,"cwd":"WORK","toolName":"edit","toolArgs":"{\"path\":\"WORK/infra/prod/main.tf\",\"old_str\":\"a\",\"new_str\":\"b\"}"}`, "deny"},
		{"bash", `{"timestamp":1763726400000,"cwd":"WORK","toolName":"bash","toolArgs":{"command":"mv infra x"}}`, "deny"},
		{"harmless", `{"cwd":"WORK","toolName":"view","toolArgs":"{\"path\":\"WORK/infra/prod/main.tf\"}"}`, ""},
	},
	"windsurf": {
		{"write", `{"agent_action_name":"pre_write_code","trajectory_id":"t","tool_info":{"file_path":"WORK/infra/prod/main.tf","edits":[{"old_string":"a","new_string":"b"}]}}`, "2"},
		{"command", `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"truncate -s0 infra/prod/main.tf","cwd":"WORK"}}`, "2"},
		{"another server", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"serena","mcp_tool_name":"replace_regex","mcp_tool_arguments":{"relative_path":"infra/prod/main.tf","regex":"a","repl":"b"}}}`, "2"},
		{"another server reads", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"serena","mcp_tool_name":"read_file","mcp_tool_arguments":{"relative_path":"infra/prod/main.tf"}}}`, ""},
		{"harmless", `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls","cwd":"WORK"}}`, ""},
	},
}

// decision is what an agent takes from an answer.
func decision(t *testing.T, a hook.Answer) string {
	t.Helper()
	if a.Status == 2 {
		if a.Stderr == "" || a.Stdout != "" {
			t.Errorf("a refusal without a reason: %+v", a)
		}
		return "2"
	}
	if a.Stdout == "" {
		return ""
	}
	var answer struct {
		Permission string `json:"permission"`
		Decision   string `json:"permissionDecision"`
		Specific   struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(a.Stdout), &answer); err != nil {
		t.Fatalf("%q: %v", a.Stdout, err)
	}
	return answer.Permission + answer.Decision + answer.Specific.Decision
}

// answerTo runs the hook of an agent with a call, in which WORK stands for the project.
func answerTo(w *guardtest.World, agent, call string) hook.Answer {
	call = strings.ReplaceAll(call, "WORK", w.Dir)
	return hook.Run(context.Background(), w.Gate, agent, strings.NewReader(call))
}

// refusals counts the recorded refusals.
func refusals(w *guardtest.World) int {
	return len(w.Recorded("BLOCKED_UNTOUCHABLE")) + len(w.Recorded("BLOCKED_PROTECTED"))
}

func TestEveryAgentIsStoppedInItsOwnProtocol(t *testing.T) {
	for name, list := range calls {
		w := governed(t)
		for _, c := range list {
			before := refusals(w)
			a := answerTo(w, name, c.call)
			if got := decision(t, a); got != c.want {
				t.Errorf("%s %s: %q, want %q: %+v", name, c.name, got, c.want, a)
			}
			if strings.Contains(a.Stdout+a.Stderr, w.Dir) {
				t.Errorf("%s %s tells where the project is: %+v", name, c.name, a)
			}
			unreadable := strings.HasPrefix(c.name, "no ")
			refused := c.want != "" && c.want != "allow" && !unreadable
			if after := refusals(w); refused != (after > before) {
				t.Errorf("%s %s: %d entries, then %d", name, c.name, before, after)
			}
		}
	}
}

// Without a server the refusals wait in the spool, and come into the chain once.
func TestRefusalsOfAHookComeIntoTheChain(t *testing.T) {
	w := governed(t)
	trail := w.Log.Trail
	w.Log.Trail = nil
	for range 3 {
		answerTo(w, "claude-code", `{"cwd":"WORK","tool_name":"Write","tool_input":{"file_path":"infra/prod/main.tf"}}`)
	}
	if n := len(w.Recorded("BLOCKED_UNTOUCHABLE")); n != 0 {
		t.Fatalf("%d entries without a chain", n)
	}
	w.Write(".governance/spool/01DAMAGED", "{}")
	w.Log.Trail = trail
	for range 2 {
		if err := w.Log.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.Recorded("BLOCKED_UNTOUCHABLE")); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
	left, err := os.ReadDir(filepath.Join(w.Dir, ".governance/spool"))
	if err != nil || len(left) != 1 || left[0].Name() != "01DAMAGED.damaged" {
		t.Errorf("left %v %v", left, err)
	}
}

func TestInstallingKeepsWhatIsThereAndHappensOnce(t *testing.T) {
	for _, name := range hook.Names() {
		w := guardtest.New(t, nil)
		file := hook.Agents[name].Settings
		const before = "{\n  \"zeta\": [1, 2],\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"X\", \"hooks\": []}]},\n  \"alpha\": \"a\"\n}\n"
		w.Write(file, before)
		change, err := hook.Plan(w.Workspace, name, "governance hook")
		if err != nil {
			t.Fatal(err)
		}
		if w.Read(file) != before {
			t.Error("a plan wrote")
		}
		if err := hook.Apply(w.Workspace, &change, w.Time); err != nil {
			t.Fatal(err)
		}
		after := w.Read(file)
		if w.Read(change.Backup) != before || !strings.Contains(after, `"matcher": "X"`) || strings.Index(after, "zeta") > strings.Index(after, "alpha") || !strings.Contains(after, "governance hook") || !strings.Contains(change.Diff(), "+") {
			t.Errorf("%s: %s\n%s", name, after, change.Diff())
		}
		again, err := hook.Plan(w.Workspace, name, "governance hook")
		if err != nil || again.After != again.Before || again.Diff() != "" {
			t.Errorf("%s: a second time: %v\n%s", name, err, again.Diff())
		}
	}
}

// An approval is good for one call of whatever tool, also when the call names the file twice.
func TestAnApprovalLetsOneCallOfAnyToolPass(t *testing.T) {
	for tool, arguments := range map[string]string{
		"Edit":                          `{"file_path":"go.mod","old_string":"x","new_string":"y"}`,
		"mcp__jetbrains__reformat_file": `{"path":"go.mod"}`,
		"mcp__serena__replace_regex":    `{"relative_path":"go.mod","regex":"a","repl":"b"}`,
		"mcp__x__process":               `{"target":"go.mod","files":["go.mod"]}`,
	} {
		w := governed(t)
		w.Gate.Enforces = true
		call := `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + arguments + `}`
		run := func() string {
			return decision(t, answerTo(w, "claude-code", call))
		}
		state, err := w.Workspace.Load()
		if err != nil {
			t.Fatal(err)
		}
		asked, err := w.Approvals.Request(t.Context(), preflight.ActionOf("claude-code", preflight.Edit, "go.mod"), state.Policy.Version(), "why", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if before := run(); before != "deny" {
			t.Errorf("%s: %q before", tool, before)
		}
		if _, err := w.Approvals.Decide(t.Context(), asked.ID, "a person", true); err != nil {
			t.Fatal(err)
		}
		if first, second := run(), run(); first != "" || second != "deny" {
			t.Errorf("%s: %q, then %q", tool, first, second)
		}
	}
}

// Claude Code lets a call pass when the hook cannot start or takes too long, unless its entry
// says otherwise. An older entry of ours is replaced and not doubled.
func TestClaudeCodeIsToldToBlockWhenTheHookFails(t *testing.T) {
	w := guardtest.New(t, nil)
	w.Write(".claude/settings.local.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"other"}]},{"matcher":"*","hooks":[{"type":"command","command":"governance hook"}]}]}}`)
	change, err := hook.Plan(w.Workspace, "claude-code", "governance hook")
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct{ Command, OnFailure string }
		}
	}
	if err := json.Unmarshal([]byte(change.After), &settings); err != nil {
		t.Fatal(err)
	}
	entries := settings.Hooks["PreToolUse"]
	if len(entries) != 2 || entries[0].Hooks[0].Command != "other" || entries[1].Hooks[0].Command != "governance hook" || entries[1].Hooks[0].OnFailure != "block" {
		t.Errorf("%s", change.After)
	}
	launch := hook.LaunchOf(w.Workspace, "claude-code", []string{"local-hook"}, "/project", "")
	if launch == nil || !strings.Contains(strings.Join(launch.Args, " "), `"onFailure":"block"`) {
		t.Errorf("%+v", launch)
	}
}

// The record says which of the agents of a session was refused.
func TestASubagentIsNamedInTheRecord(t *testing.T) {
	w := governed(t)
	hook.Run(context.Background(), w.Gate, "claude-code", strings.NewReader(`{"cwd":"`+w.Dir+`","tool_name":"Write","agent_id":"a1b2","agent_type":"code-reviewer","tool_input":{"file_path":"infra/prod/main.tf"}}`))
	entries := w.Recorded("BLOCKED_UNTOUCHABLE")
	if len(entries) != 1 || !strings.Contains(string(entries[0].Payload), `"agent_id":"a1b2"`) || !strings.Contains(string(entries[0].Payload), `"agent_type":"code-reviewer"`) || !strings.Contains(string(entries[0].Payload), `"agent":"claude-code"`) {
		t.Errorf("%+v", entries)
	}
}

func TestSettingsThatCannotBeReadStay(t *testing.T) {
	w := guardtest.New(t, nil)
	for _, text := range []string{"{", "[]", `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, "// comment\n{}"} {
		w.Write(".claude/settings.local.json", text)
		if _, err := hook.Plan(w.Workspace, "claude-code", "governance hook"); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func FuzzCall(f *testing.F) {
	for _, list := range calls {
		for _, c := range list {
			f.Add(c.call)
		}
	}
	w := governed(f)
	f.Fuzz(func(t *testing.T, call string) {
		for _, name := range hook.Names() {
			hook.Run(context.Background(), w.Gate, name, strings.NewReader(call))
		}
	})
}
