package server_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/tools"
)

// tree is what a project holds beside the service's own state: names, kinds and texts.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == ".governance" {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all.WriteString(name + " " + info.Mode().String() + "\n")
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			all.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A server that changes nothing still says what may be changed, and records what it
// refused; none of its tools changes the project, whatever they are asked.
func TestAReadOnlyServerGuardsAndChangesNothing(t *testing.T) {
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\n", "infra/a.tf": "x", "SESSION_HANDOFF.md": "# Handoff\n", "a.go": "package a // || true\n"})
	r := start(t, func(d *depsOf) { d.Workspace, d.Toolsets, d.ReadOnly = dir, tools.Toolsets, true })
	var offered []string
	before := tree(t, dir)
	for _, each := range r.list() {
		offered = append(offered, each.Name)
		for _, arguments := range argumentsFor(t, each.InputSchema, []string{".", "infra/a.tf", "a.go", "new.txt"}, []string{"echo x > a.go", "rm -rf .", "a text"}) {
			if answer := r.rpc("tools/call", `{"name":"`+each.Name+`","arguments":`+arguments+`}`); answer["result"] == nil {
				t.Fatalf("%s was not asked: %v", each.Name, answer)
			}
			r.clock.Add(int64(time.Second))
		}
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the project changed:\n%s\nbefore:\n%s", after, before)
	}
	for name, want := range map[string]bool{
		"preflight_check": true, "step_back_check": true, "check_archive_safety": true, "accountability_check": true, "verify_audit_chain": true, "approval_status": true,
		"session_handoff": false, "worklog": false, "violation_logging": false, "request_approval": false, "emergency_kill_switch": false, "dispatch_to_llm": false,
	} {
		if slices.Contains(offered, name) != want {
			t.Errorf("%s offered %v, want %v", name, !want, want)
		}
	}
	refused := r.entries("BLOCKED_UNTOUCHABLE")
	answer := r.call("preflight_check", `{"path":"infra/a.tf"}`)["structuredContent"].(map[string]any)
	if answer["decision"] != "BLOCKED" || answer["logged_entry"] == nil || r.entries("BLOCKED_UNTOUCHABLE") != refused+1 {
		t.Errorf("%v", answer)
	}
}
