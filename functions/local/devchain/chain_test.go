package devchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
)

func TestTheKeysBelongToTheAccounts(t *testing.T) {
	for hex, want := range map[string]common.Address{PayerKey: Payer, PayToKey: PayTo, GasKey: GasWallet} {
		if got := crypto.PubkeyToAddress(key(hex).PublicKey); got != want {
			t.Errorf("key %s belongs to %s, want %s", hex, got, want)
		}
	}
}

func TestGenesisBalances(t *testing.T) {
	cl := start(t, Options{}).Client()
	if a, b, c := balance(t, cl, Payer), balance(t, cl, PayTo), balance(t, cl, GasWallet); a != PayerUnits || b != 0 || c != 0 {
		t.Errorf("dollars %d %d %d, want %d 0 0", a, b, c, PayerUnits)
	}
	for who, ether := range map[common.Address]int64{Payer: 10, PayTo: 10, GasWallet: 10_000} {
		wei, err := cl.BalanceAt(t.Context(), who, nil)
		if err != nil || new(big.Int).Div(wei, big.NewInt(params.Ether)).Int64() != ether {
			t.Errorf("%s has %s wei, want %d ether (%v)", who, wei, ether, err)
		}
	}
	if id, err := cl.ChainID(t.Context()); err != nil || id.Int64() != ChainID {
		t.Errorf("chain id %v (%v)", id, err)
	}
}

func TestStartingAChainLeavesGoEthereumsSharedRulesAlone(t *testing.T) {
	before, _ := json.Marshal(params.AllDevChainProtocolChanges)
	start(t, Options{})
	if after, _ := json.Marshal(params.AllDevChainProtocolChanges); !bytes.Equal(before, after) {
		t.Errorf("changed from %s to %s", before, after)
	}
}

// post is a JSON-RPC call with nothing but net/http.
func post(t *testing.T, url, method string, args ...any) json.RawMessage {
	t.Helper()
	if args == nil {
		args = []any{}
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": args})
	res, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != nil {
		t.Fatalf("%s: status %d, %v %s", method, res.StatusCode, err, answer.Error)
	}
	return answer.Result
}

func TestJSONRPCOverHTTP(t *testing.T) {
	c := start(t, Options{RPCAddr: "127.0.0.1:0"})
	for method, want := range map[string]string{
		"eth_chainId": `"0x2105"`, "net_version": `"8453"`, "eth_syncing": `false`,
		"web3_clientVersion": `"governance-devchain/1"`,
	} {
		if got := string(post(t, c.URL(), method)); got != want {
			t.Errorf("%s = %s, want %s", method, got, want)
		}
	}
	if got := string(post(t, c.URL(), "web3_sha3", "0x")); got != `"`+hexutil.Encode(crypto.Keccak256())+`"` {
		t.Errorf("web3_sha3 = %s", got)
	}
	var block struct{ Hash string }
	json.Unmarshal(post(t, c.URL(), "eth_getBlockByNumber", "0x0", false), &block)
	if block.Hash != c.Instance() {
		t.Errorf("block 0 is %s, Instance says %s", block.Hash, c.Instance())
	}

	raw, _ := signedTx(t, key(GasKey), 0, dollars(5000).transfer(t, false, key(PayerKey))).MarshalBinary()
	var hash string
	json.Unmarshal(post(t, c.URL(), "eth_sendRawTransaction", hexutil.Encode(raw)), &hash)
	var r struct{ Status, BlockNumber string }
	json.Unmarshal(post(t, c.URL(), "eth_getTransactionReceipt", hash), &r)
	if r.Status != "0x1" || r.BlockNumber != "0x1" {
		t.Errorf("the receipt right after sending: %+v", r)
	}
	raw, _ = signedTx(t, key(GasKey), 1, dollars(5000).transfer(t, true, key(PayerKey))).MarshalBinary()
	json.Unmarshal(post(t, c.URL(), "eth_sendRawTransactionSync", hexutil.Encode(raw)), &r)
	if r.Status != "0x1" {
		t.Errorf("eth_sendRawTransactionSync: %+v", r)
	}
	for _, closed := range []string{"admin_nodeInfo", "debug_setHead", "miner_setExtra", "txpool_content"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + closed + `","params":[]}`
		res, err := http.Post(c.URL(), "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !bytes.Contains(text, []byte("-32601")) {
			t.Errorf("%s answers %s", closed, text)
		}
	}
}

func TestOnlyLocalProgramsAndPagesAreServed(t *testing.T) {
	c := start(t, Options{RPCAddr: "127.0.0.1:0"})
	for _, tc := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200},
		{"localhost:8545", "http://localhost:3000", 200},
		{"[::1]:8545", "", 200},
		{"rebound.example", "", 403},
		{"", "https://page.example", 403},
		{"", "http://127.0.0.1.nip.io", 403},
	} {
		r, _ := http.NewRequest("POST", c.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Host = tc.host
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tc.want {
			t.Errorf("host %q origin %q: %d, want %d", tc.host, tc.origin, res.StatusCode, tc.want)
		}
	}
}

func TestAnAddressOffTheLoopbackIsRefused(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:8545", "example.com:80", "8545"} {
		if c, err := Start(t.Context(), Options{RPCAddr: addr}); err == nil {
			c.Close()
			t.Errorf("%q was accepted", addr)
		}
	}
}

func TestASecondUseOfAPoolNonceIsRefused(t *testing.T) {
	c := start(t, Options{BlockTime: time.Hour}) // stays pending
	cl := c.Client()
	first := signedTx(t, key(GasKey), 0, dollars(1).transfer(t, false, key(PayerKey)))
	second := signedTx(t, key(GasKey), 0, dollars(2).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, pending, err := cl.TransactionByHash(t.Context(), first.Hash()); err != nil || !pending {
		t.Errorf("pending %v, %v", pending, err)
	}
	if err := cl.SendTransaction(t.Context(), first); err == nil || !strings.Contains(err.Error(), "already known") {
		t.Errorf("the same again: %v", err)
	}
	if err := cl.SendTransaction(t.Context(), second); err == nil || !strings.Contains(err.Error(), "replacement transaction underpriced") {
		t.Errorf("another with the same nonce: %v", err)
	}
	if err := c.seal(); err != nil {
		t.Fatal(err)
	}
	if err := cl.SendTransaction(t.Context(), first); err == nil || !strings.Contains(err.Error(), "nonce too low") {
		t.Errorf("the mined one again: %v", err)
	}
}

func TestAnEscapedMethodNameDoesNotStopTheChain(t *testing.T) {
	c := start(t, Options{RPCAddr: "127.0.0.1:0"})
	raw, _ := signedTx(t, key(GasKey), 0, dollars(1).transfer(t, false, key(PayerKey))).MarshalBinary()
	body := `{"jsonrpc":"2.0","id":1,"method":"eth_send\u0052awTransaction","params":["` + hexutil.Encode(raw) + `"]}`
	res, err := http.Post(c.URL(), "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if !bytes.Contains(text, []byte("without escapes")) {
		t.Errorf("answer %s", text)
	}
	if r := send(t, c.Client(), key(GasKey), dollars(1).transfer(t, false, key(PayerKey))); r.Status != 1 {
		t.Error("reverted")
	}
}

func TestBlockTimeMakesATransactionWait(t *testing.T) {
	const blockTime = 200 * time.Millisecond
	cl := start(t, Options{BlockTime: blockTime}).Client()
	tx := signedTx(t, key(GasKey), 0, dollars(5).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if r, err := cl.TransactionReceipt(t.Context(), tx.Hash()); err == nil {
			if r.Status != 1 {
				t.Error("reverted")
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("never mined")
		}
	}
}

func TestATransactionBehindANonceGapWaitsForTheGap(t *testing.T) {
	cl := start(t, Options{}).Client()
	late := signedTx(t, key(GasKey), 1, dollars(5).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.TransactionReceipt(t.Context(), late.Hash()); err == nil {
		t.Fatal("mined before its predecessor")
	}
	gap := signedTx(t, key(GasKey), 0, dollars(6).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), gap); err != nil {
		t.Fatal(err)
	}
	if a, b := receipt(t, cl, gap.Hash()), receipt(t, cl, late.Hash()); a.Status != 1 || b.Status != 1 {
		t.Errorf("status %d and %d", a.Status, b.Status)
	}
}

func TestTimestampsAreThePresentWhileTheChainIsIdle(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	move := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	c := start(t, Options{Now: clock})
	cl := c.Client()
	head := func() *types.Header {
		h, err := cl.HeaderByNumber(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for range 100 {
		move(time.Second)
		if h := head(); h.Time != uint64(clock().Unix()) || h.Number.Int64() != 1 {
			t.Fatalf("block %d at %d, want block 1 at %d", h.Number, h.Time, clock().Unix())
		}
	}
	move(72 * time.Hour)
	a := dollars(5)
	a.validAfter, a.validBefore = big.NewInt(clock().Unix()-1), big.NewInt(clock().Unix()+60)
	r := send(t, cl, key(GasKey), a.transfer(t, false, key(PayerKey)))
	if r.Status != 1 || r.BlockNumber.Int64() != 1 {
		t.Errorf("status %d in block %d", r.Status, r.BlockNumber)
	}
	move(time.Hour)
	if h := head(); h.Number.Int64() != 2 || h.ParentHash != r.BlockHash {
		t.Errorf("the block of the payment was replaced after its second")
	}
	move(-2 * time.Hour) // the clock is set back: the chain stands still
	if h := head(); h.Number.Int64() != 2 {
		t.Errorf("head %d", h.Number)
	}
	if r := send(t, cl, key(GasKey), nil); r.Status != 0 {
		t.Error("a call with no data was taken")
	}
}

func TestABurstStaysInThePresent(t *testing.T) {
	const payments = 200
	c := start(t, Options{RPCAddr: "127.0.0.1:0"})
	began := time.Now()
	txs := make([]*types.Transaction, payments)
	for i := range txs { // two senders, each with an unbroken row of nonces
		sender := key([]string{GasKey, PayToKey}[i*2/payments])
		txs[i] = signedTx(t, sender, uint64(i%(payments/2)), dollars(1).transfer(t, i%2 == 0, key(PayerKey)))
	}
	signed := time.Since(began)
	began = time.Now()
	var wg sync.WaitGroup
	for _, part := range [][]*types.Transaction{txs[:payments/2], txs[payments/2:]} {
		cl, err := ethclient.Dial(c.URL())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for _, tx := range part {
				if err := cl.SendTransaction(t.Context(), tx); err != nil {
					t.Error(err)
				}
				asked := time.Now().Unix()
				h, err := cl.HeaderByNumber(t.Context(), nil)
				if now := time.Now().Unix(); err != nil || int64(h.Time) < asked || int64(h.Time) > now {
					t.Errorf("head at %v, asked at %d, answered at %d (%v)", h, asked, now, err)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	blocks := map[uint64]bool{}
	for _, tx := range txs {
		r := receipt(t, c.Client(), tx.Hash())
		if r.Status != 1 {
			t.Errorf("payment %s reverted", tx.Hash())
		}
		blocks[r.BlockNumber.Uint64()] = true
	}
	if got := balance(t, c.Client(), PayTo); got != payments {
		t.Errorf("seller has %d, want %d", got, payments)
	}
	t.Logf("%d payments signed in %v, sent one after the other by two clients and mined in %v, in %d blocks", payments, signed, took, len(blocks))
}

func TestTwoHundredPaymentsInOneSecondStayInThePresent(t *testing.T) {
	const payments = 200
	cl := start(t, Options{BlockTime: 100 * time.Millisecond}).Client()
	txs := make([]*types.Transaction, payments)
	for i := range txs {
		txs[i] = signedTx(t, key(GasKey), uint64(i), dollars(1).transfer(t, i%2 == 0, key(PayerKey)))
	}
	began := time.Now()
	for _, tx := range txs {
		if err := cl.SendTransaction(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
	}
	sent := time.Since(began)
	for deadline := began.Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := cl.TransactionReceipt(t.Context(), txs[payments-1].Hash()); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("not mined")
		}
	}
	took := time.Since(began)
	h, err := cl.HeaderByNumber(t.Context(), nil)
	if ahead := int64(h.Time) - time.Now().Unix(); err != nil || ahead > 0 {
		t.Errorf("the chain is %d seconds ahead (%v)", ahead, err)
	}
	if got := balance(t, cl, PayTo); got != payments {
		t.Errorf("seller has %d, want %d", got, payments)
	}
	t.Logf("sent in %v, mined after %v, head is block %d", sent, took, h.Number)
}

func TestNoReaderSeesAMinedTransactionDisappear(t *testing.T) {
	c := start(t, Options{})
	cl := c.Client()
	first := signedTx(t, key(GasKey), 0, dollars(1).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	was := receipt(t, cl, first.Hash())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 60 {
			tx := signedTx(t, key(GasKey), uint64(i+1), dollars(1).transfer(t, false, key(PayerKey)))
			if err := cl.SendTransaction(t.Context(), tx); err != nil {
				t.Error(err)
			}
		}
	}()
	reads := 0
	for running := true; running; reads++ {
		select {
		case <-done:
			running = false
		default:
		}
		r, err := cl.TransactionReceipt(t.Context(), first.Hash())
		if err != nil {
			t.Fatalf("read %d: %v", reads, err)
		}
		if r.BlockNumber.Cmp(was.BlockNumber) != 0 || r.TransactionIndex != was.TransactionIndex || r.Logs[0].Index != was.Logs[0].Index {
			t.Fatalf("read %d: the receipt moved", reads)
		}
	}
	t.Logf("%d reads during 60 payments", reads)
}

func TestADirectoryKeepsTheChain(t *testing.T) {
	dir := t.TempDir()
	c, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var receipts []*types.Receipt
	for range 3 {
		receipts = append(receipts, send(t, c.Client(), key(GasKey), dollars(100).transfer(t, false, key(PayerKey))))
	}
	was := c.Instance()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = start(t, Options{Dir: dir})
	if c.Instance() != was {
		t.Errorf("instance %s, was %s", c.Instance(), was)
	}
	for i, r := range receipts {
		again := receipt(t, c.Client(), r.TxHash)
		if again.BlockNumber.Cmp(r.BlockNumber) != 0 || again.TransactionIndex != r.TransactionIndex || again.Status != 1 {
			t.Errorf("payment %d: block %d, was %d", i, again.BlockNumber, r.BlockNumber)
		}
	}
	if last := receipt(t, c.Client(), receipts[2].TxHash); last.BlockHash != receipts[2].BlockHash {
		t.Errorf("block hash %s, was %s", last.BlockHash, receipts[2].BlockHash)
	}
	if got := balance(t, c.Client(), PayTo); got != 300 {
		t.Errorf("seller has %d, want 300", got)
	}
	if other := start(t, Options{Dir: t.TempDir()}); other.Instance() == was {
		t.Error("a new directory has the old instance")
	}
}

func TestADirectoryHasOneOwner(t *testing.T) {
	dir := t.TempDir()
	first := start(t, Options{Dir: dir})
	if c, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrInUse) {
		c.Close()
		t.Errorf("a second Start in the same process: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	start(t, Options{Dir: dir})
}

func TestAfterCloseNothingIsMined(t *testing.T) {
	c := start(t, Options{Dir: t.TempDir()})
	cl := c.Client()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	tx := signedTx(t, key(GasKey), 0, dollars(1).transfer(t, false, key(PayerKey)))
	if err := cl.SendTransaction(t.Context(), tx); err == nil {
		t.Error("a closed chain took a transaction")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
