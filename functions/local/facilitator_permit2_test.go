package main

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// approval is the first transaction of the development payer, signed: Permit2 may
// take a dollar of his. The chain is the same at each start, so it always fits.
const approval = "0x02f8b182210580830f42408477359400830186a094833589fcd6edb6e08f4c7c32d4f71b54bda0291380b844095ea7b3" +
	"000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3" +
	"00000000000000000000000000000000000000000000000000000000000f4240" +
	"c080a040362f26e0b1866eb96f5112f89acb1436e31a17390a780d5941088113ce02ffa0386543a51e2cef6576fb5e361c12dc9b4dc74627e9c40fd8c386645295cc282c"

func (r *running) approvePermit2() {
	r.Helper()
	a := call(r.T, r.service.devchain.URL(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["`+approval+`"]}`)
	if a.json(r.T)["error"] != nil {
		r.Fatalf("approval: %s", a.body)
	}
}

// byPermit2 are the terms of a seller who takes permits.
func byPermit2(units int64) map[string]any {
	want := terms(units)
	want["extra"].(map[string]any)["assetTransferMethod"] = "permit2"
	return want
}

// permitOf is [invoiceOf] by Permit2.
func permitOf(t *testing.T, units int64) invoice {
	t.Helper()
	payer, err := devPayer()
	if err != nil {
		t.Fatal(err)
	}
	var nonce [32]byte
	rand.Read(nonce[:])
	p := payments.Payment{Method: payments.MethodPermit2, Network: "eip155:8453", Asset: devchain.TokenAddress.Hex(), PayTo: otherSeller,
		Payer: payer.Address(), Amount: units, ValidBefore: uint64(time.Now().Unix()) + 300, Nonce: "0x" + hex.EncodeToString(nonce[:])}
	if p.Signature, err = payer.Authorize(mustToken(t), p); err != nil {
		t.Fatal(err)
	}
	wire := x402.WirePayload(p)
	a := wire.Permit2Authorization
	return invoice{
		X402Version: 2, PaymentRequirements: byPermit2(units),
		PaymentPayload: map[string]any{
			"x402Version": 2, "accepted": byPermit2(units),
			"payload": map[string]any{"signature": wire.Signature, "permit2Authorization": map[string]any{
				"permitted": map[string]any{"token": a.Permitted.Token, "amount": a.Permitted.Amount}, "from": a.From, "spender": a.Spender,
				"nonce": a.Nonce, "deadline": a.Deadline, "witness": map[string]any{"to": a.Witness.To, "validAfter": a.Witness.ValidAfter},
			}},
		},
	}
}

func TestFacilitatorSettlesAPermitOnce(t *testing.T) {
	r := start(t)
	r.approvePermit2()
	i := permitOf(t, 70)
	if v := r.call("POST", "/facilitator/verify", i.json(t)).json(t); v["isValid"] != true || !strings.EqualFold(v["payer"].(string), devchain.Payer.Hex()) {
		t.Errorf("verify says %v", v)
	}
	wantOneSuccess(t, r.settledAnswers(i, 10))
	r.wantOtherSellerHas(70)
	if v := r.call("POST", "/facilitator/verify", i.json(t)).json(t); v["invalidReason"] != x402.ReasonNonceUsed {
		t.Errorf("a spent permit verifies as %v", v)
	}
}

func TestFacilitatorSaysWhyAPermitIsInvalid(t *testing.T) {
	r := start(t)
	without := permitOf(t, 70)
	if a, s := r.settle(without); s.Success || s.ErrorReason != x402.ReasonAllowance || !strings.Contains(s.ErrorMessage, "approve("+devchain.Permit2.Hex()) {
		t.Errorf("without approval: %s", a.body)
	}
	r.approvePermit2()
	permit := func(i invoice) map[string]any {
		return i.PaymentPayload["payload"].(map[string]any)["permit2Authorization"].(map[string]any)
	}
	for name, tc := range map[string]struct {
		change func(invoice)
		reason string
	}{
		"spender":        {func(i invoice) { permit(i)["spender"] = otherSeller }, x402.ReasonSpender},
		"receiver":       {func(i invoice) { permit(i)["witness"].(map[string]any)["to"] = devchain.PayTo.Hex() }, x402.ReasonPermitRecipient},
		"another seller": {func(i invoice) { i.PaymentRequirements["payTo"] = devchain.PayTo.Hex() }, x402.ReasonPermitRecipient},
		"token":          {func(i invoice) { permit(i)["permitted"].(map[string]any)["token"] = otherSeller }, x402.ReasonPermitToken},
		"amount":         {func(i invoice) { i.PaymentRequirements["amount"] = "71" }, x402.ReasonPermitAmount},
		"signature":      {func(i invoice) { permit(i)["nonce"] = "7" }, x402.ReasonPermitSignature},
		"deadline":       {func(i invoice) { permit(i)["deadline"] = "7" }, x402.ReasonPermitSignature},
		"not a number":   {func(i invoice) { permit(i)["deadline"] = "soon" }, x402.ReasonPayload},
		"beyond a word":  {func(i invoice) { permit(i)["nonce"] = "1" + strings.Repeat("0", 77) }, x402.ReasonPermitSignature},
		"beyond 256 bit": {func(i invoice) { permit(i)["nonce"] = strings.Repeat("9", 78) }, x402.ReasonPayload},
		"no permit":      {func(i invoice) { delete(i.PaymentPayload["payload"].(map[string]any), "permit2Authorization") }, x402.ReasonPayloadType},
	} {
		i := permitOf(t, 70)
		tc.change(i)
		if v := r.call("POST", "/facilitator/verify", i.json(t)).json(t); v["isValid"] != false || v["invalidReason"] != tc.reason {
			t.Errorf("%s: verify says %v, want %s", name, v, tc.reason)
		}
		if a, s := r.settle(i); s.Success || s.ErrorReason != tc.reason || s.Transaction != "" {
			t.Errorf("%s: settle says %s, want %s", name, a.body, tc.reason)
		}
	}
	if a, s := r.settle(permitOf(t, 70).v1()); s.Success || s.ErrorReason != x402.ReasonPayloadType {
		t.Errorf("in version 1, which has no permits: %s", a.body)
	}
	r.wantOtherSellerHas(0)
	if a, s := r.settle(without); !s.Success {
		t.Errorf("the first permit, after the approval: %s", a.body)
	}
	r.wantOtherSellerHas(70)
}
