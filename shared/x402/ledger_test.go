package x402_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/audit"
	auditmemory "governance.internal/shared/audit/memory"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// watched is an audit chain that remembers the entries it gave out.
type watched struct {
	audit.Store
	entries []audit.Entry
}

func (w *watched) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	entries, err := w.Store.Append(ctx, events...)
	w.entries = append(w.entries, entries...)
	return entries, err
}

func newLedger(t *testing.T) (x402.Ledger, *watched) {
	t.Helper()
	store, err := auditmemory.New("governance", auditmemory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chain := &watched{Store: store}
	return x402.Ledger{Chain: chain, Name: "governance", Signer: signer(t),
		Ruleset: func(product string) string { return product + "-rules-7" }}, chain
}

func settledRecord() payments.Record {
	return payments.Record{
		State: payments.Settled,
		Payment: payments.Payment{Network: "eip155:8453", Asset: "0xa5", PayTo: "0x9a", Payer: "0x1563915e194d8cfba1943570603f7606a3115508",
			Amount: 50_000, Nonce: "0x" + strings.Repeat("0a", 32)},
		Request: payments.Request{Product: "auditMCP", Resource: "https://shop.example/x402/audit-mcp",
			Fingerprint: "0x" + strings.Repeat("fe", 32), X402Version: 2},
		Result:     &payments.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte("{}\n")},
		Settlement: &payments.Settlement{Transaction: "0x" + strings.Repeat("7a", 32), Block: 9, LogIndex: 1},
		SettledAt:  time.Unix(1_790_000_000, 0),
	}
}

// digestOfResult is what sha256sum says of the body.
const digestOfResult = "0xca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"

// response is the decoded PAYMENT-RESPONSE.
type response struct {
	x402.SettleResponse
	Extensions struct {
		Offers   x402.OfferReceipt      `json:"offer-receipt"`
		Evidence x402.EvidenceExtension `json:"governance-evidence"`
	} `json:"extensions"`
}

func decode(t *testing.T, answer payments.Answer, header string) response {
	t.Helper()
	var r response
	if err := x402.DecodeHeader(answer.Header.Get(header), &r); err != nil {
		t.Fatalf("%s: %v", header, err)
	}
	return r
}

func settle(t *testing.T, l x402.Ledger, r payments.Record) payments.Answer {
	t.Helper()
	answer, err := l.Settled(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestReceiptAndEvidenceVerifyOffline(t *testing.T) {
	ledger, chain := newLedger(t)
	record := settledRecord()
	answer := settle(t, ledger, record)
	if answer.Status != 200 || string(answer.Body) != "{}\n" || answer.Header.Get("Content-Type") != "application/json" {
		t.Errorf("answer %d %s %v", answer.Status, answer.Body, answer.Header)
	}
	if cache := answer.Header.Get("Cache-Control"); cache != "private, no-store" {
		t.Errorf("Cache-Control %q", cache)
	}
	if record.Result.Header.Get(x402.HeaderResponse) != "" {
		t.Error("the stored result was changed")
	}
	got, entry := decode(t, answer, x402.HeaderResponse), chain.entries[0]
	if !got.Success || got.Transaction != record.Settlement.Transaction || got.Network != "eip155:8453" || got.Amount != "50000" || got.Payer != record.Payment.Payer {
		t.Errorf("settlement %+v", got.SettleResponse)
	}
	receipt, evidence := got.Extensions.Offers.Info.Receipt, got.Extensions.Evidence.Info
	wantReceipt := x402.Receipt{Version: 1, Network: "eip155:8453", ResourceURL: record.Request.Resource, Payer: record.Payment.Payer,
		IssuedAt: 1_790_000_000, Transaction: record.Settlement.Transaction}
	wantEvidence := x402.Evidence{Version: 1, Product: "auditMCP", Ruleset: "auditMCP-rules-7", RequestDigest: record.Request.Fingerprint,
		ResultDigest: digestOfResult, PaymentNonce: record.Payment.Nonce, Transaction: record.Settlement.Transaction,
		Chain: "governance", Seq: entry.Seq, EntryHash: "0x" + entry.Hash.String(), IssuedAt: 1_790_000_000}
	if receipt.Payload != wantReceipt || evidence.Payload != wantEvidence || entry.Seq != 2 {
		t.Errorf("receipt %+v\nevidence %+v", receipt.Payload, evidence.Payload)
	}
	for name, signed := range map[string]struct {
		data      x402.TypedData
		signature string
	}{"receipt": {receipt.Payload.Typed(), receipt.Signature}, "evidence": {evidence.Payload.Typed(), evidence.Signature}} {
		if who, err := evm.RecoverTyped(signed.data, signed.signature); err != nil || who != signer(t).Address() {
			t.Errorf("the %s is signed by %s (%v)", name, who, err)
		}
	}
	if who, _ := evm.RecoverTyped(evidence.Payload.Typed(), receipt.Signature); who == signer(t).Address() {
		t.Error("the receipt's signature covers the evidence too")
	}
}

func TestTheEntryTellsWhatWasPaidForWhat(t *testing.T) {
	ledger, chain := newLedger(t)
	record := settledRecord()
	settle(t, ledger, record)
	entry := chain.entries[0]
	var payload map[string]any
	if err := json.Unmarshal(entry.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"product": "auditMCP", "resource": record.Request.Resource, "network": "eip155:8453", "asset": "0xa5", "pay_to": "0x9a",
		"amount": 50_000.0, "nonce": record.Payment.Nonce, "transaction": record.Settlement.Transaction,
		"request_digest": record.Request.Fingerprint, "result_digest": digestOfResult,
	}
	if entry.Event != x402.EventSettled || entry.Actor != record.Payment.Payer || !reflect.DeepEqual(payload, want) {
		t.Errorf("%s by %s: %v", entry.Event, entry.Actor, payload)
	}
}

func TestASettlementIsRecordedOnceHoweverOftenItIsTried(t *testing.T) {
	ledger, chain := newLedger(t)
	first := settle(t, ledger, settledRecord())
	late := settledRecord()
	late.SettledAt = late.SettledAt.Add(time.Hour) // the process died before it stored the reply
	again := settle(t, ledger, late)
	if a, b := decode(t, first, x402.HeaderResponse), decode(t, again, x402.HeaderResponse); a.Extensions.Evidence.Info.Payload.EntryHash != b.Extensions.Evidence.Info.Payload.EntryHash {
		t.Error("the evidence names two entries")
	}
	other := settledRecord()
	other.Payment.Nonce = "0x" + strings.Repeat("0b", 32)
	settle(t, ledger, other)
	var seqs []uint64
	for _, e := range chain.entries {
		seqs = append(seqs, e.Seq)
	}
	if head, err := chain.Head(t.Context()); err != nil || head.Seq != 3 || !slices.Equal(seqs, []uint64{2, 2, 3}) {
		t.Errorf("entries %v, head %d (%v), want 2, 2 and 3", seqs, head.Seq, err)
	}
}

func TestARefusalIsRecordedOnceForAReason(t *testing.T) {
	ledger, chain := newLedger(t)
	for _, reason := range []string{"delivered", "delivered", "other_request"} {
		if err := ledger.Refused(t.Context(), settledRecord(), reason); err != nil {
			t.Fatal(err)
		}
	}
	head, err := chain.Head(t.Context())
	if err != nil || head.Seq != 3 || chain.entries[0].Event != x402.EventRefused {
		t.Errorf("head %d (%v), first %s", head.Seq, err, chain.entries[0].Event)
	}
}

func TestVersion1NamesItsNetworkInTheHeaderOnly(t *testing.T) {
	ledger, chain := newLedger(t)
	record := settledRecord()
	record.Request.X402Version = 1
	answer := settle(t, ledger, record)
	if answer.Header.Get(x402.HeaderResponse) != "" {
		t.Error("a version 1 buyer got a version 2 header")
	}
	got := decode(t, answer, x402.HeaderResponseV1)
	if got.Network != "base" || got.Extensions.Offers.Info.Receipt.Payload.Network != "eip155:8453" {
		t.Errorf("header network %s, receipt network %s", got.Network, got.Extensions.Offers.Info.Receipt.Payload.Network)
	}
	if !strings.Contains(string(chain.entries[0].Payload), `"network":"eip155:8453"`) {
		t.Errorf("entry %s", chain.entries[0].Payload)
	}
}

// brokenSigner cannot reach its key.
type brokenSigner struct{}

func (brokenSigner) Address() string                     { return "0x" }
func (brokenSigner) Sign(x402.TypedData) (string, error) { return "", errors.New("no key") }

func TestWithoutEntryOrSignatureThereIsNoReply(t *testing.T) {
	ledger, _ := newLedger(t)
	ledger.Signer = brokenSigner{}
	if answer, err := ledger.Settled(t.Context(), settledRecord()); err == nil {
		t.Errorf("unsigned reply %v", answer)
	}
	ledger, _ = newLedger(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answer, err := ledger.Settled(ctx, settledRecord()); err == nil {
		t.Errorf("reply without an entry %v", answer)
	}
}
