package devchain

import (
	"bytes"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// pack is the calldata of a method of a compiled contract.
func pack(t testing.TB, contract, method string, args ...any) []byte {
	t.Helper()
	parsed, err := abi.JSON(bytes.NewReader(compiled(contract).ABI))
	if err != nil {
		t.Fatal(err)
	}
	data, err := parsed.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// transact sends a call of any contract, or with no target its creation.
func (s *shop) transact(private string, to *common.Address, data []byte) *types.Receipt {
	s.Helper()
	return s.send(private, to, nil, data)
}

func (s *shop) send(private string, to *common.Address, wei *big.Int, data []byte) *types.Receipt {
	s.Helper()
	from := key(private)
	nonce, err := s.client.PendingNonceAt(s.Context(), crypto.PubkeyToAddress(from.PublicKey))
	if err != nil {
		s.Fatal(err)
	}
	tx := types.MustSignNewTx(from, types.LatestSignerForChainID(big.NewInt(ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(ChainID), Nonce: nonce, To: to, Value: wei, Data: data, Gas: 2_000_000,
		GasFeeCap: big.NewInt(1e9), GasTipCap: big.NewInt(1e6),
	})
	if err := s.client.SendTransaction(s.Context(), tx); err != nil {
		s.Fatal(err)
	}
	return receipt(s.T, s.client, tx.Hash())
}

// must is transact of a call that must not revert.
func (s *shop) must(private string, to common.Address, data []byte) *types.Receipt {
	s.Helper()
	r := s.transact(private, &to, data)
	if r.Status != 1 {
		s.Fatalf("the call of %s reverted", to)
	}
	return r
}

// fund transfers dollars of the rich payer to an address.
func (s *shop) fund(who common.Address, units int64) {
	s.Helper()
	s.must(PayerKey, TokenAddress, pack(s.T, "Token", "transfer", who, big.NewInt(units)))
}

// gasMoney transfers ETH to an address.
func (s *shop) gasMoney(who common.Address) {
	s.Helper()
	s.send(GasKey, &who, big.NewInt(1e16), nil)
}

// approve lets Permit2 take dollars of the account of a key.
func (s *shop) approve(private string, units int64) {
	s.Helper()
	s.must(private, TokenAddress, pack(s.T, "Token", "approve", Permit2, big.NewInt(units)))
}

// owner signs for the contract wallets; it has neither dollars nor gas money.
var ownerKey = "0x" + strings.Repeat("42", 32)

func addressOf(private string) common.Address {
	return crypto.PubkeyToAddress(key(private).PublicKey)
}

// creation deploys the owner's wallet.
func creation(t testing.TB, salt byte) []byte {
	return pack(t, "WalletFactory", "createWallet", addressOf(ownerKey), [32]byte{salt})
}

// walletAddress is where the owner's wallet of a salt is or will be.
func (s *shop) walletAddress(salt byte) common.Address {
	init := append(bytes.Clone(compiled("Wallet1271").Creation), addressWord(addressOf(ownerKey))...)
	return crypto.CreateAddress2(WalletFactory, [32]byte{salt}, crypto.Keccak256(init))
}

// newWallet is the owner's contract wallet with dollars, not deployed yet.
func (s *shop) newWallet() common.Address {
	wallet := s.walletAddress(1)
	s.fund(wallet, 10_000)
	return wallet
}

func (s *shop) deployedWallet() common.Address {
	wallet := s.newWallet()
	s.must(GasKey, WalletFactory, creation(s.T, 1))
	return wallet
}

// paymentOf is a payment that a key signs for an account, by either method.
func (s *shop) paymentOf(method, private string, payer common.Address, change ...func(*payments.Payment)) payments.Payment {
	s.Helper()
	var nonce common.Hash
	rand.Read(nonce[:])
	p := payments.Payment{
		Method: method, Network: "eip155:8453", Asset: strings.ToLower(TokenAddress.Hex()), PayTo: strings.ToLower(PayTo.Hex()),
		Payer: strings.ToLower(payer.Hex()), Amount: 5000, ValidBefore: uint64(s.now().Add(validity).Unix()), Nonce: nonce.Hex(),
	}
	for _, c := range change {
		c(&p)
	}
	signer, err := evm.ParseKey(private)
	if err != nil {
		s.Fatal(err)
	}
	if p.Signature, err = signer.Authorize(s.token, p); err != nil {
		s.Fatal(err)
	}
	return p
}

// wrap puts a signature into the wrapper of ERC-6492.
func wrap(t testing.TB, p payments.Payment, factory common.Address, deploy []byte) payments.Payment {
	t.Helper()
	var fields abi.Arguments
	for _, name := range []string{"address", "bytes", "bytes"} {
		kind, err := abi.NewType(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, abi.Argument{Type: kind})
	}
	wrapper, err := fields.Pack(factory, deploy, hexutil.MustDecode(p.Signature))
	if err != nil {
		t.Fatal(err)
	}
	p.Signature = hexutil.Encode(append(wrapper, bytes.Repeat([]byte{0x64, 0x92}, 16)...))
	return p
}

// delegate makes the account of a key run a contract's code (EIP-7702).
func (s *shop) delegate(private string, code common.Address) {
	s.Helper()
	account := addressOf(private)
	own, err := s.client.PendingNonceAt(s.Context(), account)
	if err != nil {
		s.Fatal(err)
	}
	authorization, err := types.SignSetCode(key(private), types.SetCodeAuthorization{
		ChainID: *uint256.NewInt(ChainID), Address: code, Nonce: own,
	})
	if err != nil {
		s.Fatal(err)
	}
	nonce, err := s.client.PendingNonceAt(s.Context(), GasWallet)
	if err != nil {
		s.Fatal(err)
	}
	tx := types.MustSignNewTx(key(GasKey), types.LatestSignerForChainID(big.NewInt(ChainID)), &types.SetCodeTx{
		ChainID: uint256.NewInt(ChainID), Nonce: nonce, To: GasWallet, Gas: 200_000,
		GasFeeCap: uint256.NewInt(1e9), GasTipCap: uint256.NewInt(1e6), AuthList: []types.SetCodeAuthorization{authorization},
	})
	if err := s.client.SendTransaction(s.Context(), tx); err != nil {
		s.Fatal(err)
	}
	if r := receipt(s.T, s.client, tx.Hash()); r.Status != 1 {
		s.Fatal("the delegation reverted")
	}
	installed, err := s.client.CodeAt(s.Context(), account, nil)
	if err != nil || len(installed) != 23 {
		s.Fatalf("the account has the code %x (%v)", installed, err)
	}
}

// buy does what the gate does.
func (s *shop) buy(m *payments.Machine, o payments.Order) (payments.Answer, error) {
	if err := m.Authentic(s.Context(), o.Payment, o.PayloadHash); err != nil {
		return payments.Answer{}, err
	}
	return m.Pay(s.Context(), o)
}

func TestEveryKindOfPayerBuys(t *testing.T) {
	for name, pay := range map[string]func(*shop) payments.Payment{
		"a key": func(s *shop) payments.Payment { return s.paymentOf("", PayerKey, Payer) },
		"a key that writes v as 0 or 1": func(s *shop) payments.Payment {
			p := s.paymentOf("", PayerKey, Payer)
			raw := hexutil.MustDecode(p.Signature)
			raw[64] -= 27
			p.Signature = hexutil.Encode(raw)
			return p
		},
		"an account that delegates": func(s *shop) payments.Payment {
			s.delegate(PayerKey, s.deployedWallet())
			return s.paymentOf("", PayerKey, Payer)
		},
		"a contract wallet": func(s *shop) payments.Payment { return s.paymentOf("", ownerKey, s.deployedWallet()) },
		"a contract wallet that still wraps": func(s *shop) payments.Payment {
			return wrap(s.T, s.paymentOf("", ownerKey, s.deployedWallet()), WalletFactory, creation(s.T, 1))
		},
		"a contract wallet of a foreign factory": func(s *shop) payments.Payment {
			return wrap(s.T, s.paymentOf("", ownerKey, s.deployedWallet()), common.Address{0xfa}, creation(s.T, 1))
		},
		"a wallet that its payment deploys": func(s *shop) payments.Payment {
			return wrap(s.T, s.paymentOf("", ownerKey, s.newWallet()), WalletFactory, creation(s.T, 1))
		},
		"a key by Permit2": func(s *shop) payments.Payment {
			s.approve(PayerKey, 5000)
			return s.paymentOf("permit2", PayerKey, Payer)
		},
		"an account that delegates, by Permit2": func(s *shop) payments.Payment {
			s.approve(PayerKey, 5000)
			s.delegate(PayerKey, s.deployedWallet())
			return s.paymentOf("permit2", PayerKey, Payer)
		},
		"a contract wallet by Permit2": func(s *shop) payments.Payment {
			wallet := s.deployedWallet()
			s.gasMoney(addressOf(ownerKey))
			s.must(ownerKey, wallet, pack(s.T, "Wallet1271", "execute", TokenAddress, pack(s.T, "Token", "approve", Permit2, big.NewInt(5000))))
			return s.paymentOf("permit2", ownerKey, wallet)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			o := orderOf(pay(s))
			for range 2 { // the second is the stored answer
				reply, err := s.buy(s.process(nil), o)
				if err != nil {
					t.Fatal(err)
				}
				if want := s.transfers()[0].TxHash.Hex(); reply.Header.Get("Transaction") != want || s.record(o).Attempt.Hash != want {
					t.Errorf("reply %v, the chain says %s", reply.Header, want)
				}
			}
			s.wantReceived(5000, 1)
		})
	}
}

// To deploy a wallet again would burn all gas at a factory that does not look.
func TestAWalletThatIsThereIsNotDeployedAgain(t *testing.T) {
	s := openShop(t)
	wallet := s.newWallet()
	for i, target := range []common.Address{Multicall3, TokenAddress} {
		o := orderOf(wrap(t, s.paymentOf("", ownerKey, wallet), WalletFactory, creation(t, 1)))
		if _, err := s.buy(s.process(nil), o); err != nil {
			t.Fatal(err)
		}
		tx, _, err := s.client.TransactionByHash(t.Context(), common.HexToHash(s.record(o).Attempt.Hash))
		if err != nil || *tx.To() != target {
			t.Errorf("payment %d calls %s (%v), want %s", i+1, tx.To(), err, target)
		}
	}
	s.wantReceived(10_000, 2)
}

// Another party may deploy the wallet between verification and settlement.
func TestAWalletThatSomebodyDeploysMeanwhilePays(t *testing.T) {
	for _, step := range []string{"worked", "signed"} {
		s := openShop(t)
		o := orderOf(wrap(t, s.paymentOf("", ownerKey, s.newWallet()), WalletFactory, creation(t, 1)))
		meanwhile := map[string]func(){step: func() { s.must(strangerKey, WalletFactory, creation(t, 1)) }}
		if _, err := s.buy(s.process(meanwhile), o); err != nil {
			t.Errorf("after %s: %v", step, err)
		}
		s.wantReceived(5000, 1)
	}
}

func TestASignatureThatIsNotThePayersIsInvalid(t *testing.T) {
	s := openShop(t)
	deployed := s.deployedWallet()
	unborn := s.walletAddress(2)
	greedy := s.transact(GasKey, nil, hexutil.MustDecode("0x625b5f565f526003601df3")).ContractAddress // runs for ever
	broken := s.transact(GasKey, nil, hexutil.MustDecode("0x60fe5f5360015ff3")).ContractAddress       // an invalid instruction
	cut := func(p payments.Payment) payments.Payment { p.Signature = p.Signature[:50]; return p }
	for name, tc := range map[string]struct {
		p      payments.Payment
		reason string
	}{
		"another key":                    {s.paymentOf("", GasKey, Payer), x402.ReasonSignature},
		"another key, by Permit2":        {s.paymentOf("permit2", GasKey, Payer), x402.ReasonPermitSignature},
		"a short one":                    {cut(s.paymentOf("", PayerKey, Payer)), x402.ReasonSignature},
		"not the wallet's owner":         {s.paymentOf("", PayerKey, deployed), x402.ReasonSignature},
		"not the owner, by Permit2":      {s.paymentOf("permit2", PayerKey, deployed), x402.ReasonPermitSignature},
		"a wallet that is not there":     {s.paymentOf("", ownerKey, unborn), x402.ReasonSignature},
		"a contract that is no wallet":   {s.paymentOf("", ownerKey, TokenAddress), x402.ReasonSignature},
		"a contract that burns its gas":  {s.paymentOf("", ownerKey, greedy), x402.ReasonSignature},
		"a contract that breaks":         {s.paymentOf("", ownerKey, broken), x402.ReasonSignature},
		"a factory that is not allowed":  {wrap(t, s.paymentOf("", ownerKey, unborn), common.Address{0xfa}, creation(t, 2)), x402.ReasonFactory},
		"a factory call of another salt": {wrap(t, s.paymentOf("", ownerKey, unborn), WalletFactory, creation(t, 3)), x402.ReasonDeployment},
		"a stranger, undeployed":         {wrap(t, s.paymentOf("", PayerKey, unborn), WalletFactory, creation(t, 2)), x402.ReasonSignature},
	} {
		o := orderOf(tc.p)
		_, err := s.buy(s.process(nil), o)
		if got := wantError[*payments.Invalid](t, err); got.Reason != tc.reason || got.Message == "" {
			t.Errorf("%s: %v, want %s", name, got, tc.reason)
		}
		if _, err := s.store.Load(t.Context(), o.Payment.Key()); !errors.Is(err, payments.ErrNotFound) {
			t.Errorf("%s left a record (%v)", name, err)
		}
	}
	s.wantReceived(0, 0)
}

func TestWithoutANodeAWalletIsUnavailableAndAKeyIsNot(t *testing.T) {
	s := openShop(t)
	wallet := s.deployedWallet()
	f := s.facilitator("http://127.0.0.1:1")
	if err := f.Authentic(t.Context(), s.paymentOf("", PayerKey, Payer)); err != nil {
		t.Errorf("a key: %v", err)
	}
	wantUndecided(t, f.Authentic(t.Context(), s.paymentOf("", ownerKey, wallet)))
	m := s.process(nil)
	m.Facilitator = f
	_, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, wallet)))
	wantError[*payments.Unavailable](t, err)
}

// A wallet's code runs at the expense of the gas wallet, so it may agree while
// it is asked and burn gas when it is paid from.
func TestAWalletThatBurnsGasIsRefusedBeforeAnyWork(t *testing.T) {
	s := openShop(t)
	// If the caller is the token, 131,072 rounds of 26 gas; then the magic value.
	code := "73" + strings.ToLower(TokenAddress.Hex()[2:]) + "331415602857" + "620200005b600190038060" + "1f57" + "5b" + "631626ba7e60e01b5f5260205ff3"
	init := "60" + hexByte(len(code)/2) + "8060095f395ff3"
	greedy := s.transact(GasKey, nil, common.FromHex(init+code)).ContractAddress
	s.fund(greedy, 5000)
	p := s.paymentOf("", ownerKey, greedy)
	f := s.facilitator()
	if err := f.Authentic(t.Context(), p); err != nil {
		t.Fatalf("the wallet does not agree: %v", err)
	}
	if got := wantError[*payments.Invalid](t, f.Verify(t.Context(), p)); got.Reason != x402.ReasonSimulation || !strings.Contains(got.Message, "gas") {
		t.Errorf("%v", got)
	}
}

func hexByte(n int) string { return hexutil.Encode([]byte{byte(n)})[2:] }

// One transfer settles one payment, even where one transaction carries several
// authorizations out.
func TestATransferIsNotCountedForAnAuthorizationThatPaidSomebodyElse(t *testing.T) {
	s := openShop(t)
	paid, elsewhere := s.order(5000), s.order(5000)
	astray := asAuthorization(elsewhere.Payment)
	astray.to = common.Address{0xe1}
	type call3 struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	both := pack(t, "Multicall3", "aggregate3", []call3{
		{TokenAddress, false, astray.transfer(t, false, key(PayerKey))},
		{TokenAddress, false, asAuthorization(paid.Payment).transfer(t, false, key(PayerKey))},
	})
	batch := map[string]func(){"worked": func() { s.must(strangerKey, Multicall3, both) }}
	_, err := s.process(batch).Pay(t.Context(), elsewhere)
	wantError[*payments.Rejected](t, err)
	f := s.facilitator()
	if _, err := f.Settle(t.Context(), paid.Payment, s.journal(paid.Payment)); err != nil {
		t.Errorf("the other one: %v", err)
	}
	s.wantReceived(5000, 1)
}

// A chain of an older version has no Permit2 and no Multicall3 and goes on as it is.
func TestAnOlderChainStillSellsToKeys(t *testing.T) {
	dir := t.TempDir()
	old := newGenesis(time.Now())
	for _, contract := range []common.Address{Permit2, Permit2Proxy, Multicall3, WalletFactory} {
		delete(old.Alloc, contract)
	}
	st, err := openStore(dir)
	if err == nil {
		_, err = st.genesis(old)
		err = errors.Join(err, st.close())
	}
	if err != nil {
		t.Fatal(err)
	}
	s := openShop(t)
	s.chain = start(t, Options{Dir: dir, RPCAddr: "127.0.0.1:0", Now: s.now})
	s.client = s.chain.Client()
	s.mustPay(s.process(nil), s.order(5000))
	s.approve(PayerKey, 5000)
	_, err = s.buy(s.process(nil), orderOf(s.paymentOf("permit2", PayerKey, Payer)))
	if got := wantError[*payments.Invalid](t, err); got.Reason != x402.ReasonProxy {
		t.Error(got)
	}
	_, err = s.buy(s.process(nil), orderOf(s.paymentOf("", ownerKey, TokenAddress)))
	if got := wantError[*payments.Unavailable](t, err); !strings.Contains(got.Error(), "Multicall3") {
		t.Error(got)
	}
	s.wantReceived(5000, 1)
}

func TestAContractWalletSignsIn(t *testing.T) {
	s := openShop(t)
	wallet := s.deployedWallet()
	chain, err := evm.Dial(s.token, []string{s.chain.URL()})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(private, text string) string {
		t.Helper()
		signer, err := evm.ParseKey(private)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := signer.SignText(text)
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	if err := chain.SignedText(t.Context(), wallet.Hex(), "text", sign(ownerKey, "text")); err != nil {
		t.Errorf("its owner: %v", err)
	}
	for name, wrong := range map[string][2]string{
		"a stranger":        {wallet.Hex(), sign(strangerKey, "text")},
		"another text":      {wallet.Hex(), sign(ownerKey, "other")},
		"an account's name": {Payer.Hex(), sign(ownerKey, "text")},
		"not hex":           {wallet.Hex(), "text"},
	} {
		if err := chain.SignedText(t.Context(), wrong[0], "text", wrong[1]); !errors.As(err, new(*payments.Invalid)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dead, err := evm.Dial(s.token, []string{"http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	wantUndecided(t, dead.SignedText(t.Context(), wallet.Hex(), "text", sign(ownerKey, "text")))
}
