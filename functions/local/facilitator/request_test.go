package facilitator

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Every request of a seller is a payment, an invalid payment, or a bad request.
func FuzzRequest(f *testing.F) {
	s := &service{token: catalog.Site{
		Network: "eip155:8453", Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", AssetName: "USD Coin", AssetVersion: "2",
	}}
	requirements := `"paymentRequirements":{"scheme":"exact","network":"eip155:8453","amount":"5","asset":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
		"payTo":"0x00000000000000000000000000000000000000aa","extra":{"name":"USD Coin","version":"2"}}`
	payload := `"payload":{"signature":"0x07","authorization":{"from":"0x00000000000000000000000000000000000000bb","to":"0x00000000000000000000000000000000000000AA",
		"value":"5","validAfter":"0","validBefore":"9","nonce":"0x0000000000000000000000000000000000000000000000000000000000000007"}}`
	f.Add(`{"paymentPayload":{"accepted":{"scheme":"exact","network":"eip155:8453"},` + payload + `},` + requirements + `}`)
	f.Add(`{"paymentPayload":{"scheme":"exact","network":"base",` + payload + `},` +
		strings.NewReplacer("eip155:8453", "base", `"amount"`, `"maxAmountRequired"`).Replace(requirements) + `}`)
	f.Add(`{"paymentPayload":{"payload":{}},` + requirements + `}`)
	f.Add(`{"paymentPayload":null,"paymentRequirements":{"extra":[]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		req, err := readRequest(httptest.NewRequest("POST", "/", strings.NewReader(body)))
		var known *httpapi.Error
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("%q: %v", body, err)
		}
		if err != nil {
			return
		}
		p, err := s.payment(req)
		var invalid *payments.Invalid
		switch {
		case errors.As(err, &invalid):
		case err != nil:
			t.Fatalf("%q: %v", body, err)
		case p.Amount <= 0 || p.Network != s.token.Network || !strings.EqualFold(p.PayTo, req.PaymentRequirements.PayTo) ||
			p.Asset != strings.ToLower(s.token.Asset) || order(p, 2).PayloadHash == order(p, 2).Request.Fingerprint:
			t.Fatalf("%q: accepted as %+v", body, p)
		}
	})
}

func TestBothVersionsOfARequestAreThePayment(t *testing.T) {
	s := &service{token: catalog.Site{Network: "eip155:8453", Asset: "0xA", AssetName: "n", AssetVersion: "v"}}
	authorization := &x402.Authorization{From: "0x" + strings.Repeat("b", 40), To: "0x" + strings.Repeat("c", 40),
		Value: "5", ValidAfter: "0", ValidBefore: "9", Nonce: "0x" + strings.Repeat("d", 64)}
	want := requirements{Requirements: x402.Requirements{Scheme: "exact", Network: "eip155:8453", Amount: "5", Asset: "0xa",
		PayTo: authorization.To, Extra: map[string]any{"name": "n", "version": "v"}}}
	exact := x402.ExactPayload{Signature: "0x07", Authorization: authorization}
	v2, err := s.payment(request{&x402.Payload{Accepted: &want.Requirements, Payload: exact}, &want})
	if err != nil {
		t.Fatal(err)
	}
	old := want
	old.Network, old.Amount, old.MaxAmountRequired = "base", "", "5"
	v1, err := s.payment(request{&x402.Payload{Scheme: "exact", Network: "base", Payload: exact}, &old})
	if err != nil || v1 != v2 {
		t.Errorf("version 1 is %+v (%v), version 2 %+v", v1, err, v2)
	}
	if a, b := order(v1, 1), order(v2, 2); a.Request.Fingerprint != b.Request.Fingerprint || a.PayloadHash != b.PayloadHash {
		t.Error("the two are different orders")
	}
}
