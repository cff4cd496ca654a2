package evm

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

func baseToken(t *testing.T) Token {
	t.Helper()
	token, err := NewToken("eip155:8453", usdc, "USD Coin", "2")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func testKey(t testing.TB, fill string) *Key {
	t.Helper()
	key, err := ParseKey(strings.Repeat(fill, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func goldenPayment() payments.Payment {
	return payments.Payment{
		Network: "eip155:8453", Asset: strings.ToLower(usdc),
		Payer: "0x1563915e194d8cfba1943570603f7606a3115508", PayTo: "0x209693bc6afc0c5328ba36faf03c514ef312287c",
		Amount: 5000, ValidBefore: 1_800_000_000, Nonce: "0x07" + strings.Repeat("00", 31),
	}
}

func TestDomainSeparatorIsThatOfTheProductionToken(t *testing.T) {
	const want = "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"
	if got := baseToken(t).Separator().Hex(); got != want {
		t.Errorf("separator %s, want %s", got, want)
	}
}

func TestAuthorizationDigestMatchesTheGoldenValue(t *testing.T) {
	const want = "0x12431792bf3bb1544b4f37c72f66722f89c63b3fdffe434c77c6a906650473a4"
	if got := baseToken(t).AuthorizationDigest(goldenPayment()).Hex(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestSelectorsAndTopicsAreThoseOfTheToken(t *testing.T) {
	for name, pair := range map[string][2]string{
		"transferWithAuthorization": {hex.EncodeToString(selectorTransfer), "e3ee160e"},
		"authorizationState":        {hex.EncodeToString(selectorState), "e94a0102"},
		"balanceOf":                 {hex.EncodeToString(selectorBalance), "70a08231"},
		"AuthorizationUsed":         {topicUsed.Hex(), "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"},
		"AuthorizationCanceled":     {topicCanceled.Hex(), "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, want %s", name, pair[0], pair[1])
		}
	}
}

// The typed data of offers, receipts and evidence hash as go-ethereum's own
// generic implementation hashes them.
func TestTypedDataAgreesWithTheReferenceImplementation(t *testing.T) {
	word := "0x" + strings.Repeat("ab", 32)
	for _, data := range []x402.TypedData{
		x402.Offer{Version: 1, ResourceURL: "https://x/y?a=1", Scheme: "exact", Network: "eip155:8453", Asset: usdc, PayTo: usdc, Amount: "5000", ValidUntil: 17}.Typed(),
		x402.Receipt{Version: 1, Network: "eip155:8453", ResourceURL: "https://x/ü", Payer: usdc, IssuedAt: 1 << 40}.Typed(),
		x402.Evidence{Version: 1, Product: "p", Ruleset: "r", RequestDigest: word, ResultDigest: word, PaymentNonce: word, Transaction: word, Chain: "c", Seq: 9, EntryHash: word, IssuedAt: 3}.Typed(),
		x402.ThankYou{Message: "m", Payer: usdc, Amount: "1", Dollars: "0.01", Nonce: word}.Typed(),
	} {
		want, _, err := apitypes.TypedDataAndHash(reference(data))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Digest(data)
		if err != nil || got != common.BytesToHash(want) {
			t.Errorf("%s: digest %s (%v), want %x", data.Type, got, err, want)
		}
	}
}

func reference(data x402.TypedData) apitypes.TypedData {
	var fields []apitypes.Type
	message := apitypes.TypedDataMessage{}
	for _, f := range data.Fields {
		fields = append(fields, apitypes.Type{Name: f.Name, Type: f.Type})
		message[f.Name] = f.Value
		if n, ok := f.Value.(uint64); ok {
			message[f.Name] = fmt.Sprint(n)
		}
	}
	return apitypes.TypedData{
		Types: apitypes.Types{
			"EIP712Domain": {{Name: "name", Type: "string"}, {Name: "version", Type: "string"}, {Name: "chainId", Type: "uint256"}},
			data.Type:      fields,
		},
		PrimaryType: data.Type, Message: message,
		Domain: apitypes.TypedDataDomain{Name: data.Domain, Version: "1", ChainId: math.NewHexOrDecimal256(1)},
	}
}

func TestSignedArtifactNamesItsSigner(t *testing.T) {
	key := testKey(t, "22")
	offer := x402.Offer{Version: 1, ResourceURL: "https://x", Amount: "1"}
	signed, err := x402.Sign(key, offer)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := RecoverTyped(offer.Typed(), signed.Signature)
	if err != nil || signer != key.Address() {
		t.Errorf("signer %s (%v), want %s", signer, err, key.Address())
	}
	offer.Amount = "2"
	if signer, _ := RecoverTyped(offer.Typed(), signed.Signature); signer == key.Address() {
		t.Error("a changed offer still verifies")
	}
}

func TestTypedDataRefusesWhatItCannotHash(t *testing.T) {
	for _, value := range []any{"0xabcd", "no hex", 7, nil} {
		data := x402.TypedData{Domain: "d", Type: "T", Fields: []x402.TypedField{{Name: "f", Type: "bytes32", Value: value}}}
		if _, err := Digest(data); err == nil {
			t.Errorf("%v was hashed", value)
		}
	}
}

func TestSignatureAndWindow(t *testing.T) {
	token, payer, now := baseToken(t), testKey(t, "22"), time.Unix(1_799_000_000, 0)
	sign := func(change func(*payments.Payment)) payments.Payment {
		p := goldenPayment()
		p.ValidBefore = uint64(now.Unix()) + 60
		change(&p)
		var err error
		if p.Signature, err = payer.Authorize(token, p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	valid := sign(func(*payments.Payment) {})
	altered := func(change func(*payments.Payment)) payments.Payment { p := valid; change(&p); return p }
	for _, row := range []struct {
		name   string
		p      payments.Payment
		reason string
	}{
		{"as signed", valid, ""},
		{"v as 0 or 1", altered(func(p *payments.Payment) { p.Signature = lowerV(p.Signature) }), ""},
		{"6 seconds left", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) + 6 }), ""},
		{"an hour left", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) + 3600 }), ""},
		{"two hours left", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) + 7200 }), x402.ReasonValidBefore},
		{"ten years left", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) + 315_360_000 }), x402.ReasonValidBefore},
		{"5 seconds left", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) + 5 }), x402.ReasonValidBefore},
		{"expired", sign(func(p *payments.Payment) { p.ValidBefore = uint64(now.Unix()) - 1 }), x402.ReasonValidBefore},
		{"not yet valid", sign(func(p *payments.Payment) { p.ValidAfter = uint64(now.Unix()) + 1 }), x402.ReasonValidAfter},
		{"amount changed", altered(func(p *payments.Payment) { p.Amount++ }), x402.ReasonSignature},
		{"nonce changed", altered(func(p *payments.Payment) { p.Nonce = "0x08" + p.Nonce[4:] }), x402.ReasonSignature},
		{"payer changed", altered(func(p *payments.Payment) { p.Payer = p.PayTo }), x402.ReasonSignature},
		{"high s", altered(func(p *payments.Payment) { p.Signature = highS(p.Signature) }), x402.ReasonSignature},
		{"zero signature", altered(func(p *payments.Payment) { p.Signature = "0x" + strings.Repeat("00", 65) }), x402.ReasonSignature},
		{"short signature", altered(func(p *payments.Payment) { p.Signature = "0x1234" }), x402.ReasonSignature},
		{"other network", altered(func(p *payments.Payment) { p.Network = "eip155:1" }), x402.ReasonNetwork},
	} {
		err := errors.Join(token.Authentic(row.p), token.Open(row.p, now))
		var invalid *payments.Invalid
		if reason := ""; errors.As(err, &invalid) {
			reason = invalid.Reason
			if reason != row.reason {
				t.Errorf("%s: reason %q, want %q", row.name, reason, row.reason)
			}
		} else if err != nil || row.reason != "" {
			t.Errorf("%s: error %v, want reason %q", row.name, err, row.reason)
		}
	}
}

func lowerV(signature string) string {
	raw := common.FromHex(signature)
	raw[64] -= 27
	return "0x" + hex.EncodeToString(raw)
}

// highS is the other signature that recovers to the same key; EIP-2 forbids it.
func highS(signature string) string {
	raw := common.FromHex(signature)
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(raw[32:64]))
	s.FillBytes(raw[32:64])
	raw[64] = 27 + 28 - raw[64]
	return "0x" + hex.EncodeToString(raw)
}

func TestKeyFileIsMadeOnceAndReadableByItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signing.key")
	first, err := LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadOrCreateKey(path)
	if err != nil || first.Address() != second.Address() {
		t.Fatalf("second load gives %v (%v)", second, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestMalformedKeyIsNotQuoted(t *testing.T) {
	const secret = "deadbeefdeadbeef"
	if _, err := ParseKey(secret); err == nil || strings.Contains(err.Error(), secret[:6]) {
		t.Errorf("error %v", err)
	}
}
