package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// D7: a tool with a path argument reads nothing outside of the workspace under any name,
// and shows nothing of the content of other files.
func TestD7NoToolReadsAFileOutside(t *testing.T) {
	const line = "a line that no caller may read"
	outside := filepath.Join(t.TempDir(), "diary.txt")
	if err := os.WriteFile(outside, []byte(line+" || true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\n", "a.sh": "x || true\n", "notes.txt": "a line of the project"})
	for name, target := range map[string]string{"link.txt": outside, "folder": filepath.Dir(outside), "SESSION_HANDOFF.md": outside, "WORKLOG.md": outside} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, func(d *depsOf) { allTools(d); d.Workspace = dir })
	for _, path := range []string{outside, "link.txt", "folder", "folder/diary.txt", "../" + filepath.Base(filepath.Dir(outside)) + "/diary.txt", "./x/../../../../../../../../../../" + outside} {
		for name, arguments := range map[string]string{
			"accountability_check": `{"path":"` + path + `"}`, "check_archive_safety": `{"filepath":"` + path + `"}`, "preflight_check": `{"path":"` + path + `"}`,
			"session_handoff": `{"action":"read"}`, "worklog": `{"action":"tail"}`,
		} {
			answer := sprint(r.call(name, arguments))
			if strings.Contains(answer, line) || strings.Contains(answer, `"status":"clean"`) || strings.Contains(answer, `"safe":true`) || strings.Contains(answer, `"decision":"OK"`) {
				t.Errorf("%s %s: %s", name, arguments, answer)
			}
		}
	}
	for _, arguments := range []string{`{"action":"write","content":"# x"}`, `{"action":"append","did":["x"]}`} {
		r.call("session_handoff", arguments)
		r.call("worklog", arguments)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != line+" || true\n" {
		t.Errorf("the file outside is %q (%v)", text, err)
	}
	if answer := sprint(r.call("accountability_check", `{}`)); strings.Contains(answer, line) || !strings.Contains(answer, "a.sh") {
		t.Errorf("a search follows links out: %s", answer)
	}
}
