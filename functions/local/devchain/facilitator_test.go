package devchain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/bolt"
	"governance.internal/shared/payments/memory"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

// strangerKey is an account with gas money that is not our wallet.
const strangerKey = PayToKey

// shop is a seller's whole payment side over a real chain behind HTTP.
type shop struct {
	*testing.T
	chain  *Chain
	client *ethclient.Client
	token  evm.Token
	store  payments.Store
	late   atomic.Int64 // how far the clock of chain and seller is ahead of ours
	wallet string       // private key that pays the gas
}

func openShop(t *testing.T) *shop {
	t.Helper()
	token, err := evm.NewToken("eip155:8453", TokenAddress.Hex(), "USD Coin", "2")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{T: t, token: token, store: memory.New(), wallet: GasKey}
	s.freshChain()
	return s
}

// freshChain replaces the chain by one that knows nothing of the old one.
func (s *shop) freshChain() {
	s.Helper()
	s.chain = start(s.T, Options{RPCAddr: "127.0.0.1:0", Now: s.now})
	s.client = s.chain.Client()
}

func (s *shop) now() time.Time { return time.Now().Add(time.Duration(s.late.Load())) }

func (s *shop) wait(d time.Duration) { s.late.Add(int64(d)) }

// facilitator is that of a new process, over the chain or other addresses.
func (s *shop) facilitator(urls ...string) *facilitator.Onchain {
	s.Helper()
	if len(urls) == 0 {
		urls = []string{s.chain.URL()}
	}
	chain, err := evm.Dial(s.token, urls, WalletFactory.Hex())
	if err != nil {
		s.Fatal(err)
	}
	wallet, err := evm.ParseKey(s.wallet)
	if err != nil {
		s.Fatal(err)
	}
	return facilitator.NewOnchain(chain, wallet)
}

// process is a machine as a new process runs it. Its step calls at, if given.
func (s *shop) process(at map[string]func()) *payments.Machine {
	s.Helper()
	return &payments.Machine{
		Store: s.store, Facilitator: s.facilitator(), Ledger: slips{}, Now: s.now,
		Owner: fmt.Sprintf("process-%p", new(int)), Lease: payments.Lease,
		Step: func(name string) {
			if f := at[name]; f != nil {
				f()
			}
		},
	}
}

// slips is a ledger whose reply names the transaction.
type slips struct{}

func (slips) Ready(context.Context) error { return nil }
func (slips) Settled(_ context.Context, r payments.Record) (payments.Answer, error) {
	return payments.Answer{Status: 200, Header: http.Header{"Transaction": {r.Settlement.Transaction}}, Body: r.Result.Body}, nil
}
func (slips) Refused(context.Context, payments.Record, string) error { return nil }
func (slips) Reversed(context.Context, payments.Record) error        { return nil }

// payment is a new authorization for some units, signed by the rich payer.
func (s *shop) payment(units int64) payments.Payment { return s.paymentFrom(PayerKey, units) }

func (s *shop) paymentFrom(private string, units int64) payments.Payment {
	s.Helper()
	payer, err := evm.ParseKey(private)
	if err != nil {
		s.Fatal(err)
	}
	var nonce common.Hash
	rand.Read(nonce[:])
	p := payments.Payment{
		Network: "eip155:8453", Asset: strings.ToLower(TokenAddress.Hex()), PayTo: strings.ToLower(PayTo.Hex()),
		Payer: strings.ToLower(payer.Address()), Amount: units, ValidBefore: uint64(s.now().Add(validity).Unix()), Nonce: nonce.Hex(),
	}
	if p.Signature, err = payer.Authorize(s.token, p); err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *shop) order(units int64) payments.Order { return orderOf(s.payment(units)) }

func orderOf(p payments.Payment) payments.Order {
	return payments.Order{
		Payment: p, PayloadHash: "hash-" + p.Nonce,
		Request: payments.Request{Product: "lint", Fingerprint: "f", SecretBody: true},
		Work: func(context.Context) (payments.Answer, error) {
			return payments.Answer{Status: 200, Body: []byte("result " + p.Nonce)}, nil
		},
	}
}

// during runs something between verification and settlement.
func during(o payments.Order, do func()) payments.Order {
	work := o.Work
	o.Work = func(ctx context.Context) (payments.Answer, error) {
		do()
		return work(ctx)
	}
	return o
}

// asAuthorization is the payment as the token's own test helpers know it.
func asAuthorization(p payments.Payment) authorization {
	return authorization{
		from: common.HexToAddress(p.Payer), to: common.HexToAddress(p.PayTo), value: big.NewInt(p.Amount),
		validAfter: new(big.Int).SetUint64(p.ValidAfter), validBefore: new(big.Int).SetUint64(p.ValidBefore), nonce: common.HexToHash(p.Nonce),
	}
}

// frontRun carries the payer's authorization out from a stranger's account.
func (s *shop) frontRun(p payments.Payment) *types.Receipt {
	s.Helper()
	r := send(s.T, s.client, key(strangerKey), asAuthorization(p).transfer(s.T, false, key(PayerKey)))
	if r.Status != 1 {
		s.Fatal("the stranger's transaction reverted")
	}
	return r
}

// cancel makes the payer's own cancellation.
func (s *shop) cancel(p payments.Payment) {
	s.Helper()
	a := asAuthorization(p)
	digest := eip712(crypto.Keccak256Hash(crypto.Keccak256([]byte(cancelType)), addressWord(a.from), a.nonce[:]))
	data := withSignature(s.T, "cancelAuthorization", false, sign(s.T, digest, key(PayerKey)), a.from, [32]byte(a.nonce))
	if r := send(s.T, s.client, key(PayerKey), data); r.Status != 1 {
		s.Fatal("the cancellation reverted")
	}
}

// spendElsewhere spends the payer's nonce on a transfer to another account.
func (s *shop) spendElsewhere(p payments.Payment) {
	s.Helper()
	a := asAuthorization(p)
	a.to = common.Address{0xe1}
	if r := send(s.T, s.client, key(strangerKey), a.transfer(s.T, false, key(PayerKey))); r.Status != 1 {
		s.Fatal("the other transfer reverted")
	}
}

// transfers are all Transfer events of the token to the seller.
func (s *shop) transfers() []types.Log {
	s.Helper()
	logs, err := s.client.FilterLogs(s.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{TokenAddress},
		Topics: [][]common.Hash{{tokenABI(s.T).Events["Transfer"].ID}, nil, {common.BytesToHash(PayTo[:])}},
	})
	if err != nil {
		s.Fatal(err)
	}
	return logs
}

// wantReceived compares what the seller has, and in how many transfers it came.
func (s *shop) wantReceived(units int64, count int) {
	s.Helper()
	if got, n := balance(s.T, s.client, PayTo), len(s.transfers()); got != units || n != count {
		s.Errorf("the seller has %d units from %d transfers, want %d from %d", got, n, units, count)
	}
}

func (s *shop) mustPay(m *payments.Machine, o payments.Order) payments.Answer {
	s.Helper()
	reply, err := m.Pay(s.Context(), o)
	if err != nil {
		s.Fatalf("pay: %v", err)
	}
	return reply
}

func (s *shop) record(o payments.Order) payments.Record {
	s.Helper()
	r, err := s.store.Load(s.Context(), o.Payment.Key())
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// diesAt pays in a process that dies right after a step.
func (s *shop) diesAt(step string, o payments.Order) {
	s.Helper()
	type death struct{}
	m := s.process(map[string]func(){step: func() { panic(death{}) }})
	defer func() {
		if _, ok := recover().(death); !ok {
			s.Fatalf("the process never came to %s", step)
		}
	}()
	_, _ = m.Pay(s.Context(), o) // never returns
}

// wantError demands one kind of error.
func wantError[E error](t *testing.T, err error) (e E) {
	t.Helper()
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want %T", err, err, e)
	}
	return e
}

// wantUndecided demands an error that judges nothing: neither the payment nor
// its outcome.
func wantUndecided(t *testing.T, err error) {
	t.Helper()
	var invalid *payments.Invalid
	var rejected *payments.Rejected
	var pending *payments.Pending
	if err == nil || errors.As(err, &invalid) || errors.As(err, &rejected) || errors.As(err, &pending) {
		t.Errorf("%v (%T), want a plain failure", err, err)
	}
}

// journal ties a facilitator to a stored payment, without a machine.
type journal struct {
	store  payments.Store
	record *payments.Record
	sent   *int
	then   func() // right after a transaction is stored, if given
	after  func() // called right after a settlement was requested, if set
}

func (s *shop) journal(p payments.Payment) journal {
	s.Helper()
	r, err := s.store.Save(s.Context(), payments.Record{State: payments.Ready, Payment: p})
	if err != nil {
		s.Fatal(err)
	}
	return journal{store: s.store, record: &r, sent: new(int)}
}

func (j journal) Attempt() payments.Attempt                 { return j.record.Attempt }
func (j journal) Reverted(context.Context, payments.Revert) {}
func (j journal) Sent() {
	*j.sent++
	if j.after != nil {
		j.after()
	}
}
func (j journal) NextNonce(ctx context.Context, chain, wallet string) (uint64, bool, error) {
	return j.store.NextNonce(ctx, chain, wallet)
}
func (j journal) Earlier(ctx context.Context, chain, wallet string, from uint64) ([]payments.Attempt, error) {
	return j.store.Attempts(ctx, chain, wallet, from)
}
func (j journal) Record(ctx context.Context, a payments.Attempt) error {
	next := *j.record
	next.State, next.Attempt = payments.Settling, a
	write := j.store.Submit
	if a.Wallet == "" {
		write = j.store.Save
	}
	saved, err := write(ctx, next)
	if err == nil {
		*j.record = saved
	}
	if j.then != nil {
		j.then()
	}
	return err
}

func TestASettlementIsOneTransferWhereItSaysItIs(t *testing.T) {
	s := openShop(t)
	f := s.facilitator()
	for i := range int64(3) { // several in one block, so that the log index matters
		p := s.payment(5000 + i)
		if err := errors.Join(f.Authentic(t.Context(), p), f.Open(p, s.now()), f.Verify(t.Context(), p)); err != nil {
			t.Fatal(err)
		}
		j := s.journal(p)
		got, err := f.Settle(t.Context(), p, j)
		if err != nil {
			t.Fatal(err)
		}
		log := s.transfers()[i]
		want := payments.Settlement{Transaction: log.TxHash.Hex(), Block: log.BlockNumber, BlockHash: log.BlockHash.Hex(), LogIndex: log.Index}
		if got != want || new(big.Int).SetBytes(log.Data).Int64() != p.Amount {
			t.Errorf("settlement %+v, the chain says %+v with %x units", got, want, log.Data)
		}
		if j.Attempt().Hash != got.Transaction || *j.sent != 1 || receipt(t, s.client, log.TxHash).Status != 1 {
			t.Errorf("stored attempt %s, sent %d times", j.Attempt().Hash, *j.sent)
		}
		again, err := f.Settle(t.Context(), p, j)
		if err != nil || again != got {
			t.Errorf("asked again: %+v (%v)", again, err)
		}
	}
	s.wantReceived(15_003, 3)
}

func TestWhatTheChainWouldRefuseIsInvalidBeforeAnyWork(t *testing.T) {
	s := openShop(t)
	f := s.facilitator()
	for name, tc := range map[string]struct {
		payer  string
		before func(payments.Payment)
		reason string
	}{
		"used by anybody":   {PayerKey, func(p payments.Payment) { s.frontRun(p) }, x402.ReasonNonceUsed},
		"canceled by payer": {PayerKey, s.cancel, x402.ReasonNonceUsed},
		"spent elsewhere":   {PayerKey, s.spendElsewhere, x402.ReasonNonceUsed},
		"no dollars":        {GasKey, func(payments.Payment) {}, x402.ReasonFunds},
		"ran out":           {PayerKey, func(payments.Payment) { s.wait(2 * validity) }, x402.ReasonValidBefore},
		"nothing is wrong":  {PayerKey, func(payments.Payment) {}, ""},
	} {
		p := s.paymentFrom(tc.payer, 5000)
		tc.before(p)
		err := f.Verify(t.Context(), p)
		if tc.reason == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if got := wantError[*payments.Invalid](t, err).Reason; got != tc.reason {
			t.Errorf("%s: reason %s, want %s", name, got, tc.reason)
		}
	}
}

func TestAFrontRunPaymentIsSettledByTheStrangersTransaction(t *testing.T) {
	for _, moment := range []string{"worked", "ready", "signed"} {
		t.Run("after "+moment, func(t *testing.T) {
			s := openShop(t)
			o := s.order(5000)
			var theirs *types.Receipt
			reply := s.mustPay(s.process(map[string]func(){moment: func() { theirs = s.frontRun(o.Payment) }}), o)
			if got := reply.Header.Get("Transaction"); got != theirs.TxHash.Hex() {
				t.Errorf("transaction %s, want the stranger's %s", got, theirs.TxHash)
			}
			r := s.record(o)
			if r.State != payments.Settled || r.Settlement.Block != theirs.BlockNumber.Uint64() || r.Settlement.LogIndex != theirs.Logs[1].Index {
				t.Errorf("record %s %+v", r.State, r.Settlement)
			}
			if signed := moment == "signed"; signed != r.Attempt.Signed() {
				t.Errorf("attempt %+v", r.Attempt)
			} else if signed && receipt(t, s.client, common.HexToHash(r.Attempt.Hash)).Status != 0 {
				t.Error("our own transaction moved money too")
			}
			s.wantReceived(5000, 1)
		})
	}
}

func TestAPayerWhoTakesTheMoneyBackIsRejected(t *testing.T) {
	tricks := map[string]func(*shop, payments.Payment){
		"canceled": (*shop).cancel, "spent elsewhere": (*shop).spendElsewhere,
	}
	for name, trick := range tricks {
		for _, moment := range []string{"worked", "signed"} {
			t.Run(name+" after "+moment, func(t *testing.T) {
				s := openShop(t)
				o := s.order(5000)
				_, err := s.process(map[string]func(){moment: func() { trick(s, o.Payment) }}).Pay(t.Context(), o)
				if moment == "signed" { // the block that shows the trick may be dropped until the window is over
					wantError[*payments.Pending](t, err)
					s.wait(2 * validity)
					_, err = s.process(nil).Pay(t.Context(), o)
				}
				rejected := wantError[*payments.Rejected](t, err)
				if rejected.Reason != x402.ReasonNonceUsed || rejected.Transaction != s.record(o).Attempt.Hash {
					t.Errorf("rejected %+v", rejected)
				}
				if _, err := s.process(nil).Pay(t.Context(), o); s.record(o).State != payments.Failed {
					t.Errorf("then %s, %v", s.record(o).State, err)
				}
				s.wantReceived(0, 0)
			})
		}
	}
}

func TestAnAuthorizationThatRunsOutUnderwayIsRejected(t *testing.T) {
	const tooLong = 2 * validity
	t.Run("before it is signed", func(t *testing.T) {
		s := openShop(t)
		_, err := s.process(nil).Pay(t.Context(), during(s.order(5000), func() { s.wait(tooLong) }))
		wantError[*payments.Rejected](t, err)
		s.wantReceived(0, 0)
	})
	t.Run("between signing and sending", func(t *testing.T) {
		s := openShop(t)
		o := s.order(5000)
		_, err := s.process(map[string]func(){"signed": func() { s.wait(tooLong) }}).Pay(t.Context(), o)
		if r := wantError[*payments.Rejected](t, err); r.Transaction != s.record(o).Attempt.Hash {
			t.Errorf("rejected %+v", r)
		}
		s.wantReceived(0, 0)
	})
	t.Run("while the process was dead", func(t *testing.T) {
		s := openShop(t)
		o := s.order(5000)
		s.diesAt("signed", o)
		s.wait(tooLong)
		_, err := s.process(nil).Pay(t.Context(), o)
		wantError[*payments.Rejected](t, err)
		s.mustPay(s.process(nil), s.order(7))
		s.wantReceived(7, 1)
	})
	t.Run("while no node took the transaction", func(t *testing.T) {
		s := openShop(t)
		n := s.gateway()
		n.failAt(500, "no", "eth_sendRawTransaction")
		o := s.order(5000)
		cutOff := s.process(nil)
		cutOff.Facilitator = s.facilitator(n.url)
		_, err := cutOff.Pay(t.Context(), o)
		if p := wantError[*payments.Pending](t, err); p.Transaction != s.record(o).Attempt.Hash {
			t.Errorf("pending %+v", p)
		}
		s.wait(tooLong)
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) { // a young node may not tell at once
			var pending *payments.Pending
			if _, err = s.process(nil).Pay(t.Context(), o); !errors.As(err, &pending) {
				break
			}
		}
		wantError[*payments.Rejected](t, err)
		s.wantReceived(0, 0)
	})
}

func TestAnUnsentTransactionBlocksNoOther(t *testing.T) {
	s := openShop(t)
	lost := s.order(5000)
	s.diesAt("signed", lost)
	hash := s.record(lost).Attempt.Hash
	if _, err := s.client.TransactionReceipt(t.Context(), common.HexToHash(hash)); err == nil {
		t.Fatal("it was sent")
	}
	s.wait(10 * time.Second) // who signed it may be slow, no longer
	other := s.order(70)
	s.mustPay(s.process(nil), other)
	if first, second := s.record(lost).Attempt.WalletNonce, s.record(other).Attempt.WalletNonce; first != 0 || second != 1 {
		t.Errorf("wallet nonces %d and %d, want 0 and 1", first, second)
	}
	s.wantReceived(5070, 2) // the lost one went out first, or the other would wait behind it
	s.wait(payments.Lease + time.Second)
	if got := s.mustPay(s.process(nil), lost).Header.Get("Transaction"); got != hash {
		t.Errorf("settled by %s, want the original %s", got, hash)
	}
	s.wantReceived(5070, 2)
}

func TestAPaymentResumesWithItsOriginalTransaction(t *testing.T) {
	for _, step := range []string{"signed", "sent", "mined", "recorded"} {
		t.Run(step, func(t *testing.T) {
			s := openShop(t)
			o := s.order(5000)
			s.diesAt(step, o)
			hash := s.record(o).Attempt.Hash
			s.wait(payments.Lease + time.Second)
			if got := s.mustPay(s.process(nil), o).Header.Get("Transaction"); got != hash || hash == "" {
				t.Errorf("settled by %s, want %s", got, hash)
			}
			s.wantReceived(5000, 1)
		})
	}
}

// The owner of the gas wallet may use it for something else at any moment.
func TestAWalletNonceThatWentElsewhereIsReplaced(t *testing.T) {
	check := func(t *testing.T, s *shop, o payments.Order, first string, reply payments.Answer) {
		t.Helper()
		r := s.record(o)
		if r.Attempt.WalletNonce != 1 || r.Attempt.Hash == first || reply.Header.Get("Transaction") != r.Attempt.Hash {
			t.Errorf("attempt %d %s after %s, reply %v", r.Attempt.WalletNonce, r.Attempt.Hash, first, reply.Header)
		}
		s.wantReceived(5000, 1)
		later := s.order(70)
		s.mustPay(s.process(nil), later)
		if n := s.record(later).Attempt.WalletNonce; n != 2 {
			t.Errorf("the next wallet nonce is %d, want 2", n)
		}
	}
	unrelated := func(s *shop) { send(s.T, s.client, key(GasKey), nil) }
	t.Run("between storing and sending", func(t *testing.T) {
		s := openShop(t)
		o := s.order(5000)
		var once sync.Once
		var first string
		reply := s.mustPay(s.process(map[string]func(){"signed": func() {
			once.Do(func() { first = s.record(o).Attempt.Hash; unrelated(s) })
		}}), o)
		check(t, s, o, first, reply)
	})
	t.Run("while the process was dead", func(t *testing.T) {
		s := openShop(t)
		o := s.order(5000)
		s.diesAt("signed", o)
		first := s.record(o).Attempt.Hash
		unrelated(s)
		s.wait(payments.Lease + time.Second)
		check(t, s, o, first, s.mustPay(s.process(nil), o))
	})
}

func TestAPaymentOfALostChainIsRejectedAndASettledOneReplays(t *testing.T) {
	for _, step := range []string{"signed", "sent", "mined"} {
		t.Run(step, func(t *testing.T) {
			s := openShop(t)
			done, underway := s.order(70), s.order(5000)
			reply := s.mustPay(s.process(nil), done)
			s.diesAt(step, underway)
			s.freshChain()
			s.wait(payments.Lease + time.Second)
			m := s.process(nil)
			for range 2 {
				_, err := m.Pay(t.Context(), underway)
				if r := wantError[*payments.Rejected](t, err); r.Reason != x402.ReasonTransaction {
					t.Errorf("rejected %+v", r)
				}
			}
			if again := s.mustPay(m, done); fmt.Sprint(again) != fmt.Sprint(reply) {
				t.Errorf("replayed %v, was %v", again, reply)
			}
			s.wantReceived(0, 0)
			s.mustPay(m, s.order(7)) // and the shop is open
			s.wantReceived(7, 1)
		})
	}
}

// tally counts the refused wallet nonces of a store.
type tally struct {
	payments.Store
	taken atomic.Int64
}

func (s *tally) Submit(ctx context.Context, r payments.Record) (payments.Record, error) {
	saved, err := s.Store.Submit(ctx, r)
	if errors.Is(err, payments.ErrNonceTaken) {
		s.taken.Add(1)
	}
	return saved, err
}

// payAll sends each order to the next machine, all at once.
func (s *shop) payAll(orders []payments.Order, machines ...*payments.Machine) {
	var wait sync.WaitGroup
	for i, o := range orders {
		wait.Go(func() {
			if err := s.payPatiently(machines[i%len(machines)], o); err != nil {
				s.Errorf("payment %d: %v", i, err)
			}
		})
	}
	wait.Wait()
}

// payPatiently retries after a 503, as clients do, because a slow machine answers none of
// many concurrent requests within the limits of a node.
func (s *shop) payPatiently(m *payments.Machine, o payments.Order) error {
	deadline := time.Now().Add(validity / 2)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		_, err := m.Pay(s.Context(), o)
		var unavailable *payments.Unavailable
		var pending *payments.Pending
		if !errors.As(err, &unavailable) && !errors.As(err, &pending) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// wantUnbroken demands that the wallet signed one transaction for each nonce.
func (s *shop) wantUnbroken(count int) {
	s.Helper()
	all, err := s.store.Attempts(s.Context(), strings.ToLower(s.chain.Instance()), payments.Wallet(GasWallet.Hex()), 0)
	if err != nil || len(all) != count {
		s.Fatalf("%d signed transactions (%v), want %d", len(all), err, count)
	}
	for i, a := range all {
		if a.WalletNonce != uint64(i) || receipt(s.T, s.client, common.HexToHash(a.Hash)).Status != 1 {
			s.Errorf("transaction %d has wallet nonce %d, or reverted", i, a.WalletNonce)
		}
	}
}

func (s *shop) orders(count int) []payments.Order {
	all := make([]payments.Order, count)
	for i := range all {
		all[i] = s.order(100)
	}
	return all
}

func TestFiftyPaymentsAtOnceOfOnePayer(t *testing.T) {
	s := openShop(t)
	counted := &tally{Store: s.store}
	s.store = counted
	s.payAll(s.orders(50), s.process(nil))
	s.wantReceived(5000, 50)
	s.wantUnbroken(50)
	if n := counted.taken.Load(); n != 0 {
		t.Errorf("%d wallet nonces were refused, although one facilitator hands them out", n)
	}
}

func TestTwoProcessesShareOneWallet(t *testing.T) {
	s := openShop(t)
	file, err := bolt.Open(filepath.Join(t.TempDir(), "payments.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	s.store = file
	s.payAll(s.orders(40), s.process(nil), s.process(nil))
	s.wantReceived(4000, 40)
	s.wantUnbroken(40)
}
