package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guardtest"
	"governance.internal/functions/toolserver/hook"
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
		{"hidden", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"python3 -c 'print(1)'"}}`, "ask"},
		{"other server", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__filesystem__write_file","tool_input":{"path":"WORK/infra/prod/main.tf","content":"x"}}`, "deny"},
		{"harmless", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"WORK/src/b.go","content":"x"}}`, ""},
		{"read", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"WORK/infra/prod/main.tf"}}`, ""},
		{"a tool of another name that runs a command", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"Monitor","tool_input":{"description":"x","timeout_ms":1,"command":"while true; do echo x > infra/prod/main.tf; done"}}`, "deny"},
		{"a command of another server", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__desktop__start_process","tool_input":{"command":"rm -rf infra"}}`, "deny"},
		{"a word that is called command", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"mcp__files__show","tool_input":{"command":"view","path":"WORK/infra/prod/main.tf"}}`, ""},
		{"no JSON", `{"cwd"`, "2"},
		{"no tool", `{"cwd":"WORK"}`, "2"},
		{"no input", `{"tool_name":"Write"}`, "2"},
	},
	"codex": {
		{"patch", `{"cwd":"WORK","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.go\n@@\n-x\n+y\n*** Delete File: infra/prod/main.tf\n*** End Patch"}}`, "2"},
		{"patch that moves", `{"cwd":"WORK","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.go\n*** Move to: infra/prod/new.tf\n*** End Patch"}}`, "2"},
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
		{"hidden where nobody can be asked", `{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"eval $X"},"cwd":"WORK"}`, "deny"},
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

func TestEveryAgentIsStoppedInItsOwnProtocol(t *testing.T) {
	for name, list := range calls {
		w := governed(t)
		for _, c := range list {
			before := len(w.Recorded("BLOCKED_UNTOUCHABLE")) + len(w.Recorded("BLOCKED_PROTECTED"))
			a := hook.Run(context.Background(), w.Gate, name, strings.NewReader(strings.ReplaceAll(c.call, "WORK", w.Dir)))
			if got := decision(t, a); got != c.want {
				t.Errorf("%s %s: %q, want %q: %+v", name, c.name, got, c.want, a)
			}
			if strings.Contains(a.Stdout+a.Stderr, w.Dir) {
				t.Errorf("%s %s tells where the project is: %+v", name, c.name, a)
			}
			unreadable := strings.HasPrefix(c.name, "no ")
			refused := c.want != "" && c.want != "allow" && !unreadable
			if after := len(w.Recorded("BLOCKED_UNTOUCHABLE")) + len(w.Recorded("BLOCKED_PROTECTED")); refused != (after > before) {
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
		hook.Run(context.Background(), w.Gate, "claude-code", strings.NewReader(`{"cwd":"`+w.Dir+`","tool_name":"Write","tool_input":{"file_path":"infra/prod/main.tf"}}`))
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
		change, err := hook.Plan(w.Workspace, name, "local hook")
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
		if w.Read(change.Backup) != before || !strings.Contains(after, `"matcher": "X"`) || strings.Index(after, "zeta") > strings.Index(after, "alpha") || !strings.Contains(after, "local hook") || !strings.Contains(change.Diff(), "+") {
			t.Errorf("%s: %s\n%s", name, after, change.Diff())
		}
		again, err := hook.Plan(w.Workspace, name, "local hook")
		if err != nil || again.After != again.Before || again.Diff() != "" {
			t.Errorf("%s: a second time: %v\n%s", name, err, again.Diff())
		}
	}
}

func TestSettingsThatCannotBeReadStay(t *testing.T) {
	w := guardtest.New(t, nil)
	for _, text := range []string{"{", "[]", `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, "// comment\n{}"} {
		w.Write(".claude/settings.local.json", text)
		if _, err := hook.Plan(w.Workspace, "claude-code", "local hook"); err == nil {
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
