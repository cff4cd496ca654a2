package payments_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"governance.internal/shared/payments"
)

// double is a facilitator over a chain in memory: it keeps what a real one must
// keep, that an authorization moves money once and a wallet nonce mines once.
// The real facilitator runs through the same machine in functions/local.
type double struct {
	mu      sync.Mutex
	mined   map[string]string // authorization nonce -> transaction hash
	spent   map[uint64]string // wallet nonce -> transaction hash
	invalid error             // answer of Verify
	down    error             // every call fails before it has an effect
	now     func() time.Time  // block time
	hangs   bool              // broadcast works, no receipt comes
	reverts bool              // the transaction is mined and moves nothing

	disowned bool // no signature is the payer's any more

	meanwhile func() // runs once while a payment is being verified
}

func newDouble() *double { return &double{mined: map[string]string{}, spent: map[uint64]string{}} }

func (d *double) Authentic(_ context.Context, p payments.Payment) error {
	if p.Signature != "good" || d.disowned {
		return &payments.Invalid{Reason: "bad_signature"}
	}
	return d.isDown()
}

func (d *double) Open(p payments.Payment, now time.Time) error {
	if uint64(now.Unix())+6 > p.ValidBefore {
		return &payments.Invalid{Reason: payments.ReasonExpired}
	}
	return nil
}

func (d *double) Verify(_ context.Context, p payments.Payment) error {
	if d.meanwhile != nil {
		once := d.meanwhile
		d.meanwhile = nil
		once()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mined[p.Nonce] != "" {
		return &payments.Invalid{Reason: payments.ReasonNonceUsed}
	}
	return errors.Join(d.invalid, d.down)
}

func (d *double) RunsCode(context.Context, payments.Payment) (bool, error) { return false, d.isDown() }

func (d *double) Funds(context.Context, payments.Payment) (int64, error) {
	return 1_000_000_000, d.isDown()
}

func (d *double) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	if d.isDown() != nil {
		return payments.Settlement{}, d.isDown()
	}
	a := j.Attempt()
	if !a.Signed() && uint64(d.now().Unix()) >= p.ValidBefore {
		return d.outcome(p, a)
	}
	for !a.Signed() {
		next, known, err := j.NextNonce(ctx, "chain", "wallet")
		if err != nil {
			return payments.Settlement{}, err
		}
		if !known {
			next = 5
		}
		a = payments.Attempt{Chain: "chain", Wallet: "wallet", WalletNonce: next, Raw: []byte(p.Nonce), Hash: fmt.Sprintf("tx-%s-%d", p.Nonce, next)}
		if err := j.Record(ctx, a); errors.Is(err, payments.ErrNonceTaken) {
			a = payments.Attempt{}
		} else if err != nil {
			return payments.Settlement{}, err
		}
	}
	d.broadcast(p, a)
	j.Sent()
	return d.outcome(p, a)
}

func (d *double) isDown() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.down
}

func (d *double) broadcast(p payments.Payment, a payments.Attempt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.spent[a.WalletNonce] != "" {
		return
	}
	d.spent[a.WalletNonce] = a.Hash
	if d.mined[p.Nonce] == "" && !d.reverts {
		d.mined[p.Nonce] = a.Hash
	}
}

func (d *double) outcome(p payments.Payment, a payments.Attempt) (payments.Settlement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.hangs:
		return payments.Settlement{}, &payments.Pending{Transaction: a.Hash}
	case d.mined[p.Nonce] == "":
		return payments.Settlement{}, &payments.Rejected{Reason: "invalid_transaction_state", Transaction: a.Hash}
	}
	return payments.Settlement{Transaction: d.mined[p.Nonce]}, nil
}

func (d *double) set(change func(*double)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// transfers counts the money that moved.
func (d *double) transfers() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.mined)
}

// book is a ledger in memory.
type book struct {
	mu      sync.Mutex
	settled map[payments.Key]int
	refused map[string]int
	down    error
	closed  error

	reversed map[payments.Key]bool
}

func newBook() *book {
	return &book{settled: map[payments.Key]int{}, refused: map[string]int{}, reversed: map[payments.Key]bool{}}
}

func (b *book) Ready(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

func (b *book) Settled(_ context.Context, r payments.Record) (payments.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down != nil {
		return payments.Answer{}, b.down
	}
	b.settled[r.Key()]++
	reply := *r.Result
	reply.Header = map[string][]string{"Payment-Response": {r.Settlement.Transaction}}
	return reply, nil
}

func (b *book) Refused(_ context.Context, r payments.Record, reason string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused[reason+"/"+r.Key().String()]++
	return b.down
}

func (b *book) Reversed(_ context.Context, r payments.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reversed[r.Key()] = true
	return b.down
}

// clock is a settable time, which stands still until it runs.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	runs time.Time // since when by the machine's clock
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs.IsZero() {
		return c.now
	}
	return c.now.Add(time.Since(c.runs))
}

// run lets the time pass by itself: who waits for the end of a lease would wait for ever.
func (c *clock) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = time.Now()
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
