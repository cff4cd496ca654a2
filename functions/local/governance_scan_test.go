package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/scan"
)

func TestScanOfADescription(t *testing.T) {
	name := legalFile(t, "Nothing is deployed unless an engineer has approved it.")
	out, _, status := said(t, "scan", "-format", "json", name)
	var answer scan.Result
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 {
		t.Fatalf("%d %v %s", status, err, out)
	}
	if answer.Score == 0 || len(answer.Dimensions) != 9 {
		t.Errorf("%+v", answer)
	}

	page, _, status := said(t, "scan", name)
	if status != 0 || !strings.Contains(page, "2 of 4  human_approval_gates\n    > Nothing is deployed") {
		t.Errorf("%d %s", status, page)
	}
}

func TestScanOfNothing(t *testing.T) {
	out, _, status := said(t, "scan", legalFile(t, ""))
	if status != 0 || !strings.HasPrefix(out, "Score: 0 of 100\n") {
		t.Errorf("%d %s", status, out)
	}
}

func TestScanRefuses(t *testing.T) {
	tests := [][]string{
		{"scan"},
		{"scan", legalFile(t, "\xff\xfe")},
		{"scan", legalFile(t, strings.Repeat("€", 30_000))},
		{"scan", filepath.Join(t.TempDir(), "missing")},
		{"scan", "-workspace", t.TempDir(), legalFile(t, "x")},
		{"scan", "-workspace", filepath.Join(t.TempDir(), "missing")},
	}
	for _, args := range tests {
		out, errText, status := said(t, args...)
		if status != 2 || out != "" || errText == "" {
			t.Errorf("%q: %d %q %q", args, status, out, errText)
		}
	}
}

// What a file of the project claims is no evidence.
func TestScanOfAWorkspaceBelievesNoText(t *testing.T) {
	dir := t.TempDir()
	boast := "We have a hash-chained audit log, human approval gates, and a firewall."
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(boast), 0o600); err != nil {
		t.Fatal(err)
	}

	out, _, status := said(t, "scan", "-workspace", dir)
	if status != 0 || !strings.HasPrefix(out, "Score: 0 of 100\n") {
		t.Errorf("%d %s", status, out)
	}
}
