package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// session runs a command line as a user would and returns what it printed.
func session(t *testing.T, want int, args ...string) (out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), terminal{in: strings.NewReader(""), out: &stdout, err: &stderr}, args)
	if status != want {
		t.Fatalf("governance %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), status, want, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

func TestNewcomerBuysALintAndVerifiesIt(t *testing.T) {
	r := start(t)
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(sampleConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes := session(t, 0, "pay", "POST", "/x402/audit-mcp", "-d", file, "-base", r.url, "-data", r.data, "-y")
	var result struct {
		Score    int
		Findings []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || result.Score != 59 || len(result.Findings) == 0 {
		t.Errorf("result %q (%v)", out, err)
	}
	if !strings.Contains(notes, "price 0.05 USD (50000 units") || !strings.Contains(notes, "receipt ") {
		t.Errorf("notes %q", notes)
	}
	r.wantReceived(50_000, "after the lint")
	key, _ := devPayer()
	if got := balance(t, r.service.paid.Chain, key.Address()).Int64(); got != 1_000_000_000-50_000 {
		t.Errorf("payer has %d units", got)
	}

	chain := filepath.Join(r.data, "governance.jsonl")
	out, _ = session(t, 0, "verify", "chain", chain)
	if !strings.Contains(out, "valid, 3 entries") || !strings.Contains(out, "auditMCP for 0.05 USD") {
		t.Errorf("verify chain: %s", out)
	}
	receipts, err := filepath.Glob(filepath.Join(r.data, "receipts", "*.json"))
	if err != nil || len(receipts) != 1 {
		t.Fatalf("receipts %v (%v)", receipts, err)
	}
	signer := r.service.paid.Gate.Site.Signer
	session(t, 0, "verify", "receipt", receipts[0], "-signer", signer, "-chain", chain)
	session(t, 1, "verify", "receipt", receipts[0], "-signer", key.Address())
	for _, change := range [][2]string{{`"amount": "50000"`, `"amount": "5000"`}, {`"seq": 3`, `"seq": 2`}, {`"method": "POST"`, `"method": "GET"`},
		{`"success": true`, `"success": false`}, {`"format": "eip712"`, `"format": "jws"`}, {`"target": "/x402/audit-mcp"`, `"target": "/x402/tip"`}, {`"amount": "50000"`, `"amount": "+50000"`}} {
		session(t, 1, "verify", "receipt", tampered(t, receipts[0], change[0], change[1]))
	}
}

// tampered copies a file with one text exchanged.
func tampered(t *testing.T, file, old, with string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %s", text, old)
	}
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestEveryPaidRouteIsBoughtByBothVersions(t *testing.T) {
	r := start(t)
	var want int64
	for _, e := range catalog.Endpoints {
		if !e.Paid() {
			continue
		}
		body := sampleOf(e)
		v2 := r.call(e.Method, e.Path, body, x402.HeaderSignature, r.payment(e.Method, e.Path))
		wantStatus(t, v2, 200, e.Path+" version 2")
		v1 := r.call(e.Method, e.Path, body, x402.HeaderPaymentV1, r.payment(e.Method, e.Path, toV1))
		wantStatus(t, v1, 200, e.Path+" version 1")
		if v2.header.Get(x402.HeaderResponse) == "" || v1.header.Get(x402.HeaderResponseV1) == "" || v1.header.Get(x402.HeaderResponse) != "" {
			t.Errorf("%s: receipts %v, %v", e.Path, v2.header, v1.header)
		}
		if cache := v2.header.Get("Cache-Control"); !strings.Contains(cache, "no-store") || !strings.Contains(cache, "private") {
			t.Errorf("%s: Cache-Control %q", e.Path, cache)
		}
		want += 2 * int64(e.Price)
	}
	r.wantReceived(want, "all routes twice")
}

func toV1(d *draft) {
	d.payload = x402.Payload{X402Version: 1, Scheme: "exact", Network: "base", Payload: d.payload.Payload}
}

func TestTipTermsFollowTheAmount(t *testing.T) {
	r := start(t)
	for query, units := range map[string]int64{"": 10_000, "?amount=0.01": 10_000, "?amount=2.5": 2_500_000, "?amount=0.010001": 10_001} {
		before := r.received().Int64()
		a := r.call("GET", "/x402/tip"+query, "", x402.HeaderSignature, r.payment("GET", "/x402/tip"+query))
		wantStatus(t, a, 200, query)
		if got := r.received().Int64() - before; got != units {
			t.Errorf("tip%s moved %d units, want %d", query, got, units)
		}
		var thanks struct {
			x402.Signed[x402.ThankYou]
			Signer string
		}
		if err := json.Unmarshal(a.body, &thanks); err != nil {
			t.Fatal(err)
		}
		signer, err := evm.RecoverTyped(thanks.Payload.Typed(), thanks.Signature)
		if err != nil || signer != thanks.Signer || signer != r.service.paid.Gate.Site.Signer || thanks.Payload.Amount != sprint(units) {
			t.Errorf("thank-you %+v, signer %s (%v)", thanks, signer, err)
		}
		file := filepath.Join(t.TempDir(), "thanks.json")
		if err := os.WriteFile(file, a.body, 0o600); err != nil {
			t.Fatal(err)
		}
		session(t, 0, "verify", "thanks", file, "-signer", signer)
		session(t, 1, "verify", "thanks", tampered(t, file, `"payer": "0x`, `"payer": "0y`))
	}
	good := r.payment("GET", "/x402/tip")
	for _, query := range []string{"amount=0", "amount=0.009", "amount=1000.01", "amount=-1", "amount=1e3", "amount=0.0100001", "amount=", "amount=x", "amount=1&amount=2"} {
		unpaid := r.call("GET", "/x402/tip?"+query, "")
		wantStatus(t, unpaid, 402, "unpaid "+query)
		paid := r.call("GET", "/x402/tip?"+query, "", x402.HeaderSignature, good)
		wantStatus(t, paid, 400, "paid "+query)
		if paid.json(t)["charged"] != false {
			t.Errorf("%s: %s", query, paid.body)
		}
	}
	wantStatus(t, r.call("GET", "/x402/tip", "", x402.HeaderSignature, good), 200, "the payment that was refused eight times")
}

func TestHundredEqualRequestsAreOneTransfer(t *testing.T) {
	for _, target := range []struct{ method, path, body string }{{"POST", "/x402/audit-mcp", sampleConfig}, {"GET", "/x402/verify-audit", ""}} {
		t.Run(target.method, func(t *testing.T) {
			r := start(t)
			header := r.payment(target.method, target.path)
			answers := make([]answer, 100)
			var wait sync.WaitGroup
			for i := range answers {
				wait.Go(func() {
					answers[i] = r.call(target.method, target.path, target.body, x402.HeaderSignature, header)
				})
			}
			wait.Wait()
			delivered := map[string]int{}
			for _, a := range answers {
				if a.status == 503 && a.header.Get("Retry-After") != "" {
					continue
				}
				delivered[fmt.Sprint(a.status, string(a.body), a.header.Get(x402.HeaderResponse))]++
			}
			if len(delivered) != 1 || settlements(t, r.data) != 1 {
				t.Errorf("%d different answers, %d settlements", len(delivered), settlements(t, r.data))
			}
			price, _ := catalog.Lookup(target.method, target.path)
			r.wantReceived(int64(price.Price), "a hundred requests")
		})
	}
}

func TestAnswerIsGivenAgainAfterARestart(t *testing.T) {
	data := t.TempDir()
	var first answer
	var header string
	t.Run("bought", func(t *testing.T) {
		r := startIn(t, data)
		// The same base URL must be quoted after the restart, so it is not part of the payload.
		header = r.payment("POST", "/x402/audit-mcp", func(d *draft) { d.payload.Resource = nil })
		first = r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
		wantStatus(t, first, 200, "first")
	})
	t.Run("again", func(t *testing.T) {
		r := startIn(t, data)
		again := r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
		wantStatus(t, again, 200, "again")
		if !bytes.Equal(first.body, again.body) || first.header.Get(x402.HeaderResponse) != again.header.Get(x402.HeaderResponse) {
			t.Error("the answer differs")
		}
		r.wantReceived(50_000, "the chain of the data directory")
	})
}

func TestPaymentStateTellsStateAndHashOnly(t *testing.T) {
	r := start(t)
	var nonce string
	header := r.payment("GET", "/x402/verify-audit", func(d *draft) { nonce = d.payload.Payload.Authorization.Nonce })
	wantStatus(t, r.call("GET", "/x402/payments/"+nonce, ""), 404, "before")
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header), 200, "pay")
	a := r.call("GET", "/x402/payments/"+strings.ToUpper(nonce[2:]), "")
	wantStatus(t, a, 400, "without 0x")
	state := r.call("GET", "/x402/payments/"+nonce, "").json(t)
	payment := state["payments"].([]any)[0].(map[string]any)
	if payment["state"] != "settled" || payment["transaction"] == "" {
		t.Errorf("state %v", state)
	}
	var names []string
	for name := range payment {
		names = append(names, name)
	}
	if len(names) != 4 {
		t.Errorf("the state tells %v", names)
	}
}

func TestReplayOfAnAnswerWithoutBodyEnds(t *testing.T) {
	r := start(t)
	header := r.payment("GET", "/x402/playbook/mcp-hardening")
	var first answer
	for i := range 3 {
		a := r.call("GET", "/x402/playbook/mcp-hardening", "", x402.HeaderSignature, header)
		wantStatus(t, a, 200, fmt.Sprint("delivery ", i+1))
		if i == 0 {
			first = a
		} else if !reflect.DeepEqual(first.body, a.body) {
			t.Error("the answers differ")
		}
	}
	time.Sleep(time.Second) // within it, a surplus request counts as one of many sent at once
	a := r.call("GET", "/x402/playbook/mcp-hardening", "", x402.HeaderSignature, header)
	wantStatus(t, a, 409, "fourth delivery")
	if a.json(t)["code"] != "already_delivered" {
		t.Errorf("%s", a.body)
	}
	other := r.call("GET", "/x402/playbook/x402-integration", "", x402.HeaderSignature, r.without(header))
	wantStatus(t, other, 402, "another route of the same price")
	if other.json(t)["error"] != x402.ReasonNonceUsed {
		t.Errorf("%s", other.body)
	}
}

// without removes the resource from a payment, as clients that echo only the
// accepted terms send it.
func (r *running) without(header string) string {
	r.Helper()
	var p x402.Payload
	if err := x402.DecodeHeader(header, &p); err != nil {
		r.Fatal(err)
	}
	p.Resource = nil
	encoded, err := x402.EncodeHeader(p)
	if err != nil {
		r.Fatal(err)
	}
	return encoded
}

func TestIdentifierRecoversTheAnswerAndConflictsWithAnotherPayload(t *testing.T) {
	r := start(t)
	name := func(d *draft) {
		d.payload.Extensions["payment-identifier"] = json.RawMessage(`{"info":{"required":false,"id":"pay_0123456789abcdef"}}`)
	}
	header := r.payment("GET", "/x402/verify-audit", name)
	for i := range 5 {
		wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header), 200, fmt.Sprint("delivery ", i+1))
	}
	a := r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, r.payment("GET", "/x402/verify-audit", name))
	wantStatus(t, a, 409, "another payload")
	if a.json(t)["code"] != "payment_identifier_conflict" || a.json(t)["charged"] != false {
		t.Errorf("%s", a.body)
	}
	r.wantReceived(5000, "one identifier")
}

// A price or an address that changes while a buyer waits is nothing to him.
func TestWhoPaidByTheOldTermsGetsHisAnswer(t *testing.T) {
	r := start(t)
	header := r.payment("POST", "/x402/audit-mcp")
	first := r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
	wantStatus(t, first, 200, "purchase")
	gate := r.service.paid.Gate
	unspent := r.payment("POST", "/x402/audit-mcp")
	payTo := gate.Site.PayTo
	gate.Site.PayTo = otherSeller
	again := r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
	if again.status != 200 || string(again.body) != string(first.body) {
		t.Errorf("%d %s", again.status, again.body)
	}
	refused := r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, unspent)
	if refused.status != 402 || !strings.Contains(string(refused.body), otherSeller) {
		t.Errorf("a payment to the old address that was never used: %d %s", refused.status, refused.body)
	}
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header), 402, "the payment of another product")
	gate.Site.PayTo = payTo
	r.wantReceived(50_000, "one purchase")
}
