package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project makes a folder with files.
func projectOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// said runs the program and returns what it printed, and its exit status.
func said(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	var outText, errText strings.Builder
	status = run(t.Context(), terminal{in: strings.NewReader(""), out: &outText, err: &errText}, args)
	return outText.String(), errText.String(), status
}

const leakedKey = "apiKey: Zk39fjQw02mVbx81aaPq\n"

func TestScanSecretsIsForPeopleAndForCI(t *testing.T) {
	dir := projectOf(t, map[string]string{"a.yaml": leakedKey, "b.txt": "nothing\n"})
	out, _, status := said(t, "scan-secrets", dir)
	if status != 1 || !strings.Contains(out, "a.yaml:1") || strings.Contains(out, "Zk39fjQw02mVbx81aaPq") {
		t.Errorf("%d %s", status, out)
	}
	for form, part := range map[string]string{"json": `"vulnerability_count": 1`, "sarif": `"startLine": 1`} {
		out, _, status := said(t, "scan-secrets", "-o", form, dir)
		if status != 1 || !strings.Contains(out, part) || !json.Valid([]byte(out)) {
			t.Errorf("%s: %d %s", form, status, out)
		}
	}

	baseline := filepath.Join(dir, "accepted.json")
	if _, errs, status := said(t, "scan-secrets", "--baseline", baseline, "--accept", "--reason", "a test key", dir); status != 0 {
		t.Fatalf("%d %s", status, errs)
	}
	if out, _, status := said(t, "scan-secrets", "--baseline", baseline, dir); status != 0 || strings.Contains(out, "a.yaml") {
		t.Errorf("an accepted finding: %d %s", status, out)
	}
	if _, _, status := said(t, "scan-secrets", t.TempDir()); status != 2 {
		t.Errorf("an empty folder: %d", status)
	}
	for _, wrong := range [][]string{{"scan-secrets", "a", "b"}, {"scan-secrets", filepath.Join(dir, "nowhere")}, {"scan-secrets", "--accept", dir}, {"scan-secrets", "--fail-on", "all", dir}} {
		if _, errs, status := said(t, wrong...); status != 2 || errs == "" {
			t.Errorf("%q: %d %q", wrong, status, errs)
		}
	}
}

// The hook of git refuses a commit that holds a credential, and lets others pass.
func TestTheHookOfGitRefusesCredentials(t *testing.T) {
	dir := projectOf(t, map[string]string{"a.yaml": leakedKey})
	git := func(args ...string) error {
		command := exec.Command("git", append([]string{"-C", dir, "-c", "user.email=a@example.com", "-c", "user.name=a"}, args...)...)
		return command.Run()
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if err := git(args...); err != nil {
			t.Skipf("needs git: %v", err)
		}
	}

	if _, errs, status := said(t, "hook", "install", "--git", "--workspace", dir); status != 0 {
		t.Fatalf("%d %s", status, errs)
	}
	if out, _, status := said(t, "scan-secrets", "--staged", dir); status != 1 || !strings.Contains(out, "a.yaml:1") {
		t.Errorf("%d %s", status, out)
	}
	hook, err := os.ReadFile(filepath.Join(dir, ".git", "hooks", "pre-commit"))
	if err != nil || !strings.Contains(string(hook), "scan-secrets --staged") {
		t.Errorf("%q, %v", hook, err)
	}

	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiKey: ${API_KEY}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := git("add", "."); err != nil {
		t.Fatal(err)
	}
	if out, errs, status := said(t, "scan-secrets", "--staged", dir); status != 0 {
		t.Errorf("%d %s %s", status, out, errs)
	}
}

func TestPublishAndDriftEndWithTheirStatus(t *testing.T) {
	dir := projectOf(t, map[string]string{
		"package.json": `{"name": "x"}`,
		"index.js":     "const a = '/home/anna/x';\n",
		"README.md":    "See [x](gone.md).\n",
	})
	if out, _, status := said(t, "publish", dir); status != 1 || !strings.Contains(out, "index.js:1") {
		t.Errorf("%d %s", status, out)
	}
	if out, _, status := said(t, "drift", dir); status != 1 || !strings.Contains(out, "README.md:1") {
		t.Errorf("%d %s", status, out)
	}
	if out, _, status := said(t, "drift", "-o", "sarif", dir); status != 1 || !json.Valid([]byte(out)) {
		t.Errorf("%d %s", status, out)
	}

	clean := projectOf(t, map[string]string{"package.json": `{"name": "x"}`, "README.md": "See [x](package.json).\n"})
	for _, command := range []string{"publish", "drift"} {
		if out, errs, status := said(t, command, clean); status != 0 {
			t.Errorf("%s: %d %s %s", command, status, out, errs)
		}
		if _, _, status := said(t, command, t.TempDir()); status != 2 {
			t.Errorf("%s of an empty folder: %d", command, status)
		}
	}
}

// The pages of a website are checked, in every form.
func TestPagesOfAWebsite(t *testing.T) {
	page := `<!DOCTYPE html><html><head><title>x</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"></head><body><p>x</p></body></html>`
	dir := projectOf(t, map[string]string{"governance.yaml": "website: {root: web, require: {og: false}}\n", "web/index.html": page, "web/about.html": page})
	if out, errs, status := said(t, "pages", dir); status != 0 || out != "" || !strings.Contains(errs, "healthy: 2 pages checked") {
		t.Errorf("%d %q %q", status, out, errs)
	}

	file := filepath.Join(dir, "web", "index.html")
	if err := os.WriteFile(file, []byte(strings.Replace(page, "<p>x</p>", "<a href=\"gone.html\">x</a>\n<p>TODO</p>", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := said(t, "pages", dir); status != 1 || !strings.Contains(out, "web/index.html:2") || !strings.Contains(out, "broken_link") {
		t.Errorf("%d %s", status, out)
	}
	if out, _, status := said(t, "pages", "-o", "json", dir); status != 1 || !strings.Contains(out, `"status": "issues_found"`) {
		t.Errorf("%d %s", status, out)
	}
	if out, _, status := said(t, "pages", "-o", "sarif", dir); status != 1 || !json.Valid([]byte(out)) || !strings.Contains(out, `"ruleId": "placeholder_text"`) {
		t.Errorf("%d %s", status, out)
	}
	if out, _, status := said(t, "pages", "--page", "about.html", dir); status != 0 || out != "" {
		t.Errorf("%d %s", status, out)
	}

	accepted := filepath.Join(t.TempDir(), "accepted.json")
	if _, errs, status := said(t, "pages", "--baseline", accepted, "--accept", "--reason", "a draft", dir); status != 0 {
		t.Errorf("%d %s", status, errs)
	}
	if out, _, status := said(t, "pages", "--baseline", accepted, "-o", "json", dir); status != 0 || !strings.Contains(out, `"issue_count": 0`) {
		t.Errorf("%d %s", status, out)
	}
	for _, wrong := range [][]string{{"pages", "a", "b"}, {"pages", filepath.Join(dir, "nowhere")}, {"pages", "--page", "none.html", dir}, {"pages", t.TempDir()}} {
		if _, errs, status := said(t, wrong...); status != 2 || errs == "" {
			t.Errorf("%q: %d %q", wrong, status, errs)
		}
	}
}
