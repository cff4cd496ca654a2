package x402_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// permit is a good payment by Permit2, its signature unchecked.
func permit(terms x402.Terms) x402.Payload {
	return x402.Payload{X402Version: 2, Accepted: &terms.Accepts()[1], Payload: x402.ExactPayload{
		Signature: "0x" + strings.Repeat("1b", 65),
		Permit2Authorization: &x402.Permit2Authorization{
			Permitted: x402.Permitted{Token: terms.Site.Asset, Amount: terms.Price.String()},
			From:      "0x1563915e194D8CfBA1943570603F7606A3115508", Spender: x402.Permit2Proxy,
			Nonce: new(big.Int).Lsh(big.NewInt(7), 248).String(), Deadline: "1800000000",
			Witness: x402.Witness{To: terms.Site.PayTo, ValidAfter: "17"},
		},
	}}
}

func TestPermit2IsOfferedSecondAndInVersion2Only(t *testing.T) {
	terms := termsOf(t, "verifyAudit", "")
	accepts := terms.Required("", "", nil).Accepts
	if len(accepts) != 2 || accepts[0].Extra["assetTransferMethod"] != nil || accepts[1].Extra["assetTransferMethod"] != "permit2" {
		t.Fatalf("accepts %+v", accepts)
	}
	if second := accepts[1]; second.Amount != "5000" || second.Asset != accepts[0].Asset || second.PayTo != accepts[0].PayTo || second.Description != "" {
		t.Errorf("second entry %+v", second)
	}
	if v1 := terms.RequiredV1("", "", nil).Accepts; len(v1) != 1 || v1[0].Extra["assetTransferMethod"] != nil {
		t.Errorf("version 1 %+v", v1)
	}
}

func TestMatchAcceptsExactlyThePermit(t *testing.T) {
	authorization := func(change func(*x402.Permit2Authorization)) func(*x402.Payload) {
		return func(p *x402.Payload) { change(p.Payload.Permit2Authorization) }
	}
	for name, tc := range map[string]struct {
		change func(*x402.Payload)
		want   string
	}{
		"as offered":          {func(*x402.Payload) {}, ""},
		"addresses in lower":  {authorization(func(a *x402.Permit2Authorization) { a.Spender = strings.ToLower(a.Spender) }), ""},
		"domain not repeated": {func(p *x402.Payload) { delete(p.Accepted.Extra, "name") }, x402.ReasonRequirements},

		"other amount accepted":    {func(p *x402.Payload) { p.Accepted.Amount = "1" }, x402.ReasonRequirements},
		"accepted EIP-3009":        {func(p *x402.Payload) { delete(p.Accepted.Extra, "assetTransferMethod") }, x402.ReasonPayloadType},
		"version 1":                {toV1, x402.ReasonPayloadType},
		"no authorization":         {func(p *x402.Payload) { p.Payload.Permit2Authorization = nil }, x402.ReasonPayloadType},
		"other spender":            {authorization(func(a *x402.Permit2Authorization) { a.Spender = a.From }), x402.ReasonSpender},
		"pays somebody else":       {authorization(func(a *x402.Permit2Authorization) { a.Witness.To = a.From }), x402.ReasonPermitRecipient},
		"other token":              {authorization(func(a *x402.Permit2Authorization) { a.Permitted.Token = a.From }), x402.ReasonPermitToken},
		"permits more":             {authorization(func(a *x402.Permit2Authorization) { a.Permitted.Amount = "5001" }), x402.ReasonPermitAmount},
		"nonce of 257 bits":        {authorization(func(a *x402.Permit2Authorization) { a.Nonce = new(big.Int).Lsh(big.NewInt(1), 256).String() }), x402.ReasonPayload},
		"nonce in hex":             {authorization(func(a *x402.Permit2Authorization) { a.Nonce = "0x07" }), x402.ReasonPayload},
		"no from":                  {authorization(func(a *x402.Permit2Authorization) { a.From = "" }), x402.ReasonPayload},
		"deadline beyond dates":    {authorization(func(a *x402.Permit2Authorization) { a.Deadline = "9223372036854775808" }), x402.ReasonDeadline},
		"validAfter beyond dates":  {authorization(func(a *x402.Permit2Authorization) { a.Witness.ValidAfter = "9223372036854775808" }), x402.ReasonNotYetValid},
		"signature longer than 4K": {func(p *x402.Payload) { p.Payload.Signature = "0x" + strings.Repeat("ab", x402.MaxSignature+1) }, x402.ReasonPayload},
	} {
		terms := termsOf(t, "verifyAudit", "")
		p := permit(terms)
		tc.change(&p)
		got, err := terms.Match(p)
		if reason(err) != tc.want {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		want := payments.Payment{
			Method: "permit2", Network: "eip155:8453", Asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", PayTo: "0x209693bc6afc0c5328ba36faf03c514ef312287c",
			Payer: "0x1563915e194d8cfba1943570603f7606a3115508", Amount: 5000, ValidAfter: 17, ValidBefore: 1_800_000_000,
			Nonce: "0x07" + strings.Repeat("00", 31), Signature: "0x" + strings.Repeat("1b", 65),
		}
		if tc.want == "" && got != want {
			t.Errorf("%s: payment %+v", name, got)
		}
	}
}

// Every permit is either refused with a reason or a payment of exactly the terms with its
// own nonce.
func FuzzMatchPermit2(f *testing.F) {
	terms := termsOf(f, "verifyAudit", "")
	for _, p := range []x402.Payload{permit(terms), {}} {
		data, err := json.Marshal(p.Payload)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"signature":"0x00","permit2Authorization":{"nonce":"` + strings.Repeat("9", 78) + `"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := permit(terms)
		p.Payload = x402.ExactPayload{}
		if json.Unmarshal(data, &p.Payload) != nil {
			return
		}
		got, err := terms.Match(p)
		if err != nil {
			if reason(err) == "" {
				t.Fatalf("no reason: %v", err)
			}
			return
		}
		nonce, ok := new(big.Int).SetString(got.Nonce, 0)
		named, okToo := new(big.Int).SetString(p.Payload.Permit2Authorization.Nonce, 10)
		if !ok || !okToo || nonce.Cmp(named) != 0 || len(got.Nonce) != 66 || got.Amount != int64(terms.Price) ||
			!strings.EqualFold(got.PayTo, terms.Site.PayTo) || got.Method != payments.MethodPermit2 {
			t.Fatalf("%s became %+v", data, got)
		}
	})
}
