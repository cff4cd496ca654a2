package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const bankCSV = "Date,Description,Amount,Currency\n2025-03-04,ADOBE CREATIVE CLOUD,-59.99,USD\n2025-03-15,STRIPE TRANSFER,1000.00,USD\n"

func bankFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBooksAnswersWithOneObject(t *testing.T) {
	out, _, status := said(t, "books", "-format", "json", bankFile(t, "bank.csv", bankCSV))
	if status != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `"net_minor": 94001`) {
		t.Errorf("%d %s", status, out)
	}
}

func TestBooksPrintsAStatement(t *testing.T) {
	out, _, status := said(t, "books", bankFile(t, "bank.csv", bankCSV))
	if status != 0 || !strings.Contains(out, "940.01") || !strings.Contains(out, "Software and subscriptions") {
		t.Errorf("%d %s", status, out)
	}
}

func TestBooksWritesExportsThatOtherProgramsAccept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "books")
	_, errText, status := said(t, "books", "-out", folder, bankFile(t, "bank.csv", bankCSV))
	if status != 0 {
		t.Fatalf("%d %s", status, errText)
	}

	for _, args := range [][]string{
		{"sha256sum", "--strict", "-c", "manifest.sha256"},
		{"hledger", "-f", "journal.hledger", "check", "-s", "ordereddates", "uniqueleafnames"},
		{"bean-check", "journal.beancount"},
	} {
		command := exec.Command(args[0], args[1:]...)
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}

func TestBooksRefuses(t *testing.T) {
	tests := [][]string{
		{"books"},
		{"books", filepath.Join(t.TempDir(), "missing.csv")},
		{"books", bankFile(t, "bank.csv", "")},
		{"books", bankFile(t, "bank.csv", "Date,Description,Amount\n03/04/2025,Coffee,-4.50\n")},
		{"books", "-currency", "QQQ", bankFile(t, "bank.csv", bankCSV)},
		{"books", bankFile(t, "bank.csv", strings.Repeat("a,b\n", 2<<20))},
	}
	for _, args := range tests {
		out, errText, status := said(t, args...)
		if status != 2 || out != "" || errText == "" {
			t.Errorf("%q: %d %q %q", args, status, out, errText)
		}
	}
}

func TestALedgerIsVerified(t *testing.T) {
	input := bankFile(t, "bank.csv", bankCSV)
	answer, _, _ := said(t, "books", "-format", "json", input)
	kept := bankFile(t, "answer.json", answer)
	if out, _, status := said(t, "verify", "ledger", kept, input); status != 0 || !strings.Contains(out, "valid, 2 rows") {
		t.Errorf("%d %s", status, out)
	}

	changed := bankFile(t, "answer.json", strings.Replace(answer, "ADOBE CREATIVE", "ADOBE CREATIVA", 1))
	if out, _, status := said(t, "verify", "ledger", changed); status != 1 || !strings.Contains(out, "row 1") {
		t.Errorf("%d %s", status, out)
	}
	if _, _, status := said(t, "verify", "ledger", input+"x"); status != 2 {
		t.Errorf("a missing file: %d", status)
	}
}
