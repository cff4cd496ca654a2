package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/tools"
)

// asking starts a server whose agent asked to change a protected file, and gives the id.
func asking(t *testing.T) (running, string) {
	t.Helper()
	r := start(t, func(d *depsOf) {
		d.Toolsets = slices.Clone(tools.Toolsets)
		if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte("version: 1\nprotected: [go.mod, second.mod]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	asked := structured[struct {
		ID     string `json:"approval_id"`
		Status string
	}](r, "request_approval", `{"agent":"builder","paths":["go.mod"],"reason":"a new module"}`)
	if asked.ID == "" || asked.Status != "pending" {
		t.Fatalf("%+v", asked)
	}
	return r, asked.ID
}

// Only who holds the kill secret decides about what an agent asked for, and once.
func TestOnlyAPersonDecidesAboutAnApproval(t *testing.T) {
	r, id := asking(t)
	body := `{"id":"` + id + `","grant":true}`
	for _, c := range []struct {
		what, body string
		header     []string
		status     int
	}{
		{"no credentials", body, nil, 401},
		{"an agent", body, []string{"Authorization", "Bearer " + apiToken}, 403},
		{"no id", `{"grant":true}`, []string{"Authorization", "Bearer " + killSecret}, 400},
		{"no decision", `{"id":"` + id + `"}`, []string{"Authorization", "Bearer " + killSecret}, 400},
		{"another id", `{"id":"x","grant":true}`, []string{"Authorization", "Bearer " + killSecret}, 404},
		{"a person", body, []string{"Authorization", "Bearer " + killSecret}, 200},
		{"the same again", body, []string{"Authorization", "Bearer " + killSecret}, 409},
	} {
		if answer, object := r.send("POST", "/approvals", c.body, c.header...); answer.StatusCode != c.status {
			t.Errorf("%s: %d %v", c.what, answer.StatusCode, object)
		}
	}
	_, list := r.send("GET", "/approvals", "")
	if all := list["approvals"].([]any); len(all) != 1 || all[0].(map[string]any)["status"] != "granted" || all[0].(map[string]any)["decided_by"] != "console" {
		t.Errorf("%v", list)
	}
	if r.entries("APPROVAL_DECIDED") != 1 {
		t.Error("the decision is not on record")
	}
}

// D1: there is no built-in secret. Without a configured one no approval can be granted.
func TestD1WithoutASecretNoApprovalIsGranted(t *testing.T) {
	r := start(t, func(d *depsOf) { d.KillSecret = "" })
	for _, secret := range []string{"", "secret", "changeme", "default", "null", "undefined", "nervous-system-kill", strings.Repeat("0", 32)} {
		answer, object := r.send("POST", "/approvals", `{"id":"x","grant":true}`, "Authorization", "Bearer "+secret)
		if answer.StatusCode != 503 && answer.StatusCode != 401 {
			t.Errorf("%q: %d %v", secret, answer.StatusCode, object)
		}
	}
}

func TestAPersonGrantsInTheConsole(t *testing.T) {
	r, _ := asking(t)
	if s := r.look("approve"); s.Left != "" {
		t.Error("the secret stays in its field")
	}
	if r.entries("APPROVAL_DECIDED") != 1 || r.entries("KILL_SWITCH_REFUSED") != 1 {
		t.Error("not all of it is on record")
	}
}

// Later requests are appended to the list, so that no entry moves while a person is about
// to decide.
func TestALaterRequestDoesNotMoveTheFirst(t *testing.T) {
	r, _ := asking(t)
	second := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"request_approval","arguments":{"agent":"builder","paths":["second.mod"],"reason":"another module"}}}`
	s := r.look("order", "SECOND="+second)
	if s.Before != s.Left || len(s.Asked) != 2 || !strings.Contains(s.Asked[0], ": edit go.mod") || !strings.Contains(s.Asked[1], "second.mod") {
		t.Errorf("at %s and then at %s: %q", s.Before, s.Left, s.Asked)
	}
}
