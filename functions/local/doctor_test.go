package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/workspace"
)

// clinic is a set-up that doctor looks at: a running service and a governed project.
type clinic struct {
	*testing.T
	r       *running
	project string
	addr    string
}

func newClinic(t *testing.T) *clinic {
	t.Setenv("KILL_SECRET", "")
	c := &clinic{
		T:       t,
		r:       start(t),
		project: t.TempDir(),
	}
	c.addr = c.r.addr

	if err := os.Chmod(c.r.data, 0o700); err != nil {
		t.Fatal(err)
	}
	c.write("governance.yaml", "version: 1\nprotected: [go.mod]\n")
	c.installHook(os.Args[0])
	return c
}

// write makes a file of the project.
func (c *clinic) write(name, text string) {
	c.Helper()
	file := filepath.Join(c.project, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

func (c *clinic) installHook(program string) {
	c.Helper()
	command := hook.Command([]string{program, hook.Name}, "claude-code", c.project, "")
	c.write(".claude/settings.local.json", "{}") // without an earlier one
	w, err := workspace.Open(c.project)
	if err != nil {
		c.Fatal(err)
	}
	defer w.Close()

	plan, err := hook.Plan(w, "claude-code", command)
	if err == nil {
		err = hook.Apply(w, &plan, time.Now())
	}
	if err != nil {
		c.Fatal(err)
	}
}

// An older hook is told of steps before only.
func TestDoctorFindsAHookWithoutReports(t *testing.T) {
	c := newClinic(t)
	command := hook.Command([]string{os.Args[0], hook.Name}, "claude-code", c.project, "")
	settings, err := json.Marshal(map[string]any{"hooks": command})
	if err != nil {
		t.Fatal(err)
	}
	c.write(".claude/settings.local.json", string(settings))

	found := c.examine(0)["hook of claude-code"]
	if found.State != stateWarn || !strings.Contains(found.Do, "install the hook again") {
		t.Errorf("%+v", found)
	}
}

// examine runs doctor and returns its findings by name.
func (c *clinic) examine(status int) map[string]symptom {
	c.Helper()
	arguments := []string{"doctor", "-addr", c.addr, "-data", c.r.data, "-workspace", c.project}
	out, _ := session(c.T, status, append(arguments, "-o", "json")...)

	var report struct{ Findings []symptom }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		c.Fatalf("%v: %s", err, out)
	}
	found := map[string]symptom{}
	for _, f := range report.Findings {
		found[f.Name] = f
	}

	page, _ := session(c.T, status, arguments...)
	for _, f := range report.Findings {
		if f.Do == "" != (f.State == stateOK) && f.Name != "cgroup v2" {
			c.Errorf("%s is %s, and what to do is %q", f.Name, f.State, f.Do)
		}
		if !strings.Contains(page, f.Found) || !strings.Contains(page, f.Do) {
			c.Errorf("the page has no %q:\n%s", f.Found, page)
		}
	}
	return found
}

func (c *clinic) want(found map[string]symptom, name, state, says string) {
	c.Helper()
	f := found[name]
	if f.State != state || !strings.Contains(f.Found, says) {
		c.Errorf("%s is %q, %q, want %s with %q", name, f.State, f.Found, state, says)
	}
}

func TestDoctorFindsAHealthySetUp(t *testing.T) {
	c := newClinic(t)
	found := c.examine(0)
	c.want(found, "port", stateOK, "status ok")
	c.want(found, "data directory", stateOK, "mode 0700")
	c.want(found, "kill secret", stateOK, "kill.secret")
	c.want(found, "kill switch", stateOK, "nothing is halted")
	c.want(found, "audit chain", stateOK, "valid to its end, 2 entries")
	c.want(found, "head note", stateOK, "")
	c.want(found, "workspace file", stateOK, "governance.yaml is read")
	c.want(found, "hook of claude-code", stateOK, os.Args[0])
}

// Nothing is set up in a fresh folder, and nothing is broken there.
func TestDoctorNamesWhatIsMissing(t *testing.T) {
	t.Setenv("KILL_SECRET", "")
	t.Setenv("PATH", t.TempDir())
	empty := t.TempDir()
	out, _ := session(t, 0, "doctor", "-addr", "127.0.0.1:0", "-data", filepath.Join(empty, ".data"), "-workspace", empty)
	for _, line := range []string{
		"127.0.0.1:0 is free",
		".data does not exist",
		"governance serve begins it at its first start",
		"write one with governance init",
		"governance hook install --agent",
		"no coding agent is on PATH",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	if files, _ := os.ReadDir(empty); len(files) > 0 {
		t.Errorf("doctor wrote %v", files)
	}
}

func TestDoctorFindsABrokenChain(t *testing.T) {
	c := newClinic(t)
	file := filepath.Join(c.r.data, "governance.jsonl")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.SplitAfter(string(good), "\n")[0]

	for damage, text := range map[string]string{
		"edited": strings.Replace(string(good), `"actor":"system"`, `"actor":"sustem"`, 1),
		"cut":    first,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(damage)
		c.want(c.examine(1), "audit chain", stateBroken, "is broken at entry")
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	c.want(c.examine(1), "audit chain", stateBroken, "was removed")
}

func TestDoctorFindsABrokenDataDirectory(t *testing.T) {
	c := newClinic(t)
	secret := filepath.Join(c.r.data, "kill.secret")
	if err := os.Chmod(secret, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.r.data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.r.data, "HALT"), []byte(`{"reason":"a test"}`), 0o600); err != nil {
		t.Fatal(err)
	}

	found := c.examine(1)
	c.want(found, "kill secret", stateBroken, "other users can read the secret")
	c.want(found, "data directory", stateWarn, "mode 0755")
	c.want(found, "kill switch", stateWarn, "halted: a test")
}

func TestDoctorFindsABrokenGuard(t *testing.T) {
	c := newClinic(t)
	stranger := httptest.NewServer(nil)
	defer stranger.Close()
	c.addr = stranger.Listener.Addr().String()

	c.write("governance.yaml", "version: 1\nprotected: 7\n")
	c.installHook(filepath.Join(c.project, "gone"))

	found := c.examine(1)
	c.want(found, "port", stateWarn, "taken by another program")
	c.want(found, "workspace file", stateBroken, "governance.yaml")
	c.want(found, "hook of claude-code", stateBroken, "cannot be started")
}
