package evm

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

// BenchmarkDecodeAndVerify is all that the gate does with a payment without a
// store and a chain: read the header as a stock client sends it, match the terms,
// recover the signer. Its baseline is the recovery alone, in the same run.
func BenchmarkDecodeAndVerify(b *testing.B) {
	site := catalog.Site{BaseURL: "https://shop.example", Network: "eip155:8453", Asset: usdc, AssetName: "USD Coin", AssetVersion: "2",
		PayTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"}
	token, err := NewToken(site.Network, site.Asset, site.AssetName, site.AssetVersion)
	if err != nil {
		b.Fatal(err)
	}
	row := catalog.ByFunction("tip")[0]
	terms, err := x402.TermsFor(site, row, "")
	if err != nil {
		b.Fatal(err)
	}
	key := testKey(b, "22")
	accepted := terms.Requirements()
	payload := x402.Payload{X402Version: 2, Resource: &x402.Resource{URL: terms.Resource, Description: row.Description}, Accepted: &accepted,
		Payload: x402.ExactPayload{Signature: "0x" + strings.Repeat("1b", 65), Authorization: &x402.Authorization{
			From: key.Address(), To: site.PayTo, Value: terms.Price.String(), ValidAfter: "0", ValidBefore: "1800000000", Nonce: "0x" + strings.Repeat("0A", 32),
		}}}
	payment, err := terms.Match(payload)
	if err != nil {
		b.Fatal(err)
	}
	if payload.Payload.Signature, err = key.Authorize(token, payment); err != nil {
		b.Fatal(err)
	}
	header, err := x402.EncodeHeader(payload)
	if err != nil {
		b.Fatal(err)
	}
	hash, signature := token.AuthorizationDigest(payment), hexutil.MustDecode(payload.Payload.Signature)
	signature[64] -= 27

	var gate, bare time.Duration
	rounds := 0
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		p, err := x402.ParsePayload(header)
		if err != nil {
			b.Fatal(err)
		}
		payment, err := terms.Match(p)
		if err != nil {
			b.Fatal(err)
		}
		if err := token.Authentic(payment); err != nil {
			b.Fatal(err)
		}
		gate += time.Since(began)
		began = time.Now()
		if _, err := crypto.Ecrecover(hash[:], signature); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(began)
		rounds++
	}
	b.ReportMetric(float64(gate.Nanoseconds())/float64(rounds), "gate-ns")
	b.ReportMetric(float64(bare.Nanoseconds())/float64(rounds), "recovery-ns")
	b.ReportMetric(float64(gate)/float64(bare), "gate/recovery")
}
