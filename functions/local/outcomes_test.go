package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recordedProject is a project in which an agent works through the command line.
type recordedProject struct {
	*testing.T
	dir string
}

func newRecordedProject(t *testing.T, rules string) recordedProject {
	p := recordedProject{t, t.TempDir()}
	p.write("governance.yaml", rules)
	p.write("infra/a.tf", "x\n")
	p.write("src/a.go", "x\n")
	return p
}

func (p recordedProject) write(name, text string) {
	p.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p recordedProject) run(stdin string, args ...string) (status int, out string) {
	var said strings.Builder
	t := terminal{
		in:  strings.NewReader(stdin),
		out: &said,
		err: &said,
	}
	status = run(context.Background(), t, args)
	return status, said.String()
}

// tell calls the hook, which must not refuse.
func (p recordedProject) tell(event, tool, input, more string) {
	p.Helper()
	message := `{"session_id":"one","cwd":"` + p.dir + `","hook_event_name":"` + event + `","tool_name":"` + tool + `","tool_input":` + input + `,"tool_use_id":"` + tool + `"` + more + `}`
	if status, said := p.run(message, "hook", "-workspace", p.dir); status != 0 {
		p.Errorf("%s of %s: %d %s", event, tool, status, said)
	}
}

const rehearsed = "untouchable: [infra/**]\nmode: observe\n"

// session is what the agent does: an edit of a governed file, a command that fails, and one
// that never ends.
func (p recordedProject) session() {
	p.tell("SessionStart", "", "{}", "")
	const edit = `{"file_path":"infra/a.tf","content":"y\n"}`
	p.tell("PreToolUse", "Write", edit, "")
	p.write("infra/a.tf", "y\n")
	p.tell("PostToolUse", "Write", edit, `,"tool_response":{}`)
	p.tell("PreToolUse", "Bash", `{"command":"false"}`, "")
	p.tell("PostToolUseFailure", "Bash", `{"command":"false"}`, `,"error":"Exit code 1"`)
	p.tell("PreToolUse", "Monitor", `{"command":"ls src"}`, "")
	p.tell("SessionEnd", "", "{}", "")
}

func TestTheCommandLineShowsWhatThenHappened(t *testing.T) {
	p := newRecordedProject(t, rehearsed)
	p.session()

	status, out := p.run("", "outcomes", "--workspace", p.dir)
	for _, want := range []string{
		"WHEN", "rehearsed: denied  succeeded", "infra/a.tf", "failed, exit 1", "unknown", "3 calls shown",
	} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("%d: %q is not in\n%s", status, want, out)
		}
	}

	for args, want := range map[string]int{"--state unknown": 1, "--session other": 0, "--session on": 3, "--last 2": 2} {
		_, out := p.run("", append(strings.Fields("outcomes --format json --workspace "+p.dir), strings.Fields(args)...)...)
		var report struct{ Pairs []struct{ State string } }
		if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Pairs) != want {
			t.Errorf("%s: %d pairs, want %d (%v)", args, len(report.Pairs), want, err)
		}
	}

	p.write(".governance/journal/000001.jsonl", "damaged\n")
	if status, out := p.run("", "outcomes", "--workspace", p.dir); status != 1 || !strings.Contains(out, "the journal is damaged") {
		t.Errorf("damaged: %d %s", status, out)
	}
}

func TestTheCommandLineReconciles(t *testing.T) {
	p := newRecordedProject(t, rehearsed)
	p.session()
	if status, out := p.run("", "reconcile", "--workspace", p.dir); status != 0 || !strings.Contains(out, "Every change that was found on ") || !strings.Contains(out, "Not covered:") {
		t.Errorf("%d %s", status, out)
	}

	p.write("infra/a.tf", "z\n")
	if status, out := p.run("", "reconcile", "--workspace", p.dir); status != 1 || !strings.Contains(out, "unexplained_change\tinfra/a.tf") {
		t.Errorf("%d %s", status, out)
	}
	if status, out := p.run("", "reconcile", "--workspace", p.dir, "--since", "2999-01-01"); status != 0 {
		t.Errorf("of the future: %d %s", status, out)
	}
	if status, out := p.run("", "reconcile", "--workspace", p.dir, "--since", "yesterday"); status != 2 || !strings.Contains(out, "24h or 30d") {
		t.Errorf("of a wrong time: %d %s", status, out)
	}
	if status, _ := p.run("", "reconcile", "--workspace", p.dir, "--chain", "missing.jsonl"); status == 0 {
		t.Error("a chain that is not there is compared")
	}
}

func TestTheCommandLineTriesOtherRules(t *testing.T) {
	p := newRecordedProject(t, rehearsed)
	p.session()
	p.write("new.yaml", "protected: [src/**]\n")
	p.write("wrong.yaml", "protekted: []\n")
	file := func(name string) string { return filepath.Join(p.dir, name) }

	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"the same": {[]string{file("governance.yaml"), file("governance.yaml")}, 0, "3 calls replayed: 0 would"},
		"others":   {[]string{file("governance.yaml"), file("new.yaml")}, 1, "denied -> allowed"},
		"observe":  {[]string{file("new.yaml"), file("governance.yaml")}, 1, "only rehearses"},
		"lately":   {[]string{file("governance.yaml"), file("new.yaml"), "--since", "2999-01-01"}, 0, "0 calls replayed"},
		"wrong":    {[]string{file("governance.yaml"), file("wrong.yaml")}, 2, "protekted"},
		"missing":  {[]string{file("governance.yaml"), file("none.yaml")}, 2, "none.yaml"},
		"one file": {[]string{file("governance.yaml")}, 2, "two workspace files"},
	} {
		status, out := p.run("", append([]string{"policy", "diff", "--workspace", p.dir}, c.args...)...)
		if status != c.status || !strings.Contains(out, c.says) {
			t.Errorf("%s: %d, want %d: %s", name, status, c.status, out)
		}
	}
}

func TestATimeIsReadAsPeopleWriteIt(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"30d":                  "2026-10-23T12:00:00Z",
		"90m":                  "2026-11-22T10:30:00Z",
		"2026-11-01":           "2026-11-01T00:00:00Z",
		"2026-11-01T05:00:00Z": "2026-11-01T05:00:00Z",
		"":                     "0001-01-01T00:00:00Z",
		"-5h":                  "",
		"5":                    "",
		"d":                    "",
		"1.5d":                 "",
	} {
		at, err := momentOf(text, now)
		if got := at.Format(time.RFC3339); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %s %v", text, got, err)
		}
	}
}
