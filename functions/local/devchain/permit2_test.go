package devchain

import (
	"bytes"
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
	"github.com/ethereum/go-ethereum/rpc"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// The permit of the contracts' ABI.
type (
	permissions struct {
		Token  common.Address
		Amount *big.Int
	}
	permitTransfer struct {
		Permitted       permissions
		Nonce, Deadline *big.Int
	}
	witness struct {
		To         common.Address
		ValidAfter *big.Int
	}
)

// settleCall is the proxy's settle for a payment, which a test may change.
func settleCall(t testing.TB, p payments.Payment, change ...func(*permitTransfer, *common.Address, *witness)) []byte {
	t.Helper()
	permit := permitTransfer{
		Permitted: permissions{common.HexToAddress(p.Asset), big.NewInt(p.Amount)},
		Nonce:     common.HexToHash(p.Nonce).Big(), Deadline: new(big.Int).SetUint64(p.ValidBefore),
	}
	owner, w := common.HexToAddress(p.Payer), witness{common.HexToAddress(p.PayTo), new(big.Int).SetUint64(p.ValidAfter)}
	for _, c := range change {
		c(&permit, &owner, &w)
	}
	return pack(t, "X402ExactPermit2Proxy", "settle", permit, owner, w, hexutil.MustDecode(p.Signature))
}

// refusal names the error that a call of a contract reverts with, "" if it goes through.
func (s *shop) refusal(from, to common.Address, data []byte) string {
	s.Helper()
	_, err := s.client.CallContract(s.Context(), ethereum.CallMsg{From: from, To: &to, Data: data}, nil)
	var withData rpc.DataError
	if err == nil {
		return ""
	}
	if !errors.As(err, &withData) {
		s.Fatalf("eth_call: %v", err)
	}
	raw := common.FromHex(withData.ErrorData().(string))
	for _, contract := range []string{"Permit2", "X402ExactPermit2Proxy"} {
		parsed, err := abi.JSON(bytes.NewReader(compiled(contract).ABI))
		if err != nil {
			s.Fatal(err)
		}
		for name, e := range parsed.Errors {
			if len(raw) >= 4 && bytes.Equal(e.ID[:4], raw[:4]) {
				return name
			}
		}
	}
	reason, err := abi.UnpackRevert(raw)
	if err != nil {
		s.Fatalf("revert data %x: %v", raw, err)
	}
	return reason
}

func TestPermit2AndItsProxyRefuseLikeTheRealOnes(t *testing.T) {
	s := openShop(t)
	wallet := s.deployedWallet()
	s.approve(PayerKey, 5000)
	pay := func(change ...func(*payments.Payment)) payments.Payment {
		return s.paymentOf("permit2", PayerKey, Payer, change...)
	}
	short := pay()
	short.Signature = "0x1234"
	zero := pay()
	zero.Signature = "0x" + strings.Repeat("00", 65)
	canceled := pay()
	s.invalidate(canceled)
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"nothing is wrong":       {settleCall(t, pay()), ""},
		"at the deadline":        {settleCall(t, pay(func(p *payments.Payment) { p.ValidBefore = uint64(time.Now().Unix()) - 1 })), "SignatureExpired"},
		"nonce used":             {settleCall(t, canceled), "InvalidNonce"},
		"another key":            {settleCall(t, s.paymentOf("permit2", GasKey, Payer)), "InvalidSigner"},
		"not the wallet's owner": {settleCall(t, s.paymentOf("permit2", PayerKey, wallet)), "InvalidContractSignature"},
		"short signature":        {settleCall(t, short), "InvalidSignatureLength"},
		"no signature":           {settleCall(t, zero), "InvalidSignature"},
		"too early":              {settleCall(t, pay(func(p *payments.Payment) { p.ValidAfter = p.ValidBefore })), "PaymentTooEarly"},
		"another witness":        {settleCall(t, pay(), func(_ *permitTransfer, _ *common.Address, w *witness) { w.To = common.Address{0xe1} }), "InvalidSigner"},
		"another amount":         {settleCall(t, pay(), func(p *permitTransfer, _ *common.Address, _ *witness) { p.Permitted.Amount = big.NewInt(1) }), "InvalidSigner"},
		"no amount":              {settleCall(t, pay(), func(p *permitTransfer, _ *common.Address, _ *witness) { p.Permitted.Amount = new(big.Int) }), "InvalidAmount"},
		"no owner":               {settleCall(t, pay(), func(_ *permitTransfer, o *common.Address, _ *witness) { *o = common.Address{} }), "InvalidOwner"},
		"no receiver":            {settleCall(t, pay(), func(_ *permitTransfer, _ *common.Address, w *witness) { w.To = common.Address{} }), "InvalidDestination"},
		"more than was approved": {settleCall(t, pay(func(p *payments.Payment) { p.Amount = 5001 })), "ERC20: transfer amount exceeds allowance"},
	} {
		if got := s.refusal(GasWallet, Permit2Proxy, tc.data); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	// The spender of the permit is the caller of Permit2.
	p := pay()
	direct := pack(t, "Permit2", "permitWitnessTransferFrom",
		permitTransfer{permissions{TokenAddress, big.NewInt(5000)}, common.HexToHash(p.Nonce).Big(), new(big.Int).SetUint64(p.ValidBefore)},
		struct {
			To              common.Address
			RequestedAmount *big.Int
		}{PayTo, big.NewInt(5000)}, Payer, [32]byte{}, "Witness witness)", hexutil.MustDecode(p.Signature))
	if got := s.refusal(GasWallet, Permit2, direct); got != "InvalidSigner" {
		t.Errorf("another spender: %q", got)
	}
}

func TestPermit2HasTheDomainOfTheRealOne(t *testing.T) {
	s := openShop(t)
	out, err := s.client.CallContract(t.Context(), ethereum.CallMsg{To: &Permit2, Data: pack(t, "Permit2", "DOMAIN_SEPARATOR")}, nil)
	// viem's domainSeparator for chain id 8453.
	if want := common.FromHex("0x3b6f35e4fce979ef8eac3bcdc8c3fc38fe7911bb0c69c8fe72bf1fd1a17e6f07"); err != nil || !bytes.Equal(out, want) {
		t.Errorf("%x (%v), want %x", out, err, want)
	}
}

// invalidate is the payer's own cancellation of a permit.
func (s *shop) invalidate(p payments.Payment) {
	s.Helper()
	nonce := common.HexToHash(p.Nonce).Big()
	mask := new(big.Int).Lsh(big.NewInt(1), uint(common.HexToHash(p.Nonce)[31]))
	s.must(PayerKey, Permit2, pack(s.T, "Permit2", "invalidateUnorderedNonces", new(big.Int).Rsh(nonce, 8), mask))
}

// permitElsewhere spends the nonce of a permit on a payment to another payee.
func (s *shop) permitElsewhere(p payments.Payment) {
	s.Helper()
	astray := s.paymentOf("permit2", PayerKey, Payer, func(q *payments.Payment) {
		q.Nonce, q.PayTo = p.Nonce, strings.ToLower(common.Address{0xe1}.Hex())
	})
	s.must(strangerKey, Permit2Proxy, settleCall(s.T, astray))
}

// permitShop is a shop whose payer approved Permit2.
func permitShop(t *testing.T) *shop {
	s := openShop(t)
	s.approve(PayerKey, 1_000_000)
	return s
}

func (s *shop) permit() payments.Payment { return s.paymentOf("permit2", PayerKey, Payer) }

func TestAPermitThatTheChainWouldRefuseIsInvalidBeforeAnyWork(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(*shop) payments.Payment
		reason  string
	}{
		"no approval": {func(s *shop) payments.Payment { s.approve(PayerKey, 4999); return s.permit() }, x402.ReasonAllowance},
		"no dollars": {func(s *shop) payments.Payment {
			s.approve(GasKey, 5000)
			return s.paymentOf("permit2", GasKey, GasWallet)
		}, x402.ReasonFunds},
		"canceled":        {func(s *shop) payments.Payment { p := s.permit(); s.invalidate(p); return p }, x402.ReasonNonceUsed},
		"spent elsewhere": {func(s *shop) payments.Payment { p := s.permit(); s.permitElsewhere(p); return p }, x402.ReasonNonceUsed},
		"carried out": {func(s *shop) payments.Payment {
			p := s.permit()
			s.must(strangerKey, Permit2Proxy, settleCall(s.T, p))
			return p
		}, x402.ReasonNonceUsed},
		"ran out": {func(s *shop) payments.Payment { p := s.permit(); s.wait(2 * validity); return p }, x402.ReasonDeadline},
		"not yet": {func(s *shop) payments.Payment {
			return s.paymentOf("permit2", PayerKey, Payer, func(p *payments.Payment) { p.ValidAfter = p.ValidBefore })
		}, x402.ReasonNotYetValid},
	} {
		s := permitShop(t)
		before := len(s.transfers())
		o := orderOf(tc.prepare(s))
		_, err := s.buy(s.process(nil), o)
		got := wantError[*payments.Invalid](t, err)
		if got.Reason != tc.reason {
			t.Errorf("%s: %v, want %s", name, got, tc.reason)
		}
		if tc.reason == x402.ReasonAllowance && !strings.Contains(got.Message, "approve("+Permit2.Hex()+", 5000)") {
			t.Errorf("the message does not say what to approve to whom: %s", got.Message)
		}
		if n := len(s.transfers()) - before; n > 1 || n == 1 && name != "carried out" {
			t.Errorf("%s: %d transfers", name, n)
		}
	}
}

func TestAFrontRunPermitIsSettledByTheStrangersTransaction(t *testing.T) {
	for _, moment := range []string{"worked", "ready", "signed"} {
		s := permitShop(t)
		s.mustPay(s.process(nil), s.order(5000)) // an equal transfer that is not this payment's
		o := orderOf(s.permit())
		var theirs *types.Receipt
		reply := s.mustPay(s.process(map[string]func(){moment: func() {
			theirs = s.must(strangerKey, Permit2Proxy, settleCall(t, o.Payment))
		}}), o)
		r := s.record(o)
		if got := reply.Header.Get("Transaction"); got != theirs.TxHash.Hex() || r.Settlement.Block != theirs.BlockNumber.Uint64() {
			t.Errorf("%s: transaction %s in %d, want the stranger's %s", moment, got, r.Settlement.Block, theirs.TxHash)
		}
		if log := s.transfers()[1]; r.Settlement.LogIndex != log.Index || log.TxHash != theirs.TxHash {
			t.Errorf("%s: log %d, the chain says %d", moment, r.Settlement.LogIndex, log.Index)
		}
		s.wantReceived(10_000, 2)
	}
}

// Permit2 has no event with the nonce, so only the whole life of the permit proves that no
// money will move.
func TestAPayerWhoTakesThePermitBackIsRejectedOnceItIsOver(t *testing.T) {
	for name, trick := range map[string]func(*shop, payments.Payment){"canceled": (*shop).invalidate, "spent elsewhere": (*shop).permitElsewhere} {
		for _, signed := range []bool{false, true} {
			s := permitShop(t)
			s.mustPay(s.process(nil), orderOf(s.permit())) // an equal payment, whose transfer is found too
			p := s.permit()
			j := s.journal(p)
			if signed {
				j.then = func() { trick(s, p) }
			} else {
				trick(s, p)
			}
			f := s.facilitator()
			_, err := s.settles(f, j, 300*time.Millisecond)
			if got := wantError[*payments.Pending](t, err); got.Transaction != j.Attempt().Hash || signed != j.Attempt().Signed() {
				t.Errorf("%s, signed %v: %+v while the permit may still be carried out", name, signed, got)
			}
			s.wait(2 * validity)
			_, err = f.Settle(t.Context(), p, j)
			if got := wantError[*payments.Rejected](t, err); got.Reason != x402.ReasonNonceUsed {
				t.Errorf("%s, signed %v: %v", name, signed, got)
			}
			s.wantReceived(5000, 1)
		}
	}
}

// A transfer whose calldata does not show the permit, such as a bundler's, may be the
// payment. It is neither reported as failed nor attributed to another payment.
func TestATransferThatCannotBeReadStaysUnknown(t *testing.T) {
	s := permitShop(t)
	o := orderOf(s.permit())
	type call3 struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	bundle := pack(t, "Multicall3", "aggregate3", []call3{{Permit2Proxy, false, settleCall(t, o.Payment)}})
	_, err := s.process(map[string]func(){"worked": func() { s.must(strangerKey, Multicall3, bundle) }}).Pay(t.Context(), o)
	for range 2 {
		wantError[*payments.Pending](t, err)
		s.wait(2 * validity)
		_, err = s.process(nil).Pay(t.Context(), o)
	}
	s.wantReceived(5000, 1)
}

func TestAPermitThatRunsOutUnderwayIsRejected(t *testing.T) {
	for _, moment := range []string{"worked", "signed"} {
		s := permitShop(t)
		o := orderOf(s.permit())
		_, err := s.process(map[string]func(){moment: func() { s.wait(2 * validity) }}).Pay(t.Context(), o)
		wantError[*payments.Rejected](t, err)
		s.wantReceived(0, 0)
	}
}

func TestAPermitResumesWithItsOriginalTransaction(t *testing.T) {
	for _, step := range []string{"signed", "sent", "mined", "recorded"} {
		s := permitShop(t)
		o := orderOf(s.permit())
		s.diesAt(step, o)
		hash := s.record(o).Attempt.Hash
		s.wait(payments.Lease + time.Second)
		if got := s.mustPay(s.process(nil), o).Header.Get("Transaction"); got != hash || hash == "" {
			t.Errorf("%s: settled by %s, want %s", step, got, hash)
		}
		s.wantReceived(5000, 1)
	}
}

// Permit2 takes a permit in a block of its very deadline, so only a later one
// proves that it is over.
func TestAPermitLivesUntilItsDeadlineIsPassed(t *testing.T) {
	s := openShop(t)
	noon := time.Now().Truncate(time.Second)
	s.chain = start(t, Options{RPCAddr: "127.0.0.1:0", Now: func() time.Time { return noon }})
	chain, err := evm.Dial(s.token, []string{s.chain.URL()})
	if err != nil {
		t.Fatal(err)
	}
	for seconds, over := range map[int64]bool{0: false, -6: false, -7: true} {
		p := s.paymentOf("permit2", PayerKey, Payer, func(p *payments.Payment) { p.ValidBefore = uint64(noon.Unix() + seconds) })
		var rejected *payments.Rejected
		var err error
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) { // a young node does not tell at once
			if _, err = chain.Resume(t.Context(), p, []string{common.Hash{1}.Hex()}, func(payments.Revert) {}); errors.Is(err, evm.ErrNotMined) || errors.As(err, &rejected) {
				break
			}
		}
		if errors.As(err, &rejected) != over || !over && !errors.Is(err, evm.ErrNotMined) {
			t.Errorf("deadline %d s from the head: %v", seconds, err)
		}
	}
}

// The two methods count their nonces apart: the same number is two payments.
func TestTheSameNonceOfBothMethodsIsTwoPayments(t *testing.T) {
	s := permitShop(t)
	p := s.permit()
	q := s.paymentOf("", PayerKey, Payer, func(q *payments.Payment) { q.Nonce = p.Nonce })
	for _, payment := range []payments.Payment{p, q} {
		if _, err := s.buy(s.process(nil), orderOf(payment)); err != nil {
			t.Error(err)
		}
	}
	s.wantReceived(10_000, 2)
	if both, err := s.store.ByNonce(t.Context(), p.Nonce); err != nil || len(both) != 2 {
		t.Errorf("%d records of the nonce (%v)", len(both), err)
	}
}
