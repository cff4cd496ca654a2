package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every report has a form for programs, which -format json and -o json ask for.
func TestVerifyAndAllOtherReportsPrintJSON(t *testing.T) {
	r := start(t)
	session(t, 0, "pay", "GET", "/x402/verify-audit", "-base", r.url, "-data", r.data, "-y")
	receipts, err := filepath.Glob(filepath.Join(r.data, "receipts", "*.json"))
	if err != nil || len(receipts) != 1 {
		t.Fatalf("receipts %v (%v)", receipts, err)
	}

	project := t.TempDir()
	for name, text := range map[string]string{"governance.yaml": "version: 1\nprotected: [go.mod]\n", "a.go": "x"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	chain := filepath.Join(r.data, "governance.jsonl")
	signer := r.service.paid.Gate.Site.Signer
	for _, row := range []struct {
		line   string
		status int
		member string // of the report
	}{
		{"verify chain " + chain, 0, "valid"},
		{"verify receipt " + receipts[0] + " -chain " + chain + " -signer " + signer, 0, "facts"},
		{"verify receipt " + receipts[0] + " -signer 0x0", 1, "why"},
		{"ledger -data " + r.data, 0, "payments"},
		{"smoke " + r.url, 0, "checks"},
		{"check -workspace " + project + " " + filepath.Join(project, "a.go"), 0, "decision"},
		{"approve -workspace " + project, 0, "approvals"},
		{"lint ../../testdata/lint/demo.json", 1, "findings"},
		{"baseline -workspace " + project, 0, "changes"},
	} {
		for _, flag := range []string{"-o json", "-format json", "--format=json"} {
			out, _ := session(t, row.status, strings.Fields(row.line+" "+flag)...)
			var report map[string]json.RawMessage
			if err := json.Unmarshal([]byte(out), &report); err != nil || report[row.member] == nil {
				t.Errorf("governance %s %s prints %q (%v), want the member %s", row.line, flag, out, err, row.member)
			}
		}
	}

	out, _ := session(t, 0, "verify", "chain", chain, "-json")
	if !json.Valid([]byte(out)) {
		t.Errorf("verify chain -json prints %q", out)
	}
}
