package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/shared/audit"
)

// sight is what testdata/browser/console.mjs prints.
type sight struct {
	Errors, Foreign, Violations, Axe, Focused, Asked []string
	Overflow                                         map[string]bool
	Text, Before, Stored, Left, Payload, Checks      string
}

// skip skips a test that this machine cannot run; in CI that is a failure.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// look opens the console in Chromium and plays a scenario. In every scenario the page must
// load nothing from other origins, violate no policy, log no error and pass axe.
func (r running) look(scenario string, environment ...string) sight {
	r.Helper()
	programs := map[string]string{"node": "", "chromium": ""}
	for program := range programs {
		path, err := exec.LookPath(program)
		if programs[program] = path; err != nil {
			skip(r.T, "needs %s: %v; make test installs it when it runs as root", program, err)
		}
	}
	command := exec.Command(programs["node"], filepath.FromSlash("../../../testdata/browser/console.mjs"), scenario)
	command.Env = append(os.Environ(), "BASE_URL="+r.url, "CHROMIUM="+programs["chromium"], "TOKEN="+apiToken, "SECRET="+killSecret)
	command.Env = append(command.Env, environment...)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		r.Fatalf("%s: %v\n%s", scenario, err, &complaints)
	}
	var s sight
	if err := json.Unmarshal(out, &s); err != nil {
		r.Fatalf("%s printed %q: %v", scenario, out, err)
	}
	if len(s.Errors)+len(s.Foreign)+len(s.Violations)+len(s.Axe) > 0 {
		r.Errorf("%s: errors %q, foreign requests %q, policy violations %q, accessibility %q", scenario, s.Errors, s.Foreign, s.Violations, s.Axe)
	}
	return s
}

func TestAPersonSeesTheStateOfTheServer(t *testing.T) {
	r := start(t, nil)
	r.record("payment.settled")
	if _, err := r.deps.Audit.Append(t.Context(), audit.Event{ID: "markup", Actor: "agent", Type: "note", Payload: map[string]any{"text": "<script>alert(1)</script>"}}); err != nil {
		t.Fatal(err)
	}
	s := r.look("open")
	for _, part := range []string{"Nothing is halted", "valid", "payment.settled", "info", "MCP003", "lint_mcp_config", "0.05 USD", "0 of at most 2", "768 MB", "not_rewritten"} {
		if !strings.Contains(s.Text, part) {
			t.Errorf("the console lacks %q: %s", part, s.Text)
		}
	}
	if !strings.Contains(s.Checks, "not checked") || !strings.Contains(s.Checks, "governance.yaml") {
		t.Errorf("the check of the project does not say what it needs: %s", s.Checks)
	}
	if !strings.Contains(s.Payload, "alert(1)") {
		t.Errorf("the payload of the newest entry is not shown: %s", s.Payload)
	}
	for _, control := range []string{"reason", "scope", "secret", "verify", "entries", "payload", "config", "halt-button", "Lint", "check", "Check", "get_framework"} {
		if !slices.Contains(s.Focused, control) {
			t.Errorf("%q cannot be reached by keyboard: %q", control, s.Focused)
		}
	}
	if s.Overflow["small"] || s.Overflow["dark"] {
		t.Errorf("wider than the screen: %v", s.Overflow)
	}
}

func TestAPersonHaltsAndLiftsTheHaltInTheConsole(t *testing.T) {
	r := start(t, nil)
	if s := r.look("kill"); s.Left != "" {
		t.Errorf("the secret stays in its field")
	}
	if r.entries("KILL_SWITCH") != 2 || r.entries("KILL_SWITCH_LIFTED") != 1 || r.entries("KILL_SWITCH_REFUSED") != 1 {
		t.Error("not all of it is on record")
	}
}

// A server that is gone is shown as such, with the time when it last answered.
func TestTheConsoleSaysWhenTheServerIsGone(t *testing.T) {
	s := start(t, nil).look("gone")
	if !strings.Contains(s.Before, "no contact") || !strings.Contains(s.Before, "Last contact: ") || strings.Contains(s.Before, "none yet") || !strings.Contains(s.Left, "bad") {
		t.Errorf("%q, %s", s.Before, s.Left)
	}
}

// How urgent an entry is does not depend on who reads it.
func TestEntriesHaveASeverity(t *testing.T) {
	r := start(t, nil)
	r.record("payment.settled", "KILL_SWITCH", "KILL_SWITCH_REFUSED", framework.ViolationTypes()[0], "payment.reversed")
	_, object := r.send("GET", "/entries?after=1", "")
	var got []string
	for _, e := range object["entries"].([]any) {
		got = append(got, e.(map[string]any)["severity"].(string))
	}
	if want := []string{"info", "critical", "warning", "warning", "critical"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheConsoleShowsNothingWithoutTheTokenAndForgetsIt(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Token = apiToken })
	r.record("payment.settled")
	s := r.look("token")
	if strings.Contains(s.Before, "payment.settled") || strings.Contains(s.Before, "Lint playground") {
		t.Errorf("shown without a token: %s", s.Before)
	}
	if s.Left != "" || strings.Contains(s.Stored, apiToken) {
		t.Errorf("the token is kept: %q %q", s.Left, s.Stored)
	}
}

func TestTheConsoleIsForBrowsersOnly(t *testing.T) {
	r := start(t, nil)
	for accept, html := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "application/json, text/html": false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
	} {
		request, err := http.NewRequest("GET", r.url+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", accept)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		policy := answer.Header.Get("Content-Security-Policy")
		if err != nil || strings.HasPrefix(string(text), "<!doctype html>") != html || html && (strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'")) {
			t.Errorf("Accept %q: %.40s, policy %q (%v)", accept, text, policy, err)
		}
	}
}

func TestEntriesComeInPages(t *testing.T) {
	r := start(t, nil)
	r.record(slices.Repeat([]string{"x"}, 60)...)
	seqs := func(path string) (seqs []float64) {
		_, object := r.send("GET", path, "")
		for _, e := range object["entries"].([]any) {
			seqs = append(seqs, e.(map[string]any)["seq"].(float64))
		}
		return seqs
	}
	if last := seqs("/entries"); len(last) != 50 || last[0] != 12 || last[49] != 61 {
		t.Errorf("the last ones: %v", last)
	}
	if page := seqs("/entries?after=3"); len(page) != 50 || page[0] != 4 {
		t.Errorf("after 3: %v", page)
	}
	for _, end := range []string{"61", "9223372036854775807"} {
		if rest := seqs("/entries?after=" + end); len(rest) != 0 {
			t.Errorf("after %s: %v", end, rest)
		}
	}
	for _, after := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		if answer, _ := r.send("GET", "/entries?after="+after, ""); answer.StatusCode != 400 {
			t.Errorf("after=%s: %d", after, answer.StatusCode)
		}
	}
	closed := start(t, func(d *depsOf) { d.Token = apiToken })
	if answer, _ := closed.send("GET", "/entries", ""); answer.StatusCode != 401 {
		t.Errorf("without the token: %d", answer.StatusCode)
	}
}
