package devchain

import (
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

// start runs a chain for the length of a test.
func start(t testing.TB, opts Options) *Chain {
	t.Helper()
	c, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func key(hex string) *ecdsa.PrivateKey {
	k, err := crypto.HexToECDSA(strings.TrimPrefix(hex, "0x"))
	if err != nil {
		panic(err)
	}
	return k
}

func tokenABI(t testing.TB) abi.ABI {
	t.Helper()
	parsed, err := abi.JSON(strings.NewReader(TokenABI()))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// authorization is the message of EIP-3009.
type authorization struct {
	from, to                       common.Address
	value, validAfter, validBefore *big.Int
	nonce                          common.Hash
}

// validity is how long an authorization is good: no machine is so slow that it runs out
// by itself.
const validity = 10 * time.Minute

// dollars is an authorization that is good now: some units from the payer to
// the seller.
func dollars(units int64) authorization {
	a := authorization{
		from: Payer, to: PayTo,
		value:       big.NewInt(units),
		validAfter:  new(big.Int),
		validBefore: big.NewInt(time.Now().Add(validity).Unix()),
	}
	rand.Read(a.nonce[:])
	return a
}

const (
	transferType = "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	receiveType  = "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	cancelType   = "CancelAuthorization(address authorizer,bytes32 nonce)"
)

// domainSeparator is the golden value of shared/research/x402.md 1.3.
var domainSeparator = common.HexToHash("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f")

func word(v *big.Int) []byte              { return common.BigToHash(v).Bytes() }
func addressWord(a common.Address) []byte { return common.LeftPadBytes(a.Bytes(), 32) }
func eip712(structHash common.Hash) []byte {
	return crypto.Keccak256([]byte("\x19\x01"), domainSeparator[:], structHash[:])
}

func (a authorization) digest(kind string) []byte {
	return eip712(crypto.Keccak256Hash(
		crypto.Keccak256([]byte(kind)), addressWord(a.from), addressWord(a.to),
		word(a.value), word(a.validAfter), word(a.validBefore), a.nonce[:],
	))
}

// sign returns r, s and v (27 or 28) as one 65 byte signature.
func sign(t testing.TB, digest []byte, k *ecdsa.PrivateKey) []byte {
	t.Helper()
	sig, err := crypto.Sign(digest, k)
	if err != nil {
		t.Fatal(err)
	}
	sig[64] += 27
	return sig
}

// withSignature packs a call in the form with v, r and s or the form with bytes.
func withSignature(t testing.TB, method string, bytesForm bool, sig []byte, args ...any) []byte {
	t.Helper()
	token := tokenABI(t)
	want := len(args) + 3
	if bytesForm {
		want = len(args) + 1
		args = append(args, sig)
	} else {
		args = append(args, sig[64], [32]byte(sig[:32]), [32]byte(sig[32:64]))
	}
	// Overloads get a number behind their name, in the order of the source.
	for _, m := range token.Methods {
		if m.RawName == method && len(m.Inputs) == want {
			data, err := m.Inputs.Pack(args...)
			if err != nil {
				t.Fatal(err)
			}
			return append(m.ID, data...)
		}
	}
	t.Fatalf("the token has no %s with %d arguments", method, want)
	return nil
}

func (a authorization) call(t testing.TB, method string, bytesForm bool, sig []byte) []byte {
	t.Helper()
	return withSignature(t, method, bytesForm, sig, a.from, a.to, a.value, a.validAfter, a.validBefore, [32]byte(a.nonce))
}

// transfer packs a signed transferWithAuthorization.
func (a authorization) transfer(t testing.TB, bytesForm bool, k *ecdsa.PrivateKey) []byte {
	t.Helper()
	return a.call(t, "transferWithAuthorization", bytesForm, sign(t, a.digest(transferType), k))
}

// signedTx makes a transaction to the token from the gas wallet.
func signedTx(t testing.TB, from *ecdsa.PrivateKey, nonce uint64, data []byte) *types.Transaction {
	t.Helper()
	tx, err := types.SignNewTx(from, types.LatestSignerForChainID(big.NewInt(ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(ChainID), Nonce: nonce, To: &TokenAddress, Data: data, Gas: 150_000,
		GasFeeCap: big.NewInt(1_000_000_000), GasTipCap: big.NewInt(1_000_000),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// send puts a call of the token on the chain and returns its receipt.
func send(t testing.TB, cl *ethclient.Client, from *ecdsa.PrivateKey, data []byte) *types.Receipt {
	t.Helper()
	nonce, err := cl.PendingNonceAt(t.Context(), crypto.PubkeyToAddress(from.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	tx := signedTx(t, from, nonce, data)
	if err := cl.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	return receipt(t, cl, tx.Hash())
}

func receipt(t testing.TB, cl *ethclient.Client, hash common.Hash) *types.Receipt {
	t.Helper()
	r, err := cl.TransactionReceipt(t.Context(), hash)
	if err != nil {
		t.Fatalf("receipt of %s: %v", hash, err)
	}
	return r
}

// simulate calls the token from an address and returns the revert text, or "".
func simulate(t testing.TB, cl *ethclient.Client, from common.Address, data []byte) string {
	t.Helper()
	_, err := cl.CallContract(t.Context(), ethereum.CallMsg{From: from, To: &TokenAddress, Data: data}, nil)
	if err == nil {
		return ""
	}
	var withData rpc.DataError
	if !errors.As(err, &withData) {
		t.Fatalf("eth_call: %v", err)
	}
	text, ok := withData.ErrorData().(string)
	if !ok {
		t.Fatalf("eth_call without error data: %v", err)
	}
	reason, err := abi.UnpackRevert(hexutil.MustDecode(text))
	if err != nil {
		t.Fatalf("revert data %s: %v", text, err)
	}
	return reason
}

// view calls a function of the token that only reads.
func view(t testing.TB, cl *ethclient.Client, method string, args ...any) any {
	t.Helper()
	token := tokenABI(t)
	data, err := token.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cl.CallContract(t.Context(), ethereum.CallMsg{To: &TokenAddress, Data: data}, nil)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	values, err := token.Unpack(method, out)
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}

func balance(t testing.TB, cl *ethclient.Client, who common.Address) int64 {
	t.Helper()
	return view(t, cl, "balanceOf", who).(*big.Int).Int64()
}
