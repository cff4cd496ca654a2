package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/payments"
	"governance.internal/shared/porttest"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// otherSeller is a third-party seller that settles through us.
const otherSeller = "0x000000000000000000000000000000000000bEEF"

// invoice is the body of verify and settle, to be changed before it is sent.
type invoice struct {
	X402Version         int            `json:"x402Version"`
	PaymentPayload      map[string]any `json:"paymentPayload"`
	PaymentRequirements map[string]any `json:"paymentRequirements"`
}

// terms of a seller elsewhere; nothing in them is of our catalogue.
func terms(units int64) map[string]any {
	return map[string]any{
		"scheme": "exact", "network": "eip155:8453", "amount": fmt.Sprint(units), "asset": devchain.TokenAddress.Hex(),
		"payTo": otherSeller, "maxTimeoutSeconds": 300, "extra": map[string]any{"name": "USD Coin", "version": "2"},
	}
}

// invoiceOf is a payment of some units by the holder of a key, good for 300
// seconds.
func invoiceOf(t *testing.T, private string, units int64) invoice {
	t.Helper()
	payer, err := evm.ParseKey(private)
	if err != nil {
		t.Fatal(err)
	}
	token := mustToken(t)
	var nonce [32]byte
	rand.Read(nonce[:])
	p := payments.Payment{Payer: payer.Address(), PayTo: otherSeller, Amount: units,
		ValidBefore: uint64(time.Now().Unix()) + 300, Nonce: "0x" + hex.EncodeToString(nonce[:])}
	signature, err := payer.Authorize(token, p)
	if err != nil {
		t.Fatal(err)
	}
	return invoice{
		X402Version: 2, PaymentRequirements: terms(units),
		PaymentPayload: map[string]any{
			"x402Version": 2, "accepted": terms(units), "resource": map[string]any{"url": "http://elsewhere.example/report"},
			"extensions": map[string]any{"unheard-of": []int{1}}, "surprise": true,
			"payload": map[string]any{"signature": signature, "authorization": map[string]any{
				"from": p.Payer, "to": p.PayTo, "value": fmt.Sprint(units), "validAfter": "0",
				"validBefore": fmt.Sprint(p.ValidBefore), "nonce": p.Nonce,
			}},
		},
	}
}

// v1 is the same payment in the shapes of version 1.
func (i invoice) v1() invoice {
	want := i.PaymentRequirements
	want["network"], want["maxAmountRequired"], want["resource"] = "base", want["amount"], "http://elsewhere.example/report"
	delete(want, "amount")
	i.X402Version = 1
	i.PaymentPayload = map[string]any{"x402Version": 1, "scheme": "exact", "network": "base", "payload": i.PaymentPayload["payload"]}
	return i
}

func (i invoice) json(t *testing.T) string {
	t.Helper()
	body, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func (r *running) settle(i invoice) (a answer, s x402.SettleResponse) {
	r.Helper()
	a = r.call("POST", "/facilitator/settle", i.json(r.T))
	wantStatus(r.T, a, 200, "settle")
	if err := json.Unmarshal(a.body, &s); err != nil {
		r.Fatal(err)
	}
	return a, s
}

// settledAnswers returns the answers to many concurrent settles of one payment. A submitter
// whose answer asks for a retry retries, as sellers do, so a slow machine does not fail
// the test.
func (r *running) settledAnswers(i invoice, many int) []string {
	r.Helper()
	body, answers := i.json(r.T), make([]string, many)
	var wait sync.WaitGroup
	for n := range answers {
		wait.Go(func() {
			for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
				a := r.call("POST", "/facilitator/settle", body)
				if answers[n] = string(a.body); a.status == 200 && !strings.Contains(answers[n], x402.ReasonPending) {
					return
				}
			}
		})
	}
	wait.Wait()
	return answers
}

func (r *running) wantOtherSellerHas(units int64) {
	r.Helper()
	if got := balance(r.T, r.service.paid.Chain, otherSeller).Int64(); got != units {
		r.Errorf("the other seller has %d units, want %d", got, units)
	}
}

func TestFacilitatorSettlesForSellersElsewhere(t *testing.T) {
	r := start(t)
	for version, i := range map[int]invoice{2: invoiceOf(t, devchain.PayerKey, 70), 1: invoiceOf(t, devchain.PayerKey, 70).v1()} {
		before := balance(t, r.service.paid.Chain, otherSeller).Int64()
		verified := r.call("POST", "/facilitator/verify", i.json(t))
		wantStatus(t, verified, 200, "verify")
		if v := verified.json(t); v["isValid"] != true || !strings.EqualFold(v["payer"].(string), devchain.Payer.Hex()) {
			t.Errorf("version %d: verify says %s", version, verified.body)
		}
		first, s := r.settle(i)
		network := map[int]string{1: "base", 2: "eip155:8453"}[version]
		if !s.Success || s.Network != network || len(s.Transaction) != 66 || s.Amount != "70" {
			t.Errorf("version %d: settle says %s", version, first.body)
		}
		r.wantOtherSellerHas(before + 70)
		if again, s := r.settle(i); s.Success || s.ErrorReason != x402.ReasonNonceUsed {
			t.Errorf("version %d: a second sale gets %s", version, again.body)
		}
		r.wantOtherSellerHas(before + 70)
		if v := r.call("POST", "/facilitator/verify", i.json(t)).json(t); v["invalidReason"] != x402.ReasonNonceUsed {
			t.Errorf("version %d: a spent payment verifies as %v", version, v)
		}
	}
	r.wantReceived(0, "nothing of it")
	if n := settlements(t, r.data); n != 0 {
		t.Errorf("%d sales of others are in our audit chain", n)
	}
}

// A seller that serves many equal requests settles each of them, and delivers for each
// success.
func TestOneOfFiftyEqualSettlesHearsSuccess(t *testing.T) {
	r := start(t)
	wantOneSuccess(t, r.settledAnswers(invoiceOf(t, devchain.PayerKey, 70), 50))
	r.wantOtherSellerHas(70)
}

func wantOneSuccess(t *testing.T, answers []string) {
	t.Helper()
	successes := 0
	for n, a := range answers {
		switch {
		case strings.Contains(a, `"success": true`):
			successes++
		case !strings.Contains(a, x402.ReasonNonceUsed):
			t.Errorf("answer %d: %s", n, a)
		}
	}
	if successes != 1 {
		t.Errorf("%d of %d submitters got success, want 1", successes, len(answers))
	}
}

// The key says that it is the same sale that asks again.
func TestASubmitterThatNamesItselfHearsTheFirstAnswerAgain(t *testing.T) {
	r := start(t)
	i := invoiceOf(t, devchain.PayerKey, 70)
	ask := func(key string) answer {
		return r.call("POST", "/facilitator/settle", i.json(t), "Idempotency-Key", key)
	}
	first := ask("sale-1")
	if !strings.Contains(string(first.body), `"success": true`) {
		t.Fatalf("%s", first.body)
	}
	if again := ask("sale-1"); string(again.body) != string(first.body) {
		t.Errorf("the same sale gets %s", again.body)
	}
	for _, other := range []string{"sale-2", "", strings.Repeat("x", 300)} {
		if a := ask(other); !strings.Contains(string(a.body), x402.ReasonNonceUsed) {
			t.Errorf("another sale (%.10q) gets %s", other, a.body)
		}
	}
	r.wantOtherSellerHas(70)
}

// A submitter that left before its answer delivered nothing, so that the next one is no
// second sale.
func TestASubmitterThatHungUpHasHeardNothing(t *testing.T) {
	r := start(t)
	i := invoiceOf(t, devchain.PayerKey, 70)
	ctx, hangUp := context.WithCancel(t.Context())
	leave := func(name string) {
		if name == "mined" {
			hangUp()
			time.Sleep(2 * time.Second) // until the server has received it, also on a busy machine
		}
	}
	r.step.Store(&leave)
	request, err := http.NewRequestWithContext(ctx, "POST", r.url+"/facilitator/settle", strings.NewReader(i.json(t)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		t.Fatal("the submitter did not leave")
	}
	r.step.Store(nil)
	wantOneSuccess(t, r.settledAnswers(i, 5))
	r.wantOtherSellerHas(70)
}

func TestFacilitatorSaysWhyAPaymentIsInvalid(t *testing.T) {
	r := start(t)
	authorization := func(i invoice) map[string]any {
		return i.PaymentPayload["payload"].(map[string]any)["authorization"].(map[string]any)
	}
	for name, tc := range map[string]struct {
		payer  string
		change func(invoice)
		reason string
	}{
		"scheme":      {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["scheme"] = "upto" }, x402.ReasonScheme},
		"network":     {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["network"] = "eip155:1" }, x402.ReasonNetwork},
		"accepted":    {devchain.PayerKey, func(i invoice) { i.PaymentPayload["accepted"].(map[string]any)["network"] = "eip155:1" }, x402.ReasonNetwork},
		"asset":       {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["asset"] = otherSeller }, x402.ReasonRequirements},
		"domain":      {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["extra"] = nil }, x402.ReasonRequirements},
		"no amount":   {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["amount"] = "0" }, x402.ReasonRequirements},
		"amount":      {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["amount"] = "71" }, x402.ReasonValue},
		"payTo":       {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["payTo"] = devchain.PayTo.Hex() }, x402.ReasonRecipient},
		"no address":  {devchain.PayerKey, func(i invoice) { i.PaymentRequirements["payTo"] = "" }, x402.ReasonRecipient},
		"signature":   {devchain.PayerKey, func(i invoice) { authorization(i)["nonce"] = "0x" + strings.Repeat("07", 32) }, x402.ReasonSignature},
		"poor payer":  {devchain.GasKey, func(invoice) {}, x402.ReasonFunds},
		"permit2":     {devchain.PayerKey, func(i invoice) { delete(i.PaymentPayload["payload"].(map[string]any), "authorization") }, x402.ReasonPayloadType},
		"not a value": {devchain.PayerKey, func(i invoice) { authorization(i)["value"] = "many" }, x402.ReasonPayload},
	} {
		i := invoiceOf(t, tc.payer, 70)
		tc.change(i)
		verified := r.call("POST", "/facilitator/verify", i.json(t))
		wantStatus(t, verified, 200, name)
		if v := verified.json(t); v["isValid"] != false || v["invalidReason"] != tc.reason {
			t.Errorf("%s: verify says %s, want %s", name, verified.body, tc.reason)
		}
		if a, s := r.settle(i); s.Success || s.ErrorReason != tc.reason || s.Transaction != "" {
			t.Errorf("%s: settle says %s, want %s", name, a.body, tc.reason)
		}
	}
	r.wantOtherSellerHas(0)
}

func TestFacilitatorRefusesWhatIsNoRequest(t *testing.T) {
	r := start(t)
	good := invoiceOf(t, devchain.PayerKey, 70).json(t)
	for name, tc := range map[string]struct {
		body   string
		header []string
		status int
	}{
		"no JSON":         {"{", nil, 400},
		"a list":          {"[]", nil, 400},
		"no payload":      {`{"paymentRequirements":{}}`, nil, 400},
		"no requirements": {`{"paymentPayload":{}}`, nil, 400},
		"another type":    {`{"paymentPayload":7,"paymentRequirements":{}}`, nil, 400},
		"too long":        {good + strings.Repeat(" ", 64<<10), nil, 413},
		"a form":          {good, []string{"Content-Type", "text/plain"}, 415},
		"a web page":      {good, []string{"Origin", "http://evil.example"}, 403},
	} {
		for _, path := range []string{"/facilitator/verify", "/facilitator/settle"} {
			wantStatus(t, r.call("POST", path, tc.body, tc.header...), tc.status, name+" to "+path)
		}
	}
	r.wantOtherSellerHas(0)
	supported := r.call("GET", "/facilitator/supported", "").json(t)
	want := "[map[network:eip155:8453 scheme:exact x402Version:2] map[network:base scheme:exact x402Version:1]]"
	if got := fmt.Sprint(supported["kinds"]); got != want {
		t.Errorf("supported kinds %s", got)
	}
	if got := fmt.Sprint(supported["signers"]); got != "map[eip155:*:["+devchain.GasWallet.Hex()+"]]" {
		t.Errorf("signers %s", got)
	}
}

// The gate's payments are none of the facilitator's business, and the other way
// round: who brings an authorization first has it.
func TestGateAndFacilitatorKeepTheirPaymentsApart(t *testing.T) {
	r := start(t)
	header := r.payment("GET", "/x402/verify-audit")
	var payload map[string]any
	if err := x402.DecodeHeader(header, &payload); err != nil {
		t.Fatal(err)
	}
	toUs := invoice{2, payload, payload["accepted"].(map[string]any)}

	paid := r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header)
	wantStatus(t, paid, 200, "bought")
	if a, s := r.settle(toUs); s.Success || s.ErrorReason != x402.ReasonNonceUsed || s.Transaction != "" {
		t.Errorf("the gate's payment settles as %s", a.body)
	}
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header), 200, "the buyer's own second look")

	header = r.payment("GET", "/x402/verify-audit")
	if err := x402.DecodeHeader(header, &payload); err != nil {
		t.Fatal(err)
	}
	if a, s := r.settle(invoice{2, payload, payload["accepted"].(map[string]any)}); !s.Success {
		t.Fatalf("settle says %s", a.body)
	}
	refused := r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header)
	wantStatus(t, refused, 402, "bought with a payment that the facilitator settled")
	if reason := refused.json(t)["error"]; reason != x402.ReasonNonceUsed {
		t.Errorf("reason %v", reason)
	}
	if n := settlements(t, r.data); n != 1 {
		t.Errorf("%d sales are recorded", n)
	}
}

// The wallet's gas is for this machine only.
func TestFacilitatorIsServedOnLoopbackOnly(t *testing.T) {
	r := start(t)
	for address, want := range map[string]bool{"127.0.0.1": true, "::1": true, "0.0.0.0": false, "192.0.2.1": false} {
		if got := r.service.facilitator(&net.TCPAddr{IP: net.ParseIP(address), Port: 8402}); (len(got) > 0) != want {
			t.Errorf("on %s: %d routes", address, len(got))
		}
	}
}

// stuck is a facilitator with a set answer to Settle.
type stuck struct {
	payments.Facilitator
	err error
}

func (s stuck) Settle(context.Context, payments.Payment, payments.Journal) (payments.Settlement, error) {
	return payments.Settlement{}, s.err
}

func TestFacilitatorTellsAnUnknownOutcomeFromAFailure(t *testing.T) {
	r := start(t)
	machine := r.service.paid.Gate.Machine
	chain := machine.Facilitator
	i := invoiceOf(t, devchain.PayerKey, 70)
	machine.Facilitator = stuck{chain, &payments.Pending{Transaction: "0x07"}}
	if a, s := r.settle(i); s.Success || s.ErrorReason != x402.ReasonPending || s.Transaction != "0x07" || s.Network != "eip155:8453" {
		t.Errorf("pending: %s", a.body)
	}
	machine.Facilitator = unreachable(t, r)
	for _, path := range []string{"/facilitator/verify", "/facilitator/settle"} {
		a := r.call("POST", path, invoiceOf(t, devchain.PayerKey, 7).json(t))
		if wantStatus(t, a, 503, path); a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	machine.Facilitator = chain
	if a, s := r.settle(i); !s.Success {
		t.Errorf("resumed: %s", a.body)
	}
	machine.Facilitator = stuck{chain, &payments.Rejected{Reason: "invalid_transaction_state", Transaction: "0x08"}}
	failing := invoiceOf(t, devchain.PayerKey, 7)
	for range 2 {
		if a, s := r.settle(failing); s.Success || s.ErrorReason != "invalid_transaction_state" || s.Transaction != "0x08" && s.Transaction != "" {
			t.Errorf("rejected: %s", a.body)
		}
	}
	machine.Facilitator = stuck{chain, errors.New("no gas")}
	wantStatus(t, r.call("POST", "/facilitator/settle", invoiceOf(t, devchain.PayerKey, 7).json(t)), 503, "nothing was sent")
	r.wantOtherSellerHas(70)
}

func TestFacilitatorKilledAtAnyStepSettlesOnce(t *testing.T) {
	for _, step := range []string{"reserved", "signed", "sent", "recorded"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			chain, data, addr := newChain(t), t.TempDir(), porttest.Address(t)
			dying := spawn(t, data, addr, chain.URL(), step)
			body := invoiceOf(t, devchain.PayerKey, 70).json(t)
			if res, err := http.Post(dying.url+"/facilitator/settle", "application/json", strings.NewReader(body)); err == nil {
				_ = res.Body.Close()
				t.Fatalf("the service survived step %s with %d", step, res.StatusCode)
			}
			dying.kill()
			again := spawn(t, data, addr, chain.URL(), "")
			var a answer
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) { // until the lease of the dead process ends
				if a = call(t, again.url, "POST", "/facilitator/settle", body); a.json(t)["errorReason"] != x402.ReasonPending {
					break
				}
			}
			if a.json(t)["success"] != true {
				t.Errorf("after the restart: %s", a.body)
			}
			c, err := evm.Dial(mustToken(t), []string{chain.URL()})
			if err != nil {
				t.Fatal(err)
			}
			if got := balance(t, c, otherSeller).Int64(); got != 70 {
				t.Errorf("the other seller has %d units", got)
			}
		})
	}
}

func mustToken(t *testing.T) evm.Token {
	t.Helper()
	token, err := evm.NewToken("eip155:8453", devchain.TokenAddress.Hex(), "USD Coin", "2")
	if err != nil {
		t.Fatal(err)
	}
	return token
}
