package hook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
)

const withChecks = `version: 1
untouchable: ["infra/**"]
checks:
  - name: tests
    command: go test ./...
    paths: ["**/*.go"]
  - name: build
    pattern: ^make( -j\d+)? build$
    paths: ["ui/**"]
    min_tests: 0
`

// worker is an agent in a project with checks.
type worker struct {
	*guardtest.World
	agent string
	calls int
}

func newWorker(t *testing.T, rules string) *worker {
	w := guardtest.New(t, map[string]string{"governance.yaml": rules, "src/a.go": "package a\n"})
	w.Time = time.Now().Add(time.Second)
	return &worker{World: w, agent: "claude-code"}
}

// say sends an event to the hook; more are further members.
func (w *worker) say(event string, more map[string]any) hook.Answer {
	w.Helper()
	w.Time = w.Time.Add(time.Second)
	message := map[string]any{
		"session_id":      "s",
		"cwd":             w.Dir,
		"hook_event_name": event,
	}
	for name, value := range more {
		message[name] = value
	}
	text, err := json.Marshal(message)
	if err != nil {
		w.Fatal(err)
	}
	return hook.Run(w.Context(), w.Gate, w.agent, strings.NewReader(string(text)))
}

// edit changes a file with the agent's own tool.
func (w *worker) edit(file string, more map[string]any) {
	w.Helper()
	w.calls++
	call := map[string]any{
		"tool_name":   "Write",
		"tool_input":  map[string]any{"file_path": file, "content": "x"},
		"tool_use_id": string(rune('a' + w.calls)),
	}
	for name, value := range more {
		call[name] = value
	}
	w.say("PreToolUse", call)
	w.Write(file, strings.Repeat("x", w.calls))
	w.date(file)
	w.say("PostToolUse", call)
}

// date gives a file the time of the world.
func (w *worker) date(file string) {
	if err := os.Chtimes(filepath.Join(w.Dir, file), w.Time, w.Time); err != nil {
		w.Fatal(err)
	}
}

// run runs a command that ends with a status and prints something.
func (w *worker) run(command string, status int, prints string) {
	w.Helper()
	w.calls++
	call := map[string]any{
		"tool_name":   "Bash",
		"tool_input":  map[string]any{"command": command},
		"tool_use_id": string(rune('a' + w.calls)),
	}
	w.say("PreToolUse", call)
	if status == 0 {
		call["tool_response"] = map[string]any{"stdout": prints, "stderr": ""}
		w.say("PostToolUse", call)
		return
	}
	call["error"] = "Exit code 1\n" + prints
	w.say("PostToolUseFailure", call)
}

func TestAStopNeedsItsChecks(t *testing.T) {
	const goOK = "ok  \texample.org/a\t0.003s\n"
	for name, c := range map[string]struct {
		work func(w *worker)
		says string // of the refusal, "" if the agent may stop
	}{
		"nothing was done":             {func(*worker) {}, ""},
		"only read":                    {func(w *worker) { w.run("ls", 0, "") }, ""},
		"edit of other files":          {func(w *worker) { w.edit("README.md", nil) }, ""},
		"edit, then checked":           {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./...", 0, goOK) }, ""},
		"in another folder, with time": {func(w *worker) { w.edit("src/a.go", nil); w.run("cd . && time go test ./... 2>&1", 0, goOK) }, ""},
		"failed, then mended": {func(w *worker) {
			w.edit("src/a.go", nil)
			w.run("go test ./...", 1, "")
			w.edit("src/a.go", nil)
			w.run("go test ./...", 0, goOK)
		}, ""},
		"other edits afterwards": {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./...", 0, goOK); w.edit("README.md", nil) }, ""},
		"reading afterwards":     {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./...", 0, goOK); w.run("git diff", 0, "") }, ""},
		"not checked":            {func(w *worker) { w.edit("src/a.go", nil) }, "did not run after the last edit (src/a.go)"},
		"stale":                  {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./...", 0, goOK); w.edit("src/a.go", nil) }, "did not run after the last edit"},
		"failed":                 {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./...", 1, "") }, "it failed"},
		"filtered":               {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./... -run TestOne", 0, goOK) }, "did not run"},
		"zero tests": {func(w *worker) {
			w.edit("src/a.go", nil)
			w.run("go test ./...", 0, "?   \texample.org/a\t[no test files]\n")
		}, "ran no tests"},
		"the end of the output": {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./... 2>&1 | tail -3", 0, goOK) }, ""},
		"the end says failed": {func(w *worker) {
			w.edit("src/a.go", nil)
			w.run("go test ./... | tail -3", 0, goOK+"FAIL\texample.org/b\t0.1s\nFAIL\n")
		}, "does not show that all passed"},
		"the end says nothing":    {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./... | tail -3", 0, "\n") }, "does not show that all passed"},
		"status hidden by a pipe": {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./... | grep -v FAIL", 0, goOK) }, "hides whether it succeeded"},
		"status hidden by true":   {func(w *worker) { w.edit("src/a.go", nil); w.run("go test ./... || true", 0, goOK) }, "hides whether it succeeded"},
		"only talked about":       {func(w *worker) { w.edit("src/a.go", nil); w.run("echo go test ./...", 0, goOK) }, "did not run"},
		"another check":           {func(w *worker) { w.edit("ui/a.ts", nil); w.run("go test ./...", 0, goOK) }, "Check build"},
		"by a pattern":            {func(w *worker) { w.edit("ui/a.ts", nil); w.run("make -j4 build", 0, "") }, ""},
		"changed by a program": {func(w *worker) {
			w.edit("src/a.go", nil)
			w.run("go test ./...", 0, goOK)
			w.run("make generate", 0, "")
			w.Write("src/gen.go", "x")
			w.date("src/gen.go")
		}, "src/gen.go changed after it ran"},
		"an edit that failed": {func(w *worker) { failedEdit(w) }, ""},
		"an edit of unknown outcome": {func(w *worker) {
			w.say("PreToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "src/a.go"}, "tool_use_id": "u"})
		}, "did not run"},
		"an edit that was refused": {func(w *worker) {
			w.say("PreToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "infra/a.go"}, "tool_use_id": "u"})
		}, ""},
	} {
		w := newWorker(t, withChecks)
		c.work(w)
		answer := w.say("Stop", nil)
		refused := answer.Status == 2
		if refused != (c.says != "") || !strings.Contains(answer.Stderr, c.says) {
			t.Errorf("%s: %+v, want %q", name, answer, c.says)
		}
	}
}

// failedEdit is an edit that changes nothing.
func failedEdit(w *worker) {
	call := map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": "src/a.go", "old_string": "nowhere", "new_string": "x"}, "tool_use_id": "f"}
	w.say("PreToolUse", call)
	call["error"] = "String to replace not found"
	w.say("PostToolUseFailure", call)
}

// The second stop passes, and the record says what is unproved. After another edit the agent
// is asked again.
func TestAStopIsRefusedOnceAndThenUnproved(t *testing.T) {
	w := newWorker(t, withChecks)
	w.edit("src/a.go", nil)
	first, second := w.say("Stop", nil), w.say("Stop", nil)
	if first.Status != 2 || second != (hook.Answer{}) {
		t.Errorf("%+v, then %+v", first, second)
	}
	w.edit("src/a.go", nil)
	if third := w.say("Stop", nil); third.Status != 2 {
		t.Errorf("after another edit: %+v", third)
	}
	if fourth := w.say("Stop", map[string]any{"stop_hook_active": true}); fourth != (hook.Answer{}) {
		t.Errorf("the agent says that it was asked: %+v", fourth)
	}

	var got []string
	for _, r := range journal(t, w.World) {
		if r.Kind == outcome.Stopped {
			got = append(got, r.Decision+" "+strings.Join(r.Unproved, ","))
		}
	}
	if want := "denied tests; allowed tests; denied tests; allowed tests"; strings.Join(got, "; ") != want {
		t.Errorf("%v", got)
	}
}

// A subagent answers for its own edits, the agent above for all.
func TestASubagentIsAskedForItsOwnEdits(t *testing.T) {
	w := newWorker(t, withChecks)
	one := map[string]any{"agent_id": "one", "agent_type": "coder"}
	two := map[string]any{"agent_id": "two", "agent_type": "coder"}
	w.edit("src/a.go", one)
	if a := w.say("SubagentStop", two); a != (hook.Answer{}) {
		t.Errorf("another subagent: %+v", a)
	}
	if a := w.say("SubagentStop", one); a.Status != 2 {
		t.Errorf("the subagent: %+v", a)
	}
	if a := w.say("Stop", nil); a.Status != 2 {
		t.Errorf("the agent above: %+v", a)
	}
}

// Each agent is told in the way that it understands; one that cannot be refused stops.
func TestEachAgentIsToldToGoOn(t *testing.T) {
	for agent, c := range map[string]struct{ pre, post, stop, want string }{
		"codex":    {"PreToolUse", "PostToolUse", "Stop", "2"},
		"gemini":   {"BeforeTool", "AfterTool", "AfterAgent", "2"},
		"cursor":   {"preToolUse", "postToolUse", "stop", `{"followup_message":"The work is not proved`},
		"copilot":  {"preToolUse", "postToolUse", "agentStop", `{"decision":"block","reason":"The work is not proved`},
		"windsurf": {"pre_write_code", "post_write_code", "post_cascade_response", ""},
	} {
		w := newWorker(t, withChecks)
		w.agent = agent
		call := map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": "src/a.go", "content": "x"}}
		w.say(c.pre, call)
		w.Write("src/a.go", "y")
		w.say(c.post, call)

		a := w.say(c.stop, nil)
		switch {
		case c.want == "2" && a.Status != 2, c.want == "" && a != (hook.Answer{}), !strings.HasPrefix(a.Stdout, strings.TrimPrefix(c.want, "2")):
			t.Errorf("%s: %+v", agent, a)
		}
	}
}

func TestACheckNeedsTests(t *testing.T) {
	w := newWorker(t, "version: 1\nchecks: [{name: tests, command: pytest, min_tests: 5}]\n")
	w.edit("src/a.py", nil)
	w.run("pytest", 0, "==== 3 passed in 0.10s ====\n")
	if a := w.say("Stop", nil); !strings.Contains(a.Stderr, "3 tests of at least 5") {
		t.Errorf("%+v", a)
	}
	w.edit("src/a.py", nil)
	w.run("pytest", 0, "==== 5 passed in 0.10s ====\n")
	if a := w.say("Stop", nil); a != (hook.Answer{}) {
		t.Errorf("%+v", a)
	}
}
