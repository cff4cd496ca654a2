//go:build linux

package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// governed writes a workspace file whose agent is a shell line of this test.
func governed(t *testing.T, d *depsOf, line string) {
	t.Helper()
	text := "version: 1\ndispatch: {enabled: true, command: [\"/bin/sh\", \"-c\", " + quoted(line) + "], env: [PATH]}\n"
	if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

type dispatched struct {
	Dispatched bool
	PID        int
	ID         string
	Log, Code  string
	Slots      struct{ Used, Max int }
}

// Two agents run, the third is refused with its reason, and the kill switch ends them with
// all that they started, in the truth of the process table; then nothing starts.
func TestDispatchesAndTheKillSwitch(t *testing.T) {
	r := start(t, func(d *depsOf) { governed(t, d, "trap '' TERM; setsid sleep 1000 & cat; sleep 1000") })
	var pids []int
	for n := range 2 {
		got := structured[dispatched](r, "dispatch_to_llm", `{"task":"wait for it","max_turns":3}`)
		if !got.Dispatched || got.PID == 0 || got.Log == "" || got.Slots.Used != n+1 || got.Slots.Max != 2 {
			t.Fatalf("%+v", got)
		}
		pids = append(pids, got.PID)
	}
	if got := structured[dispatched](r, "dispatch_to_llm", `{"task":"a third"}`); got.Dispatched || got.Code != "limit_exceeded" || got.PID != 0 {
		t.Errorf("%+v", got)
	}
	_, list := r.send("GET", "/dispatches", "")
	if len(list["active"].([]any)) != 2 || list["total"] != 2.0 {
		t.Errorf("%v", list)
	}
	out, whole := r.halted()
	stopped := out["stopped"].(map[string]any)["dispatches"].([]any)
	if out["complete"] != true || whole && len(stopped) != 2 || len(out["survivors"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
	for _, pid := range pids { // who is dead is in the table until the server buries him
		r.eventually(func() bool { return syscall.Kill(-pid, 0) != nil })
	}
	if got := structured[dispatched](r, "dispatch_to_llm", `{"task":"one more"}`); got.Dispatched || got.Code != "halted" {
		t.Errorf("%+v", got)
	}
	if _, list := r.send("GET", "/dispatches", ""); len(list["active"].([]any)) != 0 || len(list["completed"].([]any)) != 2 {
		t.Errorf("%v", list)
	}
	r.noted()
}

// noted waits until the end of every dispatch is written down.
func (r running) noted() {
	r.Helper()
	r.eventually(func() bool {
		_, list := r.send("GET", "/dispatches", "", "Authorization", "Bearer "+killSecret)
		for _, row := range list["completed"].([]any) {
			if row.(map[string]any)["reason"] == nil {
				return false
			}
		}
		return len(list["active"].([]any)) == 0
	})
}

// killedAfter ends at the end of a test what it dispatched.
func (r running) killedAfter() {
	r.Cleanup(func() {
		r.send("POST", "/kill", `{"reason":"end of the test"}`, "Authorization", "Bearer "+killSecret)
		r.noted()
	})
}

// Without an agent in the workspace file nothing is dispatched, and the answer says how to
// change that.
func TestNothingIsDispatchedWithoutAnAgent(t *testing.T) {
	r := start(t, nil)
	result := r.call("dispatch_to_llm", `{"task":"a test"}`)
	if text := sprint(result); result["isError"] != nil || !strings.Contains(text, "disabled") || !strings.Contains(text, "governance.yaml") {
		t.Errorf("%v", result)
	}
}

// If anything is missing for an agent, the answer names it and how to get it.
func TestAnAgentThatIsMissingIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for rule, want := range map[string][]string{
		"{enabled: true}":                                {"disabled", "claude", "dispatch.command", "LLM_API"},
		"{enabled: true, runner: loop}":                  {"disabled", "LLM_MODEL"},
		"{enabled: true, runner: exec}":                  {"disabled", "dispatch.command"},
		"{enabled: true, runner: codex}":                 {"command_not_found", "codex"},
		"{enabled: true, command: [no-program]}":         {"command_not_found", "no-program"},
		"{enabled: true, command: [sh], env: [LLM_KEY]}": {"disabled", "LLM_KEY"},
	} {
		r := start(t, func(d *depsOf) {
			if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte("version: 1\ndispatch: "+rule+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		})
		text := sprint(r.call("dispatch_to_llm", `{"task":"a test"}`))
		for _, part := range append(want, `"dispatched":false`) {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s lacks %s", rule, text, part)
			}
		}
	}
}

// A halt of the managed processes is not reported as a halt of everything while an agent
// runs, and a person ends that agent alone, with the secret.
func TestAPersonEndsOneDispatchInTheConsole(t *testing.T) {
	r := start(t, func(d *depsOf) { governed(t, d, "sleep 60") })
	got := structured[dispatched](r, "dispatch_to_llm", `{"task":"count the files"}`)
	s := r.look("scope", "TASK=count the files")
	if strings.Contains(s.Before, "Everything") || !strings.Contains(s.Before, "Since ") || s.Left != "" {
		t.Errorf("%q, the secret is %q", s.Before, s.Left)
	}
	if r.entries("DISPATCH_CANCELLED") != 1 || r.entries("DISPATCH_END") != 1 {
		t.Error("it is not on record")
	}
	if answer, out := r.send("POST", "/dispatches/"+got.ID+"/end", "{}", "Authorization", "Bearer "+killSecret); answer.StatusCode != 404 {
		t.Errorf("what has ended: %d %v", answer.StatusCode, out)
	}
	if answer, out := r.send("POST", "/dispatches/"+got.ID+"/end", "{}"); answer.StatusCode != 401 {
		t.Errorf("without the secret: %d %v", answer.StatusCode, out)
	}
}

// A list of dispatches says what each is about, in a few words and without secrets.
func TestDispatchesShowTheBeginningOfTheirTasks(t *testing.T) {
	const key = "sk-ant-api03-" + "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6QUJDREVGR0hJSktMTU5PUFFSU1RVVg"
	r := start(t, func(d *depsOf) { governed(t, d, "sleep 60") })
	structured[dispatched](r, "dispatch_to_llm", `{"task":"count the files with `+key+` `+strings.Repeat("ä", 300)+`"}`)
	_, list := r.send("GET", "/dispatches", "")
	task := list["active"].([]any)[0].(map[string]any)["task"].(string)
	if !strings.HasPrefix(task, "count the files with ") || strings.Contains(task, key[:30]) || len([]rune(task)) != 200 || !strings.HasSuffix(task, "ä…") {
		t.Errorf("%d characters: %s", len([]rune(task)), task)
	}
}
