package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command halts and lifts at a running service, with the secret of its directory.
func TestKillHaltsARunningServiceAndLiftsTheHalt(t *testing.T) {
	t.Setenv("KILL_SECRET", "")
	r := start(t)
	halted := func() any { return r.call("GET", "/health", "").json(t)["checks"].(map[string]any)["halt"] }
	out, _ := session(t, 0, "kill", "-reason", "a test", "-url", r.url, "-data", r.data)
	if !strings.Contains(out, `"activated": true`) || halted() != true {
		t.Errorf("%s", out)
	}
	if out, _ = session(t, 0, "kill", "-resume", "-restore", "-reason", "a test", "-url", r.url, "-data", r.data); !strings.Contains(out, `"resumed": true`) || halted() != false {
		t.Errorf("%s", out)
	}
	if _, notes := session(t, 0, "kill", "-resume", "-reason", "a test", "-url", r.url, "-data", r.data); !strings.Contains(notes, "nothing was halted") {
		t.Errorf("%s", notes)
	}
	wrong := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(wrong, []byte("not-the-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, notes := session(t, 1, "kill", "-reason", "a test", "-url", r.url, "-secret", wrong); !strings.Contains(notes, "not the kill secret") || strings.Contains(notes, "not-the-secret") || halted() != false {
		t.Errorf("%s", notes)
	}
}

// Without a service the halt is written for the next one; only a person lifts it there.
func TestKillWithoutAServiceIsHonouredByTheNextStart(t *testing.T) {
	t.Setenv("KILL_SECRET", "unused-because-no-service-is-reached")
	data := t.TempDir()
	unused := "http://127.0.0.1:1"
	if _, notes := session(t, 0, "kill", "-reason", "a test", "-url", unused, "-data", data); !strings.Contains(notes, "the halt is written") {
		t.Errorf("%s", notes)
	}
	r := startIn(t, data)
	if health := r.call("GET", "/health", "").json(t); health["checks"].(map[string]any)["halt"] != true {
		t.Errorf("%v", health)
	}
	session(t, 2, "kill", "-resume", "-reason", "a test", "-url", unused, "-data", data)
	var out, notes bytes.Buffer
	person := terminal{strings.NewReader(""), &out, &notes, true}
	if status := run(t.Context(), person, []string{"kill", "-resume", "-reason", "a test", "-url", unused, "-data", data}); status != 0 || !strings.Contains(notes.String(), "lifted") {
		t.Errorf("%d %s", status, &notes)
	}
	if health := r.call("GET", "/health", "").json(t); health["checks"].(map[string]any)["halt"] != false {
		t.Errorf("%v", health)
	}
	if n := entriesOf(t, data, "KILL_SWITCH") + entriesOf(t, data, "KILL_SWITCH_LIFTED"); n != 3 {
		t.Errorf("%d entries", n)
	}
}

func TestKillRefusesBadInput(t *testing.T) {
	t.Setenv("KILL_SECRET", "")
	empty := t.TempDir()
	for args, want := range map[string]string{
		"kill":                                  "needs --reason",
		"kill -reason x":                        "3 to 500",
		"kill -reason test now":                 "takes no argument",
		"kill -reason test -scope some":         "--scope is one of",
		"kill -reason test -restore":            "goes with --resume",
		"kill -reason test -url nowhere":        "not an address",
		"kill -reason test -data " + empty:      "no kill secret",
		"kill -reason test -url http://a.shop/": "https",
	} {
		var out, notes bytes.Buffer
		if status := run(t.Context(), terminal{strings.NewReader(""), &out, &notes, false}, strings.Fields(args)); status == 0 || !strings.Contains(notes.String(), want) {
			t.Errorf("governance %s: %d %s", args, status, &notes)
		}
	}
	t.Setenv("KILL_SECRET", "x")
	session(t, 1, "kill", "-reason", "test", "-url", "http://127.0.0.1:1", "-data", filepath.Join(empty, "none"))
}
