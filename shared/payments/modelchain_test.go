package payments_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"governance.internal/shared/payments"
)

// modelChain is a token on a chain with blocks of two seconds, one gas wallet, a
// pool that loses transactions, a head that may be dropped, and strangers. It
// implements payments.Facilitator as the real one does: what the chain says
// decides, and nothing else.
type modelChain struct {
	w           *world
	mu          sync.Mutex
	blocks      []modelBlock
	pool        map[string]modelTx // by hash
	made        int                // blocks, dropped ones counted
	public      []payments.Payment // authorizations that strangers have seen
	funds       int64              // of the one payer, at first
	reorganized bool
	broken      int // transactions of the gas wallet that reverted because the money was gone
}

type modelBlock struct {
	id   int // like a hash: of no other block
	time time.Time
	txs  []modelTx
}

// modelTx is mined; did says what it did with its authorization.
type modelTx struct {
	hash     string
	block    int    // id
	nonce    uint64 // of the gas wallet
	stranger bool   // not from the gas wallet
	cancel   bool
	payment  payments.Payment
	did      string // "moved", "canceled", "" for reverted
}

const blockTime = 2 * time.Second

func newModelChain(w *world) *modelChain {
	funds := int64(1_000_000_000)
	if w.dice.one(2) { // a payer who can pay for some only
		funds = int64(1+w.dice.n(2)) * 5000
	}
	return &modelChain{w: w, pool: map[string]modelTx{}, blocks: []modelBlock{{time: time.Now()}}, funds: funds}
}

// run mines until ctx ends.
func (c *modelChain) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(blockTime):
			c.mine()
		}
	}
}

func (c *modelChain) mine() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.blocks) > 1 && c.w.fault(20) { // the head is dropped, its transactions wait again or are lost
		dropped := c.blocks[len(c.blocks)-1]
		c.blocks = c.blocks[:len(c.blocks)-1]
		if len(dropped.txs) > 0 {
			c.reorganized = true
			c.w.tally.add("reorganizations")
		}
		for _, tx := range dropped.txs {
			if c.w.dice.one(2) {
				tx.did = ""
				c.pool[tx.hash] = tx
			}
		}
	}
	for hash := range c.pool {
		if c.w.fault(15) {
			c.w.tally.add("lost transactions")
			delete(c.pool, hash)
		}
	}
	c.made++
	c.blocks = append(c.blocks, modelBlock{id: c.made, time: time.Now()})
	for _, p := range c.public {
		if c.w.fault(40) {
			c.w.tally.add("strangers")
			c.execute(modelTx{hash: fmt.Sprintf("stranger-%s-%d", p.Nonce, len(c.blocks)), stranger: true, payment: p})
		}
		if c.w.fault(60) {
			c.w.tally.add("cancels")
			c.execute(modelTx{hash: fmt.Sprintf("cancel-%s-%d", p.Nonce, len(c.blocks)), stranger: true, cancel: true, payment: p})
		}
	}
	for found := true; found; {
		found = false
		next := c.nextNonce()
		for hash, tx := range c.pool {
			if tx.nonce == next || tx.stranger {
				delete(c.pool, hash)
				c.execute(tx)
				found = true
			}
		}
	}
}

// execute puts a transaction into the head.
func (c *modelChain) execute(tx modelTx) {
	head := &c.blocks[len(c.blocks)-1]
	tx.block = head.id
	switch {
	case c.used(tx.payment.Nonce) != nil:
	case tx.cancel:
		tx.did = "canceled"
	case uint64(head.time.Unix()) >= tx.payment.ValidBefore:
	case c.balance() < tx.payment.Amount:
		if !tx.stranger {
			c.broken++
		}
	default:
		tx.did = "moved"
	}
	head.txs = append(head.txs, tx)
}

// balance is what the payer has at the head.
func (c *modelChain) balance() int64 {
	left := c.funds
	for _, b := range c.blocks {
		for _, tx := range b.txs {
			if tx.did == "moved" {
				left -= tx.payment.Amount
			}
		}
	}
	return left
}

// used finds the transaction that used an authorization.
func (c *modelChain) used(nonce string) *modelTx {
	return c.find(func(tx modelTx) bool { return tx.payment.Nonce == nonce && tx.did != "" })
}

func (c *modelChain) mined(hash string) *modelTx {
	return c.find(func(tx modelTx) bool { return tx.hash == hash })
}

func (c *modelChain) find(match func(modelTx) bool) *modelTx {
	for b := range c.blocks {
		for i := range c.blocks[b].txs {
			if match(c.blocks[b].txs[i]) {
				return &c.blocks[b].txs[i]
			}
		}
	}
	return nil
}

func (c *modelChain) nextNonce() (next uint64) {
	for _, b := range c.blocks {
		for _, tx := range b.txs {
			if !tx.stranger {
				next = max(next, tx.nonce+1)
			}
		}
	}
	return next
}

// transfers counts how often an authorization moved money.
func (c *modelChain) transfers(nonce string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.blocks {
		for _, tx := range b.txs {
			if tx.payment.Nonce == nonce && tx.did == "moved" {
				n++
			}
		}
	}
	return n
}

var errNode = errors.New("no chain node answers")

// call is a JSON-RPC call that may be slow or fail.
func (c *modelChain) call(ctx context.Context) error {
	wait := c.w.dice.upTo(100 * time.Millisecond)
	if c.w.fault(30) {
		wait = c.w.dice.upTo(6 * time.Second)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
	}
	if c.w.fault(12) {
		return errNode
	}
	return nil
}

func (c *modelChain) Authentic(context.Context, payments.Payment) error { return nil }

func (c *modelChain) Open(p payments.Payment, now time.Time) error {
	if uint64(now.Unix())+6 > p.ValidBefore {
		return &payments.Invalid{Reason: payments.ReasonExpired}
	}
	return nil
}

func (c *modelChain) Verify(ctx context.Context, p payments.Payment) error {
	if err := c.call(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used(p.Nonce) != nil {
		return &payments.Invalid{Reason: payments.ReasonNonceUsed}
	}
	if c.balance() < p.Amount {
		return &payments.Invalid{Reason: payments.ReasonFunds}
	}
	return nil
}

func (c *modelChain) RunsCode(context.Context, payments.Payment) (bool, error) { return false, nil }

func (c *modelChain) Funds(ctx context.Context, _ payments.Payment) (int64, error) {
	if err := c.call(ctx); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.balance(), nil
}

func (c *modelChain) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	a := j.Attempt()
	for {
		s, err := c.outcome(ctx, p, a)
		var rejected *payments.Rejected
		if err == nil || errors.As(err, &rejected) {
			return s, err
		}
		if !a.Signed() {
			if err != errUndecided { // the chain cannot be asked
				return s, err
			}
			if a, err = c.sign(ctx, p, j); err != nil {
				return s, err
			}
		}
		if err := c.broadcast(ctx, p, a); err != nil {
			return s, &payments.Pending{Transaction: a.Hash}
		}
		j.Sent()
		for {
			s, err = c.outcome(ctx, p, a)
			if err == nil || errors.As(err, &rejected) {
				return s, err
			}
			if ctx.Err() != nil {
				return s, &payments.Pending{Transaction: a.Hash}
			}
			if c.spentElsewhere(a) {
				break
			}
			time.Sleep(500 * time.Millisecond)
		}
		a = payments.Attempt{}
	}
}

func (c *modelChain) spentElsewhere(a payments.Attempt) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nextNonce() > a.WalletNonce && c.mined(a.Hash) == nil
}

var errUndecided = errors.New("nothing decided yet")

// outcome is what the chain proves. Like the real one it waits for more than one
// block after the end of the window before it calls a payment failed, because
// until then a dropped block may bring everything back.
func (c *modelChain) outcome(ctx context.Context, p payments.Payment, a payments.Attempt) (payments.Settlement, error) {
	if err := c.call(ctx); err != nil {
		return payments.Settlement{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	used := c.used(p.Nonce)
	switch {
	case used != nil && used.did == "moved":
		return payments.Settlement{Transaction: used.hash, BlockHash: fmt.Sprint(used.block)}, nil
	case uint64(c.blocks[len(c.blocks)-1].time.Unix()) >= p.ValidBefore+reorgMargin:
		return payments.Settlement{}, &payments.Rejected{Reason: payments.ReasonExpired, Transaction: a.Hash}
	}
	return payments.Settlement{}, errUndecided
}

const reorgMargin = 6 // seconds

func (c *modelChain) sign(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Attempt, error) {
	if err := c.call(ctx); err != nil {
		return payments.Attempt{}, err
	}
	c.mu.Lock()
	seen := c.nextNonce()
	c.mu.Unlock()
	for {
		next, known, err := j.NextNonce(ctx, "chain", "wallet")
		if err != nil {
			return payments.Attempt{}, err
		}
		if !known || next < seen {
			next = seen
		}
		a := payments.Attempt{Chain: "chain", Wallet: "wallet", WalletNonce: next, Raw: []byte(p.Nonce), Hash: fmt.Sprintf("tx-%s-%d", p.Nonce, next)}
		if err := j.Record(ctx, a); !errors.Is(err, payments.ErrNonceTaken) {
			return a, err
		}
	}
}

func (c *modelChain) broadcast(ctx context.Context, p payments.Payment, a payments.Attempt) error {
	before, after := c.call(ctx), c.call(ctx)
	if before != nil {
		return before
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mined(a.Hash) == nil && c.nextNonce() <= a.WalletNonce {
		c.pool[a.Hash] = modelTx{hash: a.Hash, nonce: a.WalletNonce, payment: p}
	}
	c.public = append(c.public, p)
	return after
}
