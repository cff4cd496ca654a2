package devchain

import (
	"context"
	"crypto/rand"
	"encoding/asn1"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

// through is a machine of a new process that sees the chain through a gateway.
func (s *shop) through(n *gateway) *payments.Machine {
	s.Helper()
	m := s.process(nil)
	m.Facilitator = s.facilitator(n.url)
	return m
}

// give sends coins to an account.
func (s *shop) give(to common.Address, wei *big.Int) {
	s.Helper()
	stranger := key(strangerKey)
	nonce, err := s.client.PendingNonceAt(s.Context(), crypto.PubkeyToAddress(stranger.PublicKey))
	if err != nil {
		s.Fatal(err)
	}
	tx, err := types.SignNewTx(stranger, types.LatestSignerForChainID(big.NewInt(ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(ChainID), Nonce: nonce, To: &to, Value: wei, Gas: 21_000,
		GasFeeCap: big.NewInt(5_000_000_000), GasTipCap: big.NewInt(1_000_000),
	})
	if err != nil {
		s.Fatal(err)
	}
	if err := s.client.SendTransaction(s.Context(), tx); err != nil {
		s.Fatal(err)
	}
}

func TestAnEmptyGasWalletChargesNothingUntilItIsFilled(t *testing.T) {
	s := openShop(t)
	s.wallet = "0x" + strings.Repeat("07", 32)
	o := s.order(5000)
	runs := 0
	o = during(o, func() { runs++ })
	for range 2 {
		_, err := s.process(nil).Pay(t.Context(), o)
		if cause := wantError[*payments.Unavailable](t, err); !strings.Contains(cause.Error(), "gas wallet holds too little") {
			t.Error(cause)
		}
	}
	if _, err := s.store.Load(t.Context(), o.Payment.Key()); !errors.Is(err, payments.ErrNotFound) || runs > 0 {
		t.Errorf("%d runs, and the record: %v", runs, err)
	}
	s.wantReceived(0, 0)
	s.give(crypto.PubkeyToAddress(key(s.wallet).PublicKey), big.NewInt(1e18))
	s.mustPay(s.process(nil), o)
	if runs != 1 {
		t.Errorf("%d runs for one payment", runs)
	}
	s.wantReceived(5000, 1)
}

func TestAFeeSpikeAboveTheCapChargesNothing(t *testing.T) {
	s := openShop(t)
	chain, err := evm.Dial(s.token, []string{s.chain.URL()})
	if err != nil {
		t.Fatal(err)
	}
	wallet, err := evm.ParseKey(s.wallet)
	if err != nil {
		t.Fatal(err)
	}
	m := s.process(nil)
	m.Facilitator = facilitator.NewOnchain(chain, wallet)
	o := s.order(5000)
	chain.FeeCap = big.NewInt(1)
	_, err = m.Pay(t.Context(), o)
	if cause := wantError[*payments.Unavailable](t, err); !strings.Contains(cause.Error(), evm.ErrFeeCap.Error()) {
		t.Error(cause)
	}
	s.wantReceived(0, 0)

	head, err := s.client.HeaderByNumber(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tip, err := s.client.SuggestGasTipCap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chain.FeeCap = new(big.Int).Add(head.BaseFee, tip) // just enough
	s.mustPay(m, o)
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(s.record(o).Attempt.Raw); err != nil {
		t.Fatal(err)
	}
	if tx.GasFeeCap().Cmp(chain.FeeCap) != 0 {
		t.Errorf("signed for %s wei a unit, the cap is %s", tx.GasFeeCap(), chain.FeeCap)
	}
	s.wantReceived(5000, 1)
}

var baseFeeMember = regexp.MustCompile(`"baseFeePerGas":"0x[0-9a-f]+"`)

var errorMember = regexp.MustCompile(`"error":\{.*\}`)

// cheap makes a gateway tell of a time when gas cost next to nothing, and transactions
// at that price were executed.
func cheap(method, request, answer string) string {
	switch {
	case method == "eth_getBlockByNumber" && strings.Contains(request, "latest"):
		return baseFeeMember.ReplaceAllString(answer, `"baseFeePerGas":"0x2"`)
	case method == "eth_call" && strings.Contains(answer, "max fee per gas less"):
		return errorMember.ReplaceAllString(answer, `"result":"0x"}`)
	case method == "eth_estimateGas":
		return errorMember.ReplaceAllString(answer, `"result":"0x186a0"}`)
	case method == "eth_maxPriorityFeePerGas":
		return strings.Replace(answer, `"result":"0x`, `"result":"0x1","was":"0x`, 1)
	}
	return answer
}

func TestATransactionThatWaitsWithTooLowAFeeIsReplacedAtItsNonce(t *testing.T) {
	s := openShop(t)
	n := s.gateway()
	n.say(cheap)
	o := s.order(5000)
	j := s.journal(o.Payment)
	_, err := s.settles(s.facilitator(n.url), j, time.Second)
	first := j.Attempt()
	if pending := wantError[*payments.Pending](t, err); pending.Transaction != first.Hash {
		t.Fatalf("pending %+v", pending)
	}
	s.wantReceived(0, 0)

	behind := s.payment(70)
	n.say(func(_, _, answer string) string { return answer }) // gas has its price again
	settlement, err := s.facilitator(n.url).Settle(t.Context(), o.Payment, j)
	if err != nil {
		t.Fatal(err)
	}
	second := j.Attempt()
	if second.WalletNonce != first.WalletNonce || second.Hash == first.Hash || settlement.Transaction != second.Hash ||
		len(second.Replaced) != 1 || second.Replaced[0] != first.Hash {
		t.Errorf("settled by %s; first %+v, then %+v", settlement.Transaction, first, second)
	}
	if _, err := s.facilitator().Settle(t.Context(), behind, s.journal(behind)); err != nil {
		t.Errorf("the next in the queue: %v", err)
	}
	s.wantReceived(5070, 2)
}

// The node may mine the first transaction although we sent another.
func TestAReplacedTransactionThatIsMinedAllTheSameCounts(t *testing.T) {
	s := openShop(t)
	p := s.payment(5000)
	j := s.journal(p)
	settlement, err := s.facilitator().Settle(t.Context(), p, j)
	if err != nil {
		t.Fatal(err)
	}
	replaced := j.Attempt()
	replaced.Replaced, replaced.Hash, replaced.Raw = []string{replaced.Hash}, common.Hash{1}.Hex(), []byte{1}
	j.record.Attempt = replaced
	again, err := s.facilitator().Settle(t.Context(), p, j)
	if err != nil || again != settlement {
		t.Errorf("%+v, %v; want %+v", again, err, settlement)
	}
}

// A transaction that no node takes any more must not block those behind it.
func TestAnUnusedNonceIsSpent(t *testing.T) {
	s := openShop(t)
	lost := s.order(5000)
	s.diesAt("signed", lost)
	raw := hexutil.Encode(s.record(lost).Attempt.Raw)
	n := s.gateway()
	var refused atomic.Int32
	n.refuse(func(method, request string) string {
		if method == "eth_sendRawTransaction" && strings.Contains(request, raw) {
			refused.Add(1)
			return "transaction underpriced"
		}
		return ""
	})
	s.wait(10 * time.Second)
	other := s.order(70)
	s.mustPay(s.through(n), other)
	if refused.Load() == 0 || s.record(other).Attempt.WalletNonce != 1 {
		t.Errorf("refused %d times, wallet nonce %d", refused.Load(), s.record(other).Attempt.WalletNonce)
	}
	s.wantReceived(70, 1)
	s.wait(payments.Lease)
	s.mustPay(s.process(nil), lost) // signs again, with a nonce of its own
	if nonce := s.record(lost).Attempt.WalletNonce; nonce != 2 {
		t.Errorf("wallet nonce %d", nonce)
	}
	s.wantReceived(5070, 2)
}

// keeper signs as a key management service does: DER, and s as it comes.
type keeper struct{ private string }

func (k keeper) PublicKey(context.Context) ([]byte, error) {
	type algorithm struct{ Algorithm, Curve asn1.ObjectIdentifier }
	point := crypto.FromECDSAPub(&key(k.private).PublicKey)
	return asn1.Marshal(struct {
		Algorithm algorithm
		Key       asn1.BitString
	}{algorithm{asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}, asn1.ObjectIdentifier{1, 3, 132, 0, 10}}, asn1.BitString{Bytes: point, BitLength: 8 * len(point)}})
}

func (k keeper) SignDigest(_ context.Context, digest [32]byte) ([]byte, error) {
	signature, err := crypto.Sign(digest[:], key(k.private))
	if err != nil {
		return nil, err
	}
	s := new(big.Int).SetBytes(signature[32:64])
	var coin [1]byte
	rand.Read(coin[:])
	if coin[0]&1 == 1 {
		s.Sub(crypto.S256().Params().N, s)
	}
	return asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(signature[:32]), s})
}

func TestAKeptKeyPaysTheGas(t *testing.T) {
	s := openShop(t)
	wallet, err := evm.NewRemoteKey(t.Context(), keeper{GasKey})
	if err != nil || wallet.Address() != crypto.PubkeyToAddress(key(GasKey).PublicKey).Hex() {
		t.Fatalf("%v (%v)", wallet, err)
	}
	chain, err := evm.Dial(s.token, []string{s.chain.URL()})
	if err != nil {
		t.Fatal(err)
	}
	m := s.process(nil)
	m.Facilitator = facilitator.NewOnchain(chain, wallet)
	for range 20 { // some of them with a high s
		s.mustPay(m, s.order(50))
	}
	s.wantReceived(1000, 20)
}

// The wallet was used elsewhere, and what was sent there got lost: no stored
// transaction has its nonce, and all later ones wait for it.
func TestANonceThatWentElsewhereAndGotLostIsSpent(t *testing.T) {
	s := openShop(t)
	n := s.gateway()
	var asked atomic.Int32
	n.say(func(method, _, answer string) string {
		if method == "eth_getTransactionCount" && asked.Add(1) == 1 {
			return strings.Replace(answer, `"result":"0x0"`, `"result":"0x2"`, 1)
		}
		return answer
	})
	o := s.order(5000)
	s.mustPay(s.through(n), o)
	if nonce := s.record(o).Attempt.WalletNonce; nonce != 2 {
		t.Errorf("wallet nonce %d: the test tests nothing", nonce)
	}
	s.mustPay(s.process(nil), s.order(70))
	s.wantReceived(5070, 2)
}
