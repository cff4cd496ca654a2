package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func legalFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLegalAnswersWithOneObject(t *testing.T) {
	name := legalFile(t, "The price is five thousand dollars ($50,000). Oregon law applies.")
	for _, mode := range []string{"explain", "doc_review", "draft", "questions"} {
		out, _, status := said(t, "legal", "-mode", mode, "-format", "json", name)
		if status != 0 || !json.Valid([]byte(out)) {
			t.Errorf("%s: %d %s", mode, status, out)
		}
		if !strings.Contains(out, `"words_figures_mismatch"`) {
			t.Errorf("%s: %s", mode, out)
		}
	}
}

func TestLegalPrintsAPageWithQuotes(t *testing.T) {
	name := legalFile(t, "The Landlord may enter the flat at any time without notice.")
	out, _, status := said(t, "legal", name)
	if status != 0 || !strings.Contains(out, "> The Landlord may enter the flat at any time without notice.  [0-59]") {
		t.Errorf("%d %s", status, out)
	}
	if !strings.Contains(out, "not legal advice") {
		t.Errorf("no disclaimer: %s", out)
	}
}

func TestLegalRefuses(t *testing.T) {
	tests := [][]string{
		{"legal"},
		{"legal", "-mode", "advise", legalFile(t, "A text.")},
		{"legal", legalFile(t, "")},
		{"legal", legalFile(t, "\xff\xfe")},
		{"legal", legalFile(t, strings.Repeat("€", 30_000))},
		{"legal", filepath.Join(t.TempDir(), "missing")},
	}
	for _, args := range tests {
		out, errText, status := said(t, args...)
		if status != 2 || out != "" || errText == "" {
			t.Errorf("%q: %d %q %q", args, status, out, errText)
		}
	}
}
