package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The command reads the facts that session_persist keeps, without a server.
func TestDriftLooksForTheFactsOfSessions(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, ".governance", "facts")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	line := fmt.Sprintf(`{"id":"1","timestamp":%q,"category":"decision","title":"Use SQLite"}`, now.Format(time.RFC3339))
	file := filepath.Join(folder, now.Format(time.DateOnly)+".jsonl")
	if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	out, _ := session(t, 1, "drift", "--scope", "session_facts", dir)
	if !strings.Contains(out, "fact_unreflected") || !strings.Contains(out, "Use SQLite") {
		t.Errorf("%q", out)
	}

	if err := os.WriteFile(filepath.Join(dir, "WORKLOG.md"), []byte("- we use sqlite now\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	session(t, 0, "drift", "--scope", "session_facts", dir)
}
