package main

import (
	"errors"
	"strings"
	"testing"

	"governance.internal/shared/x402"
)

// One of two equal requests finds the gas wallet empty; the other settles a moment later.
// If the first answer said that nothing was charged, the client would sign another payment.
func TestAnUnavailableBackendNeverClaimsThatNothingIsCharged(t *testing.T) {
	r := start(t)
	machine := r.service.paid.Gate.Machine
	chain := machine.Facilitator
	payment := r.payment("POST", "/x402/audit-mcp")
	machine.Facilitator = stuck{chain, errors.New("no gas")}
	first := r.call("POST", "/x402/audit-mcp", ownConfig, x402.HeaderSignature, payment)
	wantStatus(t, first, 503, "without gas")
	machine.Facilitator = chain
	wantStatus(t, r.call("POST", "/x402/audit-mcp", ownConfig, x402.HeaderSignature, payment), 200, "an equal request")
	r.wantReceived(50_000, "one payment")

	problem := first.json(t)
	if _, claimed := problem["charged"]; claimed || strings.Contains(strings.ToLower(string(first.body)), "nothing was charged") {
		t.Errorf("an equal request paid, and this one got %s", first.body)
	}
	detail := problem["detail"].(string)
	if problem["code"] != "payment_backend_unavailable" || !strings.Contains(detail, "same payment") || first.header.Get("Retry-After") == "" {
		t.Errorf("%s", first.body)
	}
	if url, _ := problem["statusUrl"].(string); !strings.HasPrefix(url, r.url+"/x402/payments/0x") {
		t.Errorf("statusUrl %q", url)
	}
}

// A key without money buys no work: its body is not even looked at.
func TestAPayerWithoutMoneyBuysNoWork(t *testing.T) {
	r := start(t)
	for name, body := range map[string]string{"a good body": ownConfig, "a broken body": "{", "a long body": strings.Repeat(" ", 60_000)} {
		a := r.call("POST", "/x402/audit-mcp", body, x402.HeaderSignature, r.payment("POST", "/x402/audit-mcp", fromPoorAccount))
		wantStatus(t, a, 402, name)
		if a.json(t)["error"] != x402.ReasonFunds {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}
