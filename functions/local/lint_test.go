package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const unpinnedConfig = `{"mcpServers":{"a":{"command":"npx","args":["-y","pkg"]}}}`

func readReport(t *testing.T, out string) lintReport {
	t.Helper()
	var report lintReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return report
}

// One file and many have the same shape, which is that of the endpoint with the file's name.
func TestLintHasOneShape(t *testing.T) {
	dir := t.TempDir()
	bad := write(t, filepath.Join(dir, "bad.json"), sampleConfig)
	warn := write(t, filepath.Join(dir, "warn.json"), unpinnedConfig)

	out, _ := session(t, 1, "lint", "-format", "json", bad)
	one := readReport(t, out)
	out, _ = session(t, 1, "lint", "-format", "json", warn, bad)
	two := readReport(t, out)

	if len(one.Files) != 1 || len(two.Files) != 2 || two.Score != one.Score || len(two.Findings) != len(one.Findings)+1 {
		t.Errorf("one %+v\ntwo %+v", one, two)
	}
	if two.Findings[0].File != warn || two.Findings[0].Line != 1 || two.Findings[0].Fingerprint == "" {
		t.Errorf("%+v", two.Findings[0])
	}
}

func TestLintFailsOnWhatIsAsked(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "warn.json"), unpinnedConfig)
	session(t, 0, "lint", file)
	session(t, 1, "lint", "-fail-on", "warn", file)
	session(t, 1, "lint", "-fail-on", "info", file)
	session(t, 0, "lint", "-fail-on", "never", file)
	session(t, 2, "lint", "-fail-on", "all", file)
}

// The table begins with the gravest finding and says where it is.
func TestLintTableIsSortedBySeverity(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "mcp.json"), "{\"mcpServers\":{\n\"a\":{\"command\":\"npx\",\"args\":[\"-y\",\"pkg\"]},\n\"b\":{\"command\":\"sudo\",\"args\":[\"/opt/s\"]}}}")
	out, _ := session(t, 1, "lint", file)
	lines := strings.Split(out, "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[1], "  error  3:") || !strings.Contains(out, "  warn   2:") {
		t.Errorf("%s", out)
	}
}

func TestLintBaselineAcceptsForAWhile(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "mcp.json"), unpinnedConfig)
	accepted := filepath.Join(dir, "accepted.json")

	session(t, 2, "lint", "-accept", file)
	session(t, 2, "lint", "-baseline", accepted, "-accept", file)
	session(t, 2, "lint", "-baseline", accepted, file) // it does not exist
	session(t, 0, "lint", "-baseline", accepted, "-accept", "-reason", "reviewed by hand", file)
	out, _ := session(t, 0, "lint", "-baseline", accepted, "-fail-on", "info", file)
	if !strings.Contains(out, "1 findings are accepted") {
		t.Errorf("%s", out)
	}

	// Another finding is not covered.
	write(t, file, strings.Replace(unpinnedConfig, `"a":`, `"b":`, 1))
	session(t, 1, "lint", "-baseline", accepted, "-fail-on", "warn", file)
	write(t, file, unpinnedConfig)

	// After its day an entry counts no more, and one without a reason or a day is refused.
	yesterday := time.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	session(t, 0, "lint", "-baseline", accepted, "-accept", "-reason", "again", "-expires", yesterday, file)
	session(t, 0, "lint", "-baseline", accepted, "-accept", "-reason", "again", "-expires", yesterday, write(t, filepath.Join(dir, "clean.json"), `{"mcpServers":{}}`))
	for _, broken := range []string{`{"version":1,"accepted":[{"fingerprint":"x","reason":"","expires":"2099-01-01"}]}`, `{"version":1,"accepted":[{"fingerprint":"x","reason":"y","expires":"never"}]}`, `{"version":2}`, `[`} {
		session(t, 2, "lint", "-baseline", write(t, filepath.Join(dir, "broken.json"), broken), file)
	}
}

func TestLintBaselineExpires(t *testing.T) {
	entry := acceptedEntry{Fingerprint: "f", Reason: "r", Expires: "2027-01-31"}
	b := lintBaseline{Version: 1, Accepted: []acceptedEntry{entry}}
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if !b.holds("f", day("2027-01-30")) || b.holds("f", day("2027-01-31")) || b.holds("g", day("2027-01-30")) {
		t.Error("an entry holds until its day, and for its finding alone")
	}
}

func TestLintFixesAFileInPlace(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "mcp.json"), "{ // kept\n\"mcpServers\":{\"a\":{\"command\":\"/opt/s\",\"trust\":true}}}\n")
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("mcp.json", link); err != nil {
		t.Fatal(err)
	}
	_, notes := session(t, 0, "lint", "-fail-on", "info", "-fix", link)
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "{ // kept\n\"mcpServers\":{\"a\":{\"command\":\"/opt/s\",\"trust\":false}}}\n" {
		t.Errorf("%s (%v)", text, err)
	}
	if !strings.Contains(notes, "approve-everything: true -> false") {
		t.Errorf("%s", notes)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// Without a file the configurations of all known clients are found, wherever the system keeps them;
// what was not judged is named.
func TestLintFindsTheConfigurationsOfClients(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Chdir(project)
	_, notes := session(t, 2, "lint")
	if !strings.Contains(notes, "found no MCP configuration") {
		t.Errorf("%s", notes)
	}

	write(t, filepath.Join(home, ".cursor/mcp.json"), unpinnedConfig)
	write(t, filepath.Join(home, ".config/Claude/claude_desktop_config.json"), unpinnedConfig)
	write(t, filepath.Join(home, ".codex/config.toml"), "[mcp_servers.a]\n")
	write(t, filepath.Join(project, ".vscode/settings.json"), "{ // no servers here\n\"editor.tabSize\": 2,\n}")
	write(t, filepath.Join(project, ".vscode/mcp.json"), `{"servers":{"a":{"command":"npx","args":["pkg"],},}}`)
	write(t, filepath.Join(project, ".mcp.json"), "{")
	out, notes := session(t, 2, "lint", "-format", "json")
	report := readReport(t, out)
	var paths []string
	for _, file := range report.Files {
		paths = append(paths, file.Path)
	}
	want := []string{".vscode/mcp.json", filepath.Join(home, ".cursor/mcp.json"), filepath.Join(home, ".config/Claude/claude_desktop_config.json")}
	if !slices.Equal(paths, want) || len(report.Unread) != 1 || report.Unread[0].Path != ".mcp.json" {
		t.Errorf("linted %v, unread %v", paths, report.Unread)
	}
	if !strings.Contains(notes, "config.toml: found but not linted") {
		t.Errorf("%s", notes)
	}
}

func TestConfigPlacesOfEverySystem(t *testing.T) {
	for system, want := range map[string]string{
		"linux":   "/h/.config/Claude/claude_desktop_config.json",
		"darwin":  "/h/Library/Application Support/Claude/claude_desktop_config.json",
		"windows": "/h/AppData/Roaming/Claude/claude_desktop_config.json",
	} {
		if places := configPlaces("/p", "/h", system); !slices.Contains(places, want) || !slices.Contains(places, "/p/.mcp.json") {
			t.Errorf("%s: %v", system, places)
		}
	}
}

func TestLintExplains(t *testing.T) {
	out, _ := session(t, 0, "lint", "-explain", "mcp003")
	if !strings.Contains(out, "unpinned-package") || strings.Contains(out, "MCP004") {
		t.Errorf("%s", out)
	}
	out, _ = session(t, 0, "lint", "-explain", "MCP001/private-key")
	if strings.Count(out, "MCP001") != 1 {
		t.Errorf("%s", out)
	}
	out, _ = session(t, 0, "lint", "-explain", "all")
	if !strings.Contains(out, "MCP008") || !strings.Contains(out, "cannot see") {
		t.Errorf("%s", out)
	}
	session(t, 2, "lint", "-explain", "MCP099")
}
