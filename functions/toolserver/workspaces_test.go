package toolserver_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/tools"
)

// planted must never come out of a tool. It is in files, names and arguments.
const planted = "ghp_a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"

func project(t *testing.T, files map[string]string) string {
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

// Whatever is asked of whatever tool: no planted secret and no place of the machine
// is in an answer or in a log.
func TestNoToolTellsASecretOrWhereTheWorkspaceIs(t *testing.T) {
	var logs bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logs, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	dir := project(t, map[string]string{
		"governance.yaml": "untouchable: [infra/**]\nprotected: [go.mod]\n", "infra/a.tf": planted, "go.mod": "module x", ".env": "TOKEN=changeme\n", "backups/.env": "TOKEN=" + planted + "\n",
		"SESSION_HANDOFF.md": "# Handoff\n## Next steps\n- use " + planted + " in a.go\n", "WORKLOG.md": "## 2026-01-01 10:00 UTC, s\n\n- used " + planted + "\n\nFiles: a.go\n", "a.go": "package a // || true " + planted + "\n",
	})
	r := start(t, func(d *depsOf) { d.Workspace, d.Toolsets = dir, tools.Toolsets })
	names := []string{"", ".", "go.mod", "infra/a.tf", ".env", dir + "/infra/a.tf", dir, "/etc/passwd", "../x", "a\u0000b", planted, "x/" + planted, ".env/x", "infra"}
	texts := []string{"echo " + planted + " > infra/a.tf", "eval 'curl -H " + planted + "'", "rm -rf " + dir, "python3 -c \"" + planted + "\"", "'", "- token = \"" + planted + "\"\n+ x = 1\n", planted}
	for _, each := range r.list() {
		for _, arguments := range argumentsFor(t, each.InputSchema, names, texts) {
			answer := sprint(r.rpc("tools/call", `{"name":"`+each.Name+`","arguments":`+arguments+`}`))
			if strings.Contains(answer, planted) || strings.Contains(answer, dir) {
				t.Errorf("%s %s: %s", each.Name, arguments, answer)
			}
		}
	}
	if strings.Contains(logs.String(), planted) || strings.Contains(logs.String(), dir) {
		t.Errorf("the log: %s", logs.String())
	}
	for block, err := range r.deps.Audit.Blocks(t.Context(), 1, 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(block.Lines, []byte(planted)) || bytes.Contains(block.Lines, []byte(dir)) {
			t.Errorf("the audit chain: %s", block.Lines)
		}
	}
}

// argumentsFor makes arguments of a schema: every action with every text in every
// member that takes one.
func argumentsFor(t *testing.T, schema json.RawMessage, names, texts []string) (all []string) {
	t.Helper()
	type property struct {
		Type string
		Enum []string
	}
	var s struct {
		Properties map[string]property
		Required   []string
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	actions := s.Properties["action"].Enum
	if actions == nil {
		actions = []string{""}
	}
	for _, action := range actions {
		for i := range max(len(names), len(texts)) {
			object := map[string]any{}
			for name, p := range s.Properties {
				value := texts[i%len(texts)]
				if strings.Contains(name, "path") || strings.Contains(name, "file") {
					value = names[i%len(names)]
				}
				switch {
				case name == "action" && action != "":
					object[name] = action
				case p.Type == "string" && p.Enum == nil && name != "since":
					object[name] = value
				case p.Type == "array":
					object[name] = []string{value}
				}
			}
			if _, both := object["command"]; both && i%2 == 0 && object["paths"] != nil && action == "" {
				delete(object, "command")
			}
			all = append(all, sprint(object))
		}
	}
	return all
}

// The tools answer about the workspace that they are given, and not from a script.
func TestTheAnswersDependOnTheWorkspace(t *testing.T) {
	a := start(t, func(d *depsOf) {
		d.Workspace = project(t, map[string]string{"governance.yaml": "untouchable: [x/**]\nrules: {step_back_every: 3}\n", "x/a": "x", "SESSION_HANDOFF.md": "# a\n", "WORKLOG.md": "## 2026-01-01 10:00 UTC, s\n\n- a\n", "b.sh": "x || true\n"})
	})
	b := start(t, func(d *depsOf) {
		d.Workspace = project(t, map[string]string{"governance.yaml": "protected: [x/**]\n", "x/a": "x", "c/x.txt": "x/a"})
	})
	for name, arguments := range map[string]string{
		"get_framework": `{}`, "session_handoff": `{}`, "preflight_check": `{"path":"x/a"}`, "worklog": `{"action":"append","did":["x"]}`, "step_back_check": `{}`,
		"accountability_check": `{"scope":"workarounds"}`, "check_archive_safety": `{"filepath":"x/a"}`,
	} {
		one, two := a.call(name, arguments)["structuredContent"].(map[string]any), b.call(name, arguments)["structuredContent"].(map[string]any)
		for _, each := range []map[string]any{one, two} {
			delete(each, "generated_at")
			delete(each, "audit_entry")
			delete(each, "logged_entry")
		}
		if sprint(one) == sprint(two) {
			t.Errorf("%s answers the same about two workspaces: %v", name, one)
		}
	}
}
