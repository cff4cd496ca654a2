package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// While everything is halted preflight_check says no to every change, and why.
func TestPreflightKnowsTheHalt(t *testing.T) {
	r := start(t, func(d *depsOf) {
		if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte("version: 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	type answer struct {
		Decision string
		Results  []struct{ Reason string }
	}
	if got := structured[answer](r, "preflight_check", `{"path":"a.go"}`); got.Decision != "OK" {
		t.Fatalf("%+v", got)
	}
	if answer, object := r.send("POST", "/kill", `{"reason":"something is wrong"}`, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 {
		t.Fatalf("%d %v", answer.StatusCode, object)
	}
	for _, arguments := range []string{`{"path":"a.go"}`, `{"action":"check_command","command":"echo x > a.go"}`} {
		got := structured[answer](r, "preflight_check", arguments)
		if got.Decision != "BLOCKED" || len(got.Results) == 0 || !strings.Contains(got.Results[0].Reason, "something is wrong") {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	if got := structured[answer](r, "preflight_check", `{"action":"check_command","command":"ls"}`); got.Decision != "OK" {
		t.Errorf("%+v", got)
	}
}

// A halt of dispatches or of processes alone leaves other agents working, and under a halt
// of everything an agent can still write down where it stopped.
func TestWhatAHaltLeaves(t *testing.T) {
	for scope, want := range map[string]string{"all": "BLOCKED", "dispatches": "OK", "processes": "OK"} {
		t.Run(scope, func(t *testing.T) {
			r := start(t, func(d *depsOf) {
				if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte("version: 1\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			})
			body := `{"reason":"something is wrong","scope":"` + scope + `"}`
			if answer, object := r.send("POST", "/kill", body, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 {
				t.Fatalf("%d %v", answer.StatusCode, object)
			}

			if got := structured[struct{ Decision string }](r, "preflight_check", `{"path":"a.go"}`); got.Decision != want {
				t.Errorf("a file: %s, want %s", got.Decision, want)
			}

			for name, arguments := range map[string]string{
				"worklog":         `{"action":"append","did":["stopped half way"]}`,
				"session_handoff": `{"action":"write","content":"# stopped half way\n"}`,
			} {
				if result := r.call(name, arguments); result["isError"] != nil {
					t.Errorf("%s: %v", name, result)
				}
			}
		})
	}
}
