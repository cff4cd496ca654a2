package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/audit"
	"governance.internal/shared/payments"
	"governance.internal/shared/porttest"
	"governance.internal/shared/x402"
)

func TestTheLedgerAgreesWithTheChain(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	for range 3 {
		r.buy("GET", "/x402/tip", "")
	}
	r.buy("POST", "/x402/audit-mcp", sampleConfig)
	out, _ := session(t, 0, "ledger", "-data", data) // while the service runs
	if !strings.Contains(out, "3 x tip") || !strings.Contains(out, "1 x auditMCP") || !strings.Contains(out, "0.08 USD settled") {
		t.Error(out)
	}
	out, _ = session(t, 0, "ledger", "-data", data, "-jsonl", "-")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines\n%s", len(lines), out)
	}
	for _, text := range lines {
		var line ledgerLine
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Status != statusSettled || line.Block == 0 || line.Nonce == "" || line.Time == "" {
			t.Errorf("%s (%v)", text, err)
		}
	}
}

// The books go on when the seller changes his address.
func TestTheLedgerKnowsAnEarlierAddress(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	r.buy("GET", "/x402/tip", "")
	t.Setenv("PAY_TO", otherSeller)
	if out, _ := session(t, 0, "ledger", "-data", data); !strings.Contains(out, "1 x tip") {
		t.Error(out)
	}
}

func TestADifferenceOfTheLedgerIsAnAlarm(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	r.buy("GET", "/x402/tip", "")
	r.bypass(r.payment("GET", "/x402/tip"))
	export := filepath.Join(t.TempDir(), "ledger.jsonl")
	out, notes := session(t, 1, "ledger", "-data", data, "-jsonl", export)
	if !strings.Contains(notes, "0 settlements of the audit trail have no transfer on the chain, 1 transfers") || !strings.Contains(out, statusNoEntry) {
		t.Errorf("a transfer without an entry: %s%s", out, notes)
	}
	if text, err := os.ReadFile(export); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("exported %s (%v)", text, err)
	}

	_, err := r.service.paid.Audit.Append(t.Context(), audit.Event{ID: "forged", Actor: "0x" + strings.Repeat("1", 40), Type: x402.EventSettled,
		Payload: map[string]any{"product": "tip", "amount": 10_000, "transaction": "0x" + strings.Repeat("2", 64)}})
	if err != nil {
		t.Fatal(err)
	}
	out, notes = session(t, 1, "ledger", "-data", data)
	if !strings.Contains(notes, "1 settlements of the audit trail have no transfer") || !strings.Contains(out, statusNoMoney) {
		t.Errorf("an entry without a transfer: %s%s", out, notes)
	}
}

// Anybody can make the token tell of transfers of nothing, in anybody's name.
func TestATransferOfNothingIsNoAlarm(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	r.buy("GET", "/x402/tip", "")
	stranger, err := parseKey(devchain.GasKey)
	if err != nil {
		t.Fatal(err)
	}
	p := payments.Payment{Network: "eip155:8453", Asset: r.service.config.Asset, Payer: stranger.Address(), PayTo: r.service.config.PayTo,
		ValidBefore: uint64(time.Now().Unix()) + 60, Nonce: "0x" + strings.Repeat("7", 64)}
	if p.Signature, err = stranger.Authorize(mustToken(t), p); err != nil {
		t.Fatal(err)
	}
	r.carryOut(p)
	if out, notes := session(t, 0, "ledger", "-data", data); !strings.Contains(out, "1 x tip") || notes != "" {
		t.Errorf("%s%s", out, notes)
	}
}

func TestTheLedgerOfAStoppedService(t *testing.T) {
	data := t.TempDir()
	p := spawn(t, data, porttest.Address(t), "", "")
	if paid, err := buyOnce(p.url); err != nil || !paid {
		t.Fatal(paid, err)
	}
	p.kill() // leaves the address of its chain behind
	if out, _ := session(t, 0, "ledger", "-data", data); !strings.Contains(out, "1 x verifyAudit") {
		t.Error(out)
	}
	session(t, 3, "ledger", "-data", t.TempDir())
	session(t, 2, "ledger", "all")
	session(t, 2, "ledger", "-from", "x")
	session(t, 2, "ledger", "-data", data, "-jsonl", "/no/such/folder/x")
}

func (r *running) buy(method, path, body string) {
	r.Helper()
	wantStatus(r.T, r.call(method, path, body, x402.HeaderSignature, r.payment(method, path)), 200, path)
}

// bypass carries a payment out without the service.
func (r *running) bypass(header string) {
	r.Helper()
	payload, err := x402.ParsePayload(header)
	if err != nil {
		r.Fatal(err)
	}
	a := payload.Payload.Authorization
	number := func(text string) (n uint64) {
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			r.Fatal(err)
		}
		return n
	}
	r.carryOut(payments.Payment{Network: "eip155:8453", Asset: r.service.config.Asset, Payer: a.From, PayTo: a.To, Amount: int64(number(a.Value)),
		ValidAfter: number(a.ValidAfter), ValidBefore: number(a.ValidBefore), Nonce: a.Nonce, Signature: payload.Payload.Signature})
}

// carryOut sends a payment from a stranger's wallet.
func (r *running) carryOut(p payments.Payment) {
	r.Helper()
	chain := r.service.paid.Chain
	wallet, err := parseKey(devchain.PayToKey)
	if err != nil {
		r.Fatal(err)
	}
	fees, err := chain.Fees(r.Context(), wallet, p)
	if err != nil {
		r.Fatal(err)
	}
	nonce, err := chain.WalletNonce(r.Context(), wallet)
	if err != nil {
		r.Fatal(err)
	}
	signed, err := chain.SignTransfer(r.Context(), wallet, p, fees, nonce, "")
	if err != nil {
		r.Fatal(err)
	}
	if err := chain.Send(r.Context(), signed); err != nil {
		r.Fatal(err)
	}
}
