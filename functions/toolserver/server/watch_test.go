package server_test

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// payloads are the contents of the chain's entries of a type, as one text.
func (r running) payloads(event string) string {
	r.Helper()
	var all strings.Builder
	for block, err := range r.deps.Audit.Blocks(r.Context(), 1, 1<<40) {
		if err != nil {
			r.Fatal(err)
		}
		for line := range strings.Lines(string(block.Lines)) {
			if strings.Contains(line, `"event":"`+event+`"`) {
				all.WriteString(line)
			}
		}
	}
	return all.String()
}

// The second net, as a whole: a script that does not say which files it changes passes the
// guard; the watcher finds each file that it changed and writes it into the chain.
func TestTheWatcherFindsWhatWentAroundTheGuard(t *testing.T) {
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\nprotected: [go.mod]\n", "infra/a.tf": "x", "infra/b.tf": "x", "go.mod": "module x", "free.txt": "x", "where": "infra go.mod\n"})
	r := start(t, func(d *depsOf) { d.Workspace, d.Watch = dir, 20*time.Millisecond })
	within(t, "a baseline is taken", func() bool { return r.entries(baseline.EventTaken) == 1 })
	if err := os.WriteFile(filepath.Join(dir, "build.sh"), []byte("read d f < where\necho y > $d/a.tf\nrm $d/b.tf\necho z > $d/c.tf\necho z > $f\necho z > free.txt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if answer := sprint(r.call("preflight_check", `{"action":"check_command","command":"sh build.sh"}`)); !strings.Contains(answer, `"decision":"OK"`) {
		t.Fatalf("the guard knows what is in a script: %s", answer)
	}
	script := exec.Command("sh", "build.sh")
	script.Dir = dir
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	for _, want := range []string{`"change":"modified","list":"untouchable","path":"infra/a.tf"`, `"change":"deleted","list":"untouchable","path":"infra/b.tf"`, `"change":"added","list":"untouchable","path":"infra/c.tf"`, `"change":"modified","list":"protected","path":"go.mod"`} {
		within(t, want+" is in the chain", func() bool { return strings.Contains(r.payloads("GUARD_BYPASSED"), want) })
	}
	found := r.payloads("GUARD_BYPASSED")
	if strings.Contains(found, "free.txt") || strings.Contains(found, dir) {
		t.Errorf("%s", found)
	}
	if list := sprint(r.call("violation_logging", `{"action":"list"}`)); !strings.Contains(list, "GUARD_BYPASSED") {
		t.Errorf("violation_logging does not list it: %s", list)
	}
}

// Refusals of a hook wait in the spool until a server takes them into the chain.
func TestTheServerTakesTheRefusalsOfHooksIn(t *testing.T) {
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\n"})
	refused := hooked(t, dir, `{"tool_name":"Write","tool_input":{"file_path":"infra/a.tf"}}`)
	if !strings.Contains(refused, "deny") {
		t.Fatalf("not refused: %s", refused)
	}
	r := start(t, func(d *depsOf) { d.Workspace = dir })
	within(t, "the refusal is in the chain", func() bool { return r.entries("BLOCKED_UNTOUCHABLE") == 1 })
	within(t, "the spool is empty", func() bool {
		list, err := os.ReadDir(filepath.Join(dir, ".governance/spool"))
		return err == nil && len(list) == 0
	})
}

// What hooks write down comes into the chain, once, with its counts, and GET /outcomes shows
// the pairs to who has the token.
func TestTheServerTakesTheJournalOfHooksIn(t *testing.T) {
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\n"})
	const call = `"session_id":"s","tool_name":"Write","tool_input":{"file_path":"src/a.go","content":"x"},"tool_use_id":"t"`
	hooked(t, dir, `{"hook_event_name":"PreToolUse",`+call+`}`)
	hooked(t, dir, `{"hook_event_name":"PostToolUse",`+call+`,"tool_response":{}}`)

	r := start(t, func(d *depsOf) { d.Workspace = dir })
	within(t, "the pair is in the chain", func() bool {
		return r.entries("TOOL_INTENT") == 1 && r.entries("TOOL_OUTCOME") == 1 && r.entries("HOOKS_COUNTED") > 0
	})

	_, answer := r.send("GET", "/outcomes", "")
	pairs, _ := answer["outcomes"].([]any)
	if len(pairs) != 1 || !strings.Contains(sprint(pairs[0]), "succeeded") {
		t.Errorf("%v", answer)
	}

	closed := start(t, func(d *depsOf) { d.Token = apiToken })
	if answer, _ := closed.send("GET", "/outcomes", ""); answer.StatusCode != 401 {
		t.Errorf("without the token: %d", answer.StatusCode)
	}
}

// hooked is what a hook without a server answers a call.
func hooked(t *testing.T, dir, call string) string {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	log := &violations.Log{Workspace: w, Now: time.Now, Random: rand.Reader}
	a := hook.Run(t.Context(), &preflight.Gate{Workspace: w, Log: log, Enforces: true}, "claude-code", strings.NewReader(call))
	return a.Stdout + a.Stderr
}
