package evm

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// goldenPermit and the values below were encoded with viem 2.57.0, which shares
// no code with this package.
func goldenPermit() payments.Payment {
	p := goldenPayment()
	p.Method, p.ValidAfter = payments.MethodPermit2, 17
	return p
}

func TestPermitDigestMatchesTheGoldenValue(t *testing.T) {
	const want = "0x3b9c1c855ed2a7564ce304e6bb382c2f95a3522b921bbbbec7ee80a2476a3734" // hashTypedData
	if got := baseToken(t).AuthorizationDigest(goldenPermit()).Hex(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestCallsAreThoseOfTheContracts(t *testing.T) {
	for name, pair := range map[string][2]string{
		"settle":                            {hex.EncodeToString(selectorSettle), "13cd3b53"},
		"settleWithPermit":                  {hex.EncodeToString(selectorSettleWith), "fa340378"},
		"nonceBitmap":                       {hex.EncodeToString(selectorBitmap), "4fe02b44"},
		"aggregate3":                        {hex.EncodeToString(selectorAggregate), "82ad56cb"},
		"isValidSignature":                  {hex.EncodeToString(selectorValid), "1626ba7e"},
		"transferWithAuthorization (bytes)": {hex.EncodeToString(selectorTransferBytes), "cf092995"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %s, want %s", name, pair[0], pair[1])
		}
	}
	chain := &Chain{Token: baseToken(t)}
	to, settle := permit2{chain}.call(goldenPermit(), []byte{0xab, 0xcd, 0xef})
	const wantSettle = "0x49876894bff29ae0b63c32b770629a22d0253ce77e545dfb27939fd90c3c4008" // keccak256 of the calldata
	if got := crypto.Keccak256Hash(settle).Hex(); got != wantSettle || to != permit2Proxy {
		t.Errorf("settle on %s: %x", to, settle)
	}
	both := aggregate(step{common.HexToAddress("0x6492000000000000000000000000000000000001"), []byte{1, 2, 3, 4}, true}, step{to, settle, false})
	const wantBoth = "0xce76cca4916d942edeeac2179aebe979b3107827e820fe1ee494308efd972c99"
	if got := crypto.Keccak256Hash(both.Data).Hex(); got != wantBoth || *both.To != multicall3 {
		t.Errorf("aggregate3 on %s: %x", both.To, both.Data)
	}
}

func TestSettlesKnowsItsOwnPermitOnly(t *testing.T) {
	m := permit2{&Chain{Token: baseToken(t)}}
	_, settle := m.call(goldenPermit(), make([]byte, 65))
	withPermit := append(append(bytes.Clone(selectorSettleWith), make([]byte, 160)...), settle[4:]...)
	for name, tc := range map[string]struct {
		data []byte
		want bool
	}{
		"settle": {settle, true}, "settleWithPermit": {withPermit, true},
		"no calldata": {nil, false}, "cut off": {settle[:100], false}, "settleWithPermit cut off": {withPermit[:164], false},
		"another function": {append([]byte{1, 2, 3, 4}, settle[4:]...), false},
	} {
		if got := m.settles(tc.data, goldenPermit()); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, change := range map[string]func(*payments.Payment){
		"nonce": func(p *payments.Payment) { p.Nonce = "0x08" + p.Nonce[4:] }, "amount": func(p *payments.Payment) { p.Amount++ },
		"payer": func(p *payments.Payment) { p.Payer = usdc }, "receiver": func(p *payments.Payment) { p.PayTo = usdc },
	} {
		p := goldenPermit()
		if change(&p); m.settles(settle, p) {
			t.Errorf("a permit with another %s", name)
		}
	}
}

func TestPermitWindow(t *testing.T) {
	token, now := baseToken(t), time.Unix(1_799_000_000, 0)
	at := uint64(now.Unix())
	for name, tc := range map[string]struct {
		after, deadline uint64
		reason          string
	}{
		"good": {0, at + 60, ""}, "an hour": {at - 1, at + 3600, ""}, "6 seconds left": {0, at + 6, ""},
		"5 seconds left": {0, at + 5, x402.ReasonDeadline}, "not yet": {at, at + 60, x402.ReasonNotYetValid},
		"longer than its trace is searched": {0, at + 3601, x402.ReasonPayload},
	} {
		p := goldenPermit()
		p.ValidAfter, p.ValidBefore = tc.after, tc.deadline
		var invalid *payments.Invalid
		reason := ""
		if errors.As(token.Open(p, now), &invalid) {
			reason = invalid.Reason
		}
		if reason != tc.reason {
			t.Errorf("%s: %q, want %q", name, reason, tc.reason)
		}
	}
}

// wrapped is the example of ERC-6492 as viem's serializeErc6492Signature gives it.
const wrapped = "0x0000000000000000000000006492000000000000000000000000000000000001" +
	"0000000000000000000000000000000000000000000000000000000000000060" +
	"00000000000000000000000000000000000000000000000000000000000000a0" +
	"0000000000000000000000000000000000000000000000000000000000000004" +
	"0102030400000000000000000000000000000000000000000000000000000000" +
	"0000000000000000000000000000000000000000000000000000000000000003" +
	"abcdef0000000000000000000000000000000000000000000000000000000000" +
	"6492649264926492649264926492649264926492649264926492649264926492"

func TestSignaturesAreRead(t *testing.T) {
	s, err := parseSignature(wrapped)
	if err != nil || !s.wrapped || s.factory != common.HexToAddress("0x6492000000000000000000000000000000000001") ||
		hexutil.Encode(s.deploy) != "0x01020304" || hexutil.Encode(s.inner) != "0xabcdef" {
		t.Errorf("%+v (%v)", s, err)
	}
	plain := "0x" + strings.Repeat("1b", 65)
	if s, err := parseSignature(plain); err != nil || s.wrapped || hexutil.Encode(s.inner) != plain {
		t.Errorf("%+v (%v)", s, err)
	}
	mark := strings.Repeat("6492", 16)
	longest := "0x" + strings.Repeat("ab", x402.MaxSignature)
	if _, err := parseSignature(longest); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"one byte too long": longest + "ab", "no hex": "0xzz", "odd": "0x123",
		"only the mark": "0x" + mark, "one word": "0x" + strings.Repeat("00", 32) + mark,
		"no address":            strings.Replace(wrapped, "0x00", "0x01", 1),
		"offset beyond the end": strings.Replace(wrapped, "00a0", "ffa0", 1),
		"offset of 2^256-1":     strings.Replace(wrapped, strings.Repeat("0", 62)+"a0", strings.Repeat("f", 64), 1),
		"length beyond the end": strings.Replace(wrapped, strings.Repeat("0", 63)+"3", strings.Repeat("0", 60)+"ffff", 1),
	} {
		if s, err := parseSignature(text); err == nil {
			t.Errorf("%s: read as %+v", name, s)
		}
	}
}

// Unwrapping agrees with go-ethereum's own decoder.
func FuzzUnwrap(f *testing.F) {
	var fields abi.Arguments
	for _, name := range []string{"address", "bytes", "bytes"} {
		kind, err := abi.NewType(name, "", nil)
		if err != nil {
			f.Fatal(err)
		}
		fields = append(fields, abi.Argument{Type: kind})
	}
	good := common.FromHex(wrapped)
	f.Add(good[:len(good)-32])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, wrapper []byte) {
		s, err := unwrap(append(bytes.Clone(wrapper), wrapperMark...))
		if err != nil {
			return
		}
		values, err := fields.Unpack(wrapper)
		if err != nil {
			t.Fatalf("%x: go-ethereum: %v", wrapper, err)
		}
		if values[0] != s.factory || !bytes.Equal(values[1].([]byte), s.deploy) || !bytes.Equal(values[2].([]byte), s.inner) {
			t.Fatalf("%+v, go-ethereum %v", s, values)
		}
	})
}

// The answer of a node is foreign, too.
func FuzzLastResult(f *testing.F) {
	good := words(uint64(32), uint64(1), uint64(32), uint64(1), uint64(64), uint64(4))
	f.Add(append(good, 0x16, 0x26, 0xba, 0x7e))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, out []byte) {
		if _, data, ok := lastResult(out); ok && !bytes.Contains(out, data) {
			t.Fatalf("%x is not part of %x", data, out)
		}
	})
}

func TestLastResultOfAMulticall(t *testing.T) {
	good := append(words(uint64(32), uint64(2), uint64(64), uint64(160), uint64(0), uint64(64), uint64(0), uint64(1), uint64(64), uint64(32)), word(7)...)
	success, data, ok := lastResult(good)
	if !ok || !success || new(big.Int).SetBytes(data).Uint64() != 7 {
		t.Errorf("%v %x %v", success, data, ok)
	}
	for n := range good {
		if _, _, ok := lastResult(good[:n]); ok {
			t.Errorf("accepted %d of %d bytes", n, len(good))
		}
	}
}

func TestOnlyTheKeysOwnRecoveryNumberIsNormalized(t *testing.T) {
	token, p := baseToken(t), goldenPayment()
	signed, err := testKey(t, "22").Authorize(token, p)
	if err != nil {
		t.Fatal(err)
	}
	digest, want, low := token.AuthorizationDigest(p), common.FromHex(signed), common.FromHex(lowerV(signed))
	if got := normalized(digest, p, low); !bytes.Equal(got, want) || low[64] > 1 {
		t.Errorf("%x, want %x", got, want)
	}
	foreign := append(bytes.Repeat([]byte{0x1b}, 64), 1) // a wallet's own 65 bytes
	for _, raw := range [][]byte{want, foreign, {1, 2, 3}} {
		if got := normalized(digest, p, raw); !bytes.Equal(got, raw) {
			t.Errorf("%x became %x", raw, got)
		}
	}
}
