package server_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/tools"
	"governance.internal/shared/logtest"
)

// planted must never come out of a tool. It is in files, names and arguments. The other
// ones give themselves away only by the name that stands before them.
const (
	planted  = "ghp_a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	password = "hunter2-but-much-longer"
	keyed    = "Zk39fjQw02mVbx81aaPq"
)

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(full, []byte(text), 0o600), os.Chtimes(full, noon, noon)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// For any call of any tool, no planted secret and no path of the machine is in an answer or
// in a log.
func TestNoToolTellsASecretOrWhereTheWorkspaceIs(t *testing.T) {
	logged := logtest.Collect(t, slog.LevelDebug)
	dir := project(t, map[string]string{
		"governance.yaml": "untouchable: [infra/**]\nprotected: [go.mod]\n", "infra/a.tf": planted, "go.mod": "module x", ".env": "TOKEN=changeme\nDB_PASSWORD=<here>\n", "backups/.env": "TOKEN=" + planted + "\nDB_PASSWORD=" + password + "\n",
		"conf.json": `{"api_key":"changeme"}`, "conf.json.bak": `{"api_key":"` + keyed + `"}`, "run.sh": "API_KEY=" + keyed + " make || true\n",
		"SESSION_HANDOFF.md": "# Handoff\n## Next steps\n- use " + planted + " and password=" + password + " in a.go\n", "WORKLOG.md": "## 2026-01-01 10:00 UTC, s\n\n- used " + planted + " and password=" + password + "\n\nFiles: a.go\nState: api_key=" + keyed + "\n", "a.go": "package a // || true " + planted + "\n",
	})
	r := start(t, func(d *depsOf) { d.Workspace, d.Toolsets = dir, tools.Toolsets })
	names := []string{"", ".", "go.mod", "infra/a.tf", ".env", dir + "/infra/a.tf", dir, "/etc/passwd", "../x", "a\u0000b", planted, "x/" + planted, ".env/x", "infra", "password=" + password, dir + "/../x"}
	texts := []string{"password=" + password, "curl -H 'api_key: " + keyed + "' " + dir, "echo " + planted + " > infra/a.tf", "eval 'curl -H " + planted + "'", "rm -rf " + dir, "python3 -c \"" + planted + "\"", "'", "- token = \"" + planted + "\"\n+ x = 1\n", planted}
	for _, each := range r.list() {
		for _, arguments := range argumentsFor(t, each.InputSchema, names, texts) {
			answer := sprint(r.rpc("tools/call", `{"name":"`+each.Name+`","arguments":`+arguments+`}`))
			if r.clock.Add(int64(time.Second)); strings.Contains(answer, "rate_limited") {
				t.Fatalf("%s was not asked: %s", each.Name, answer)
			}
			discreet(t, each.Name+" "+arguments, answer, dir)
		}
	}
	for _, each := range r.rpc("resources/list", `{}`)["result"].(map[string]any)["resources"].([]any) {
		uri := each.(map[string]any)["uri"].(string)
		discreet(t, uri, sprint(r.rpc("resources/read", `{"uri":"`+uri+`"}`)), dir)
	}
	for _, path := range []string{"/", "/health", "/dispatches", "/audit/verify", "/approvals", "/entries", "/outcomes"} {
		_, object := r.send("GET", path, "")
		discreet(t, path, sprint(object), dir)
	}
	discreet(t, "the log", logged(), dir)
	for block, err := range r.deps.Audit.Blocks(t.Context(), 1, 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		discreet(t, "the audit chain", string(block.Lines), dir)
	}
}

// discreet checks that a text contains no planted secret.
func discreet(t *testing.T, what, text, dir string) {
	t.Helper()
	for _, hidden := range []string{planted, password, keyed, dir} {
		if at := strings.Index(text, hidden); at >= 0 {
			t.Errorf("%s tells %q: ...%s", what, hidden, text[max(0, at-200):min(len(text), at+200)])
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
