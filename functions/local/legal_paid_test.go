package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/shared/x402"
)

const legalPath = "/x402/legal-prep"

const legalText = "Services Agreement between Alder Mills LLC and Jane Roe.\n\n1. Fees. The Provider may raise the fees at any time without notice.\n\n2. Law. The laws of Oregon govern this agreement."

func legalBody(t *testing.T, mode, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"mode": mode, "text": text})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestLegalPrepRefusalsCostNothing(t *testing.T) {
	r := start(t)
	wantStatus(t, r.call("POST", legalPath, legalBody(t, "doc_review", legalText)), 402, "unpaid")
	wantStatus(t, r.call("POST", legalPath, ""), 402, "unpaid and empty")

	header := r.payment("POST", legalPath)
	for _, row := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"nothing", "", 400, "invalid_json"},
		{"not JSON", "review this", 400, "invalid_json"},
		{"cut off", `{"mode":"doc_review","text":"a`, 400, "invalid_json"},
		{"an array", `["doc_review"]`, 400, "invalid_json"},
		{"two documents", legalBody(t, "explain", legalText) + "{}", 400, "invalid_json"},
		{"a number as the text", `{"mode":"explain","text":7}`, 400, "invalid_json"},
		{"a misspelled member", `{"mode":"explain","txt":"a"}`, 400, "invalid_json"},
		{"not UTF-8", "{\"mode\":\"explain\",\"text\":\"\xff\"}", 400, "invalid_json"},
		{"an unknown mode", legalBody(t, "advise", legalText), 400, "invalid_mode"},
		{"no mode", `{"text":"a"}`, 400, "invalid_mode"},
		{"no text", `{"mode":"explain"}`, 400, "invalid_text"},
		{"white space", legalBody(t, "explain", " \n\t"), 400, "invalid_text"},
		{"too long by one", legalBody(t, "explain", strings.Repeat("é", 20_001)), 400, "invalid_text"},
		{"64 KB and more", legalBody(t, "explain", strings.Repeat("a", 64<<10)), 413, "body_too_large"},
	} {
		a := r.call("POST", legalPath, row.body, x402.HeaderSignature, header)
		wantStatus(t, a, row.status, row.name)
		problem := a.json(t)
		if problem["code"] != row.code || problem["charged"] != false || len(sprint(problem["detail"])) < 15 {
			t.Errorf("%s: %s", row.name, a.body)
		}
	}
	r.wantReceived(0, "after the refusals")

	longest := legalBody(t, "explain", strings.Repeat("é", 20_000))
	wantStatus(t, r.call("POST", legalPath, longest, x402.HeaderSignature, header), 200, "the longest text, with the same payment")
	r.wantReceived(250_000, "after one sale")
}

func TestLegalPrepSellsTheBytesOfTheCommand(t *testing.T) {
	r := startWith(t, t.TempDir(), lookup(map[string]string{"CERTIFICATION_ID": "cert-7"}))
	sold := r.call("POST", legalPath, legalBody(t, "doc_review", legalText), x402.HeaderSignature, r.payment("POST", legalPath))
	wantStatus(t, sold, 200, "a sale")
	last := strings.TrimRight(string(sold.body), "}\n")
	if !strings.HasSuffix(last, `a lawyer who knows your case and your place."`) {
		t.Errorf("the disclaimer is not the last member: %s", sold.body)
	}

	t.Setenv("CERTIFICATION_ID", "cert-7")
	file := filepath.Join(t.TempDir(), "agreement.txt")
	if err := os.WriteFile(file, []byte(legalText), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, _ := session(t, 0, "legal", "--mode", "doc_review", "--format", "json", file)

	var ours, theirs any
	if json.Unmarshal([]byte(printed), &ours) != nil || json.Unmarshal(sold.body, &theirs) != nil {
		t.Fatal("an answer is not JSON")
	}
	if strings.TrimSpace(printed) != strings.TrimSpace(string(sold.body)) {
		t.Errorf("the command prints\n%.400s\nthe product is\n%.400s", printed, sold.body)
	}
	if sold.json(t)["certification_id"] != "cert-7" {
		t.Error("the certified agent is not named")
	}
}
