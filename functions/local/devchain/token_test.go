package devchain

import (
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

func TestTokenDescribesItselfLikeTheProductionToken(t *testing.T) {
	cl := start(t, Options{}).Client()
	for method, want := range map[string]any{
		"name": "USD Coin", "version": "2", "symbol": "USDC", "decimals": uint8(6),
		"DOMAIN_SEPARATOR":                     [32]byte(domainSeparator),
		"TRANSFER_WITH_AUTHORIZATION_TYPEHASH": [32]byte(common.HexToHash("0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267")),
	} {
		if got := view(t, cl, method); got != want {
			t.Errorf("%s = %v, want %v", method, got, want)
		}
	}
	if got := view(t, cl, "totalSupply").(*big.Int).Int64(); got != PayerUnits {
		t.Errorf("totalSupply = %d, want %d", got, PayerUnits)
	}
}

func TestTokenHasTheSelectorsAndTopicsOfTheStandard(t *testing.T) {
	token := tokenABI(t)
	var selectors []string
	for _, m := range token.Methods {
		selectors = append(selectors, hexutil.Encode(m.ID))
	}
	for name, want := range map[string]string{
		"transferWithAuthorization(v,r,s)": "0xe3ee160e", "transferWithAuthorization(bytes)": "0xcf092995",
		"receiveWithAuthorization(v,r,s)": "0xef55bec6", "receiveWithAuthorization(bytes)": "0x88b7ab63",
		"cancelAuthorization(v,r,s)": "0x5a049a70", "cancelAuthorization(bytes)": "0xb7b72899",
		"authorizationState": "0xe94a0102", "balanceOf": "0x70a08231", "DOMAIN_SEPARATOR": "0x3644e515",
	} {
		if !slices.Contains(selectors, want) {
			t.Errorf("no %s (%s)", name, want)
		}
	}
	for name, want := range map[string]string{
		"AuthorizationUsed":     "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
		"AuthorizationCanceled": "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
		"Transfer":              "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
	} {
		if got := token.Events[name].ID.Hex(); got != want {
			t.Errorf("topic of %s = %s, want %s", name, got, want)
		}
	}
}

func TestGoldenDigest(t *testing.T) {
	a := authorization{
		from:  crypto.PubkeyToAddress(key(strings.Repeat("22", 32)).PublicKey),
		to:    common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C"),
		value: big.NewInt(5000), validAfter: new(big.Int), validBefore: big.NewInt(1800000000),
		nonce: common.Hash{7},
	}
	const want = "0x12431792bf3bb1544b4f37c72f66722f89c63b3fdffe434c77c6a906650473a4"
	if got := hexutil.Encode(a.digest(transferType)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestAPaymentMovesDollarsInBothForms(t *testing.T) {
	for _, bytesForm := range []bool{false, true} {
		cl := start(t, Options{}).Client()
		a := dollars(50_000)
		r := send(t, cl, key(GasKey), a.transfer(t, bytesForm, key(PayerKey)))
		if r.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("bytes form %v: reverted", bytesForm)
		}
		if got := balance(t, cl, Payer); got != PayerUnits-50_000 {
			t.Errorf("payer has %d", got)
		}
		if got := balance(t, cl, PayTo); got != 50_000 {
			t.Errorf("seller has %d", got)
		}
		token := tokenABI(t)
		if len(r.Logs) != 2 {
			t.Fatalf("%d logs, want 2", len(r.Logs))
		}
		used, moved := r.Logs[0], r.Logs[1]
		if used.Topics[0] != token.Events["AuthorizationUsed"].ID || used.Topics[1] != common.BytesToHash(a.from[:]) || used.Topics[2] != a.nonce {
			t.Errorf("AuthorizationUsed: %v", used.Topics)
		}
		if moved.Topics[0] != token.Events["Transfer"].ID || moved.Topics[1] != common.BytesToHash(a.from[:]) ||
			moved.Topics[2] != common.BytesToHash(a.to[:]) || new(big.Int).SetBytes(moved.Data).Int64() != 50_000 {
			t.Errorf("Transfer: %v %x", moved.Topics, moved.Data)
		}
		if !view(t, cl, "authorizationState", a.from, [32]byte(a.nonce)).(bool) {
			t.Error("the nonce is not used")
		}
		t.Logf("bytes form %v: %d gas", bytesForm, r.GasUsed)
	}
}

// highS returns the mirror image of a signature, which recovers to the same key.
func highS(sig []byte) []byte {
	out := slices.Clone(sig)
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(sig[32:64]))
	s.FillBytes(out[32:64])
	out[64] = 27 + (28 - sig[64])
	return out
}

func TestAPaymentIsRefused(t *testing.T) {
	cl := start(t, Options{}).Client()
	good := func(a authorization) []byte { return sign(t, a.digest(transferType), key(PayerKey)) }
	at := func(d time.Duration) *big.Int { return big.NewInt(time.Now().Add(d).Unix()) }
	cases := []struct {
		name, want string
		change     func(*authorization)
		sign       func(authorization) []byte
	}{
		{"when it is expired", "FiatTokenV2: authorization is expired", func(a *authorization) { a.validBefore = at(-time.Second) }, good},
		{"when it is not yet valid", "FiatTokenV2: authorization is not yet valid", func(a *authorization) { a.validAfter = at(time.Hour) }, good},
		{"when another key signed it", "FiatTokenV2: invalid signature", nil, func(a authorization) []byte {
			return sign(t, a.digest(transferType), key(GasKey))
		}},
		{"when it was changed after signing", "FiatTokenV2: invalid signature", nil, func(a authorization) []byte {
			a.value = big.NewInt(1)
			return good(a)
		}},
		{"when it was signed for receiving", "FiatTokenV2: invalid signature", nil, func(a authorization) []byte {
			return sign(t, a.digest(receiveType), key(PayerKey))
		}},
		{"when s is high", "ECRecover: invalid signature 's' value", nil, func(a authorization) []byte { return highS(good(a)) }},
		{"when v is 0 or 1", "ECRecover: invalid signature 'v' value", nil, func(a authorization) []byte {
			sig := good(a)
			sig[64] -= 27
			return sig
		}},
		{"when the signature is zero", "ECRecover: invalid signature", nil, func(authorization) []byte {
			return append(make([]byte, 64), 27)
		}},
		{"when the balance is too small", "ERC20: transfer amount exceeds balance", func(a *authorization) {
			a.value = big.NewInt(PayerUnits + 1)
		}, good},
		{"when it goes nowhere", "ERC20: transfer to the zero address", func(a *authorization) { a.to = common.Address{} }, good},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			for _, bytesForm := range []bool{false, true} {
				a := dollars(5000)
				if tc.change != nil {
					tc.change(&a)
				}
				data := a.call(t, "transferWithAuthorization", bytesForm, tc.sign(a))
				if got := simulate(t, cl, GasWallet, data); got != tc.want {
					t.Errorf("bytes form %v: %q, want %q", bytesForm, got, tc.want)
				}
				if r := send(t, cl, key(GasKey), data); r.Status != types.ReceiptStatusFailed || len(r.Logs) != 0 {
					t.Errorf("bytes form %v: mined with status %d", bytesForm, r.Status)
				}
			}
		})
	}
	if got := balance(t, cl, Payer); got != PayerUnits {
		t.Errorf("the payer lost %d", PayerUnits-got)
	}
}

func TestASignatureOfTheWrongLengthIsRefused(t *testing.T) {
	cl := start(t, Options{}).Client()
	a := dollars(1)
	sig := sign(t, a.digest(transferType), key(PayerKey))
	for _, bad := range [][]byte{nil, sig[:64], append(slices.Clone(sig), 0)} {
		data := a.call(t, "transferWithAuthorization", true, bad)
		if got := simulate(t, cl, GasWallet, data); got != "ECRecover: invalid signature length" {
			t.Errorf("%d bytes: %q", len(bad), got)
		}
	}
}

func TestANonceWorksOnce(t *testing.T) {
	cl := start(t, Options{}).Client()
	a := dollars(5000)
	data := a.transfer(t, false, key(PayerKey))
	if r := send(t, cl, key(GasKey), data); r.Status != 1 {
		t.Fatal("the first payment reverted")
	}
	const used = "FiatTokenV2: authorization is used or canceled"
	a.value = big.NewInt(1) // another authorization with the same nonce
	for _, again := range [][]byte{data, a.transfer(t, true, key(PayerKey))} {
		if got := simulate(t, cl, GasWallet, again); got != used {
			t.Errorf("%q, want %q", got, used)
		}
	}
	if got := balance(t, cl, PayTo); got != 5000 {
		t.Errorf("seller has %d, want 5000", got)
	}
}

func TestBothEndsOfTheWindowAreStrict(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	cl := start(t, Options{Now: func() time.Time { return now }}).Client()
	second := big.NewInt(now.Unix())
	a := dollars(1)
	a.validAfter = second
	if got := simulate(t, cl, GasWallet, a.transfer(t, false, key(PayerKey))); got != "FiatTokenV2: authorization is not yet valid" {
		t.Errorf("validAfter == block.timestamp: %q", got)
	}
	a.validAfter, a.validBefore = new(big.Int), second
	if got := simulate(t, cl, GasWallet, a.transfer(t, false, key(PayerKey))); got != "FiatTokenV2: authorization is expired" {
		t.Errorf("validBefore == block.timestamp: %q", got)
	}
	a.validAfter, a.validBefore = big.NewInt(now.Unix()-1), big.NewInt(now.Unix()+1)
	if got := simulate(t, cl, GasWallet, a.transfer(t, false, key(PayerKey))); got != "" {
		t.Errorf("one second either side: %q", got)
	}
}

func TestACanceledNonceCannotPay(t *testing.T) {
	for _, bytesForm := range []bool{false, true} {
		cl := start(t, Options{}).Client()
		a := dollars(5000)
		digest := eip712(crypto.Keccak256Hash(crypto.Keccak256([]byte(cancelType)), addressWord(a.from), a.nonce[:]))
		wrong := withSignature(t, "cancelAuthorization", bytesForm, sign(t, digest, key(GasKey)), a.from, [32]byte(a.nonce))
		if got := simulate(t, cl, GasWallet, wrong); got != "FiatTokenV2: invalid signature" {
			t.Errorf("a stranger cancels: %q", got)
		}
		data := withSignature(t, "cancelAuthorization", bytesForm, sign(t, digest, key(PayerKey)), a.from, [32]byte(a.nonce))
		r := send(t, cl, key(GasKey), data)
		if r.Status != 1 || len(r.Logs) != 1 || r.Logs[0].Topics[0] != tokenABI(t).Events["AuthorizationCanceled"].ID {
			t.Fatalf("cancel: status %d, logs %v", r.Status, r.Logs)
		}
		for _, late := range [][]byte{data, a.transfer(t, bytesForm, key(PayerKey))} {
			if got := simulate(t, cl, GasWallet, late); got != "FiatTokenV2: authorization is used or canceled" {
				t.Errorf("after the cancel: %q", got)
			}
		}
	}
}

func TestReceiveWithAuthorizationIsForThePayeeOnly(t *testing.T) {
	for _, bytesForm := range []bool{false, true} {
		cl := start(t, Options{}).Client()
		a := dollars(700)
		data := a.call(t, "receiveWithAuthorization", bytesForm, sign(t, a.digest(receiveType), key(PayerKey)))
		if got := simulate(t, cl, GasWallet, data); got != "FiatTokenV2: caller must be the payee" {
			t.Errorf("a stranger receives: %q", got)
		}
		if r := send(t, cl, key(PayToKey), data); r.Status != 1 || balance(t, cl, PayTo) != 700 {
			t.Errorf("bytes form %v: status %d, seller has %d", bytesForm, r.Status, balance(t, cl, PayTo))
		}
	}
}

func TestPlainERC20Calls(t *testing.T) {
	cl := start(t, Options{}).Client()
	token := tokenABI(t)
	pack := func(method string, args ...any) []byte {
		data, err := token.Pack(method, args...)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	pull := pack("transferFrom", Payer, GasWallet, big.NewInt(40))
	if got := simulate(t, cl, PayTo, pull); got != "ERC20: transfer amount exceeds allowance" {
		t.Errorf("without allowance: %q", got)
	}
	for _, step := range []struct {
		from string
		data []byte
	}{
		{PayerKey, pack("approve", PayTo, big.NewInt(100))},
		{PayToKey, pull},
		{PayerKey, pack("transfer", PayTo, big.NewInt(7))},
	} {
		if r := send(t, cl, key(step.from), step.data); r.Status != 1 {
			t.Fatal("reverted")
		}
	}
	if got := view(t, cl, "allowance", Payer, PayTo).(*big.Int).Int64(); got != 60 {
		t.Errorf("allowance left %d, want 60", got)
	}
	if a, b := balance(t, cl, GasWallet), balance(t, cl, PayTo); a != 40 || b != 7 {
		t.Errorf("balances %d and %d, want 40 and 7", a, b)
	}
}

// deployWallet puts an EIP-1271 wallet of an owner on the chain and gives it
// some dollars.
func deployWallet(t *testing.T, cl *ethclient.Client, owner common.Address) common.Address {
	t.Helper()
	raw, err := os.ReadFile("token/Wallet1271.json")
	if err != nil {
		t.Fatal(err)
	}
	var wallet artefact
	if err := json.Unmarshal(raw, &wallet); err != nil {
		t.Fatal(err)
	}
	nonce, err := cl.PendingNonceAt(t.Context(), GasWallet)
	if err != nil {
		t.Fatal(err)
	}
	tx := types.MustSignNewTx(key(GasKey), types.LatestSignerForChainID(big.NewInt(ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(ChainID), Nonce: nonce, Data: append(wallet.Creation, addressWord(owner)...),
		Gas: 500_000, GasFeeCap: big.NewInt(1e9), GasTipCap: big.NewInt(1e6),
	})
	if err := cl.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	address := receipt(t, cl, tx.Hash()).ContractAddress
	fund := dollars(1000)
	fund.to = address
	if r := send(t, cl, key(GasKey), fund.transfer(t, false, key(PayerKey))); r.Status != 1 {
		t.Fatal("funding the wallet reverted")
	}
	return address
}

func TestAContractWalletPaysWithTheBytesForm(t *testing.T) {
	cl := start(t, Options{}).Client()
	a := dollars(600)
	a.from = deployWallet(t, cl, PayTo)

	stranger := a.transfer(t, true, key(PayerKey))
	if got := simulate(t, cl, GasWallet, stranger); got != "FiatTokenV2: invalid signature" {
		t.Errorf("signed by a stranger: %q", got)
	}
	short := a.call(t, "transferWithAuthorization", true, []byte{1, 2, 3})
	if got := simulate(t, cl, GasWallet, short); got != "FiatTokenV2: invalid signature" {
		t.Errorf("three bytes: %q", got)
	}
	if r := send(t, cl, key(GasKey), a.transfer(t, true, key(PayToKey))); r.Status != 1 {
		t.Error("signed by the owner: reverted")
	}
	if got := balance(t, cl, PayTo); got != 600 {
		t.Errorf("seller has %d, want 600", got)
	}
}

func TestASignerWhoseCodeIsNotAWalletIsRefused(t *testing.T) {
	cl := start(t, Options{}).Client()
	a := dollars(1)
	a.from = TokenAddress // has code, but no isValidSignature
	if got := simulate(t, cl, GasWallet, a.transfer(t, true, key(PayerKey))); got != "FiatTokenV2: invalid signature" {
		t.Errorf("%q", got)
	}
}
