package payments_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
)

// The model test runs the machine in made-up worlds in which everything fails
// that can: several processes with wrong clocks that die at any step, a store
// that is slow, throttled or loses its answers, a chain whose nodes fail, whose
// blocks are dropped and whose transactions get lost or are carried out by
// strangers, payers who cancel, clients that hang up, send twice and come back
// later. Time is virtual, so a history of minutes takes a millisecond.
//
// Then the faults end, and no history may have cheated: see world.judge.
func TestRandomHistoriesNeverCheat(t *testing.T) {
	const chunk = 250
	var all tally
	t.Run("histories", func(t *testing.T) {
		for from := uint64(0); from < histories; from += chunk {
			t.Run(fmt.Sprint(from), func(t *testing.T) {
				t.Parallel()
				for seed := from; seed < from+chunk; seed++ {
					synctest.Test(t, func(t *testing.T) { history(t, seed, &all) })
					if t.Failed() {
						return
					}
				}
			})
		}
	})
	t.Logf("figure: %d histories: %v", histories, all.counts())
	for name, n := range all.counts() {
		if n == 0 {
			t.Errorf("no history had a case of %q: the test does not test it", name)
		}
	}
}

// tally counts what happened in all histories, to see that all of it did.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (a *tally) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n == nil {
		a.n = map[string]int{}
	}
	a.n[name]++
}

func (a *tally) counts() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	full := map[string]int{}
	for _, name := range []string{"answers", "equal answers again", "new payments asked for", "unknown outcomes", "failed handlers", "kills",
		"lost store answers", "reorganizations", "lost transactions", "strangers", "cancels", "hang-ups", "too little money"} {
		full[name] = a.n[name]
	}
	return full
}

// world is one history.
type world struct {
	t       *testing.T
	seed    uint64
	dice    *dice
	tally   *tally
	chain   *modelChain
	store   payments.Store
	book    *book
	calm    bool // no more faults
	clients []*client
	skew    time.Duration // of our clocks against the chain's and the clients'
	mu      sync.Mutex
	living  []*modelProcess
}

// dice are the randomness of a world; goroutines of a bubble may throw at once.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (d *dice) n(sides int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.IntN(sides)
}

// one is true one time in so many.
func (d *dice) one(in int) bool { return d.n(in) == 0 }

func (d *dice) upTo(most time.Duration) time.Duration {
	return time.Duration(d.n(int(most/time.Millisecond)+1)) * time.Millisecond
}

// fault reports whether one of so many goes wrong, while anything does.
func (w *world) fault(in int) bool {
	w.mu.Lock()
	calm := w.calm
	w.mu.Unlock()
	return !calm && w.dice.one(in)
}

func history(t *testing.T, seed uint64, all *tally) {
	w := &world{t: t, seed: seed, tally: all, dice: &dice{r: rand.New(rand.NewPCG(seed, 3))}, book: newBook()}
	w.skew = time.Duration(w.dice.n(61)-30) * time.Second
	w.chain = newModelChain(w)
	w.store = &modelStore{Store: memory.New(), w: w}
	for range 2 {
		w.living = append(w.living, w.newProcess())
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var background, clients sync.WaitGroup
	background.Go(func() { w.chain.run(ctx) })
	background.Go(func() { w.sweep(ctx) })
	for i := range 1 + w.dice.n(3) {
		c := &client{w: w, name: fmt.Sprint(i)}
		w.clients = append(w.clients, c)
		clients.Go(c.run)
	}
	clients.Wait()
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	time.Sleep(5 * time.Minute) // every window is over, every lease, every watch
	for _, c := range w.clients {
		c.conclude()
	}
	time.Sleep(time.Minute)
	end()
	background.Wait()
	w.judge()
}

func (w *world) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		p := w.process()
		p.do(func() { _, _ = p.Sweep(ctx) }) // its failures are the next one's work
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
		}
	}
}

// modelProcess is a machine that can be killed: then whatever runs in it ends at
// its next step.
type modelProcess struct {
	*payments.Machine
	w    *world
	mu   sync.Mutex
	dead bool
}

func (w *world) newProcess() *modelProcess {
	skew := w.skew + w.dice.upTo(200*time.Millisecond)
	p := &modelProcess{w: w}
	p.Machine = &payments.Machine{
		Store: w.store, Facilitator: w.chain, Ledger: modelLedger{w}, Lease: payments.Lease, Owner: fmt.Sprintf("%p", p),
		Now:  func() time.Time { return time.Now().Add(skew) },
		Step: p.step,
	}
	return p
}

func (w *world) process() *modelProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.dice.n(len(w.living))
	w.living[i].mu.Lock()
	dead := w.living[i].dead
	w.living[i].mu.Unlock()
	if dead {
		w.living[i] = w.newProcess()
	}
	return w.living[i]
}

func (p *modelProcess) step(string) {
	kill := p.w.fault(25)
	p.mu.Lock()
	if kill && !p.dead {
		p.w.tally.add("kills")
		p.dead = true
	}
	dead := p.dead
	p.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

// do runs something in the process and comes back even when that dies.
func (p *modelProcess) do(what func()) (finished bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		what()
		finished = true
	}()
	<-done
	return finished
}

// modelStore is slow, and while faults last it throttles, fails and loses
// answers of writes that it did.
type modelStore struct {
	payments.Store
	w *world
}

func (s *modelStore) slow() { time.Sleep(s.w.dice.upTo(20 * time.Millisecond)) }

func (s *modelStore) Load(ctx context.Context, key payments.Key) (payments.Record, error) {
	if s.slow(); s.w.fault(25) {
		return payments.Record{}, errStore
	}
	return s.Store.Load(ctx, key)
}

func (s *modelStore) Save(ctx context.Context, r payments.Record) (payments.Record, error) {
	return s.write(func() (payments.Record, error) { return s.Store.Save(ctx, r) })
}

func (s *modelStore) Reserve(ctx context.Context, r payments.Record, room int64) (payments.Record, error) {
	return s.write(func() (payments.Record, error) { return s.Store.Reserve(ctx, r, room) })
}

func (s *modelStore) Account(ctx context.Context, asset, payer string) (payments.Account, error) {
	if s.slow(); s.w.fault(25) {
		return payments.Account{}, errStore
	}
	return s.Store.Account(ctx, asset, payer)
}

func (s *modelStore) Submit(ctx context.Context, r payments.Record) (payments.Record, error) {
	return s.write(func() (payments.Record, error) { return s.Store.Submit(ctx, r) })
}

func (s *modelStore) write(do func() (payments.Record, error)) (payments.Record, error) {
	if s.slow(); s.w.fault(25) {
		return payments.Record{}, errStore
	}
	r, err := do()
	if s.slow(); s.w.fault(25) {
		s.w.tally.add("lost store answers")
		return payments.Record{}, errStore
	}
	return r, err
}

// modelLedger is the book with failures before and after its effect.
type modelLedger struct{ w *world }

func (l modelLedger) Ready(context.Context) error {
	if l.w.fault(20) {
		return errStore
	}
	return nil
}

func (l modelLedger) Settled(ctx context.Context, r payments.Record) (payments.Answer, error) {
	if l.w.fault(20) {
		return payments.Answer{}, errStore
	}
	reply, err := l.w.book.Settled(ctx, r)
	if l.w.fault(20) {
		return payments.Answer{}, errStore
	}
	return reply, err
}

func (l modelLedger) Refused(ctx context.Context, r payments.Record, reason string) error {
	return l.w.book.Refused(ctx, r, reason)
}

func (l modelLedger) Reversed(ctx context.Context, r payments.Record) error {
	if l.w.fault(20) {
		return errStore
	}
	return l.w.book.Reversed(ctx, r)
}

// client wants one answer. It signs a new payment only when an answer asks for one.
type client struct {
	w       *world
	name    string
	mu      sync.Mutex
	signed  []payments.Payment // all of them; the last one is in use
	answers map[string]string  // by authorization nonce
}

func (c *client) sign() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signed = append(c.signed, payments.Payment{Asset: "0xa", Payer: "0xb", Amount: 5000, Signature: "good",
		Nonce: fmt.Sprintf("%s-%d", c.name, len(c.signed)), ValidBefore: uint64(time.Now().Unix()) + 60})
}

func (c *client) run() {
	time.Sleep(c.w.dice.upTo(3 * time.Second))
	c.sign()
	for range 6 {
		again := c.w.dice.one(3)
		var twin sync.WaitGroup
		if again { // an equal request at the same time
			twin.Go(func() { c.send(c.current()) })
		}
		done := c.send(c.current())
		twin.Wait()
		if done && !again {
			return
		}
		time.Sleep(c.w.dice.upTo(20 * time.Second))
	}
}

func (c *client) current() payments.Payment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signed[len(c.signed)-1]
}

// send makes one request with a payment and says whether the client has what it
// wants.
func (c *client) send(p payments.Payment) (done bool) {
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	if c.w.fault(8) {
		c.w.tally.add("hang-ups")
		time.AfterFunc(c.w.dice.upTo(3*time.Second), hangUp)
	}
	var reply payments.Answer
	var err error
	process := c.w.process()
	if !process.do(func() { reply, err = process.Pay(ctx, c.order(p)) }) || ctx.Err() != nil {
		return false // the connection broke
	}
	return c.hear(p, reply, err)
}

func (c *client) order(p payments.Payment) payments.Order {
	return payments.Order{
		Payment: p, Request: payments.Request{Product: "lint", Fingerprint: c.name, SecretBody: true}, PayloadHash: "hash-" + p.Nonce,
		Work: func(context.Context) (payments.Answer, error) {
			time.Sleep(c.w.dice.upTo(2 * time.Second))
			if c.w.fault(10) {
				c.w.tally.add("failed handlers")
				return payments.Answer{Status: 500}, nil
			}
			return payments.Answer{Status: 200, Body: fmt.Appendf(nil, "result %d", c.w.dice.n(1<<30))}, nil
		},
	}
}

// hear acts on an answer.
func (c *client) hear(p payments.Payment, reply payments.Answer, err error) (done bool) {
	var (
		invalid  *payments.Invalid
		rejected *payments.Rejected
		pending  *payments.Pending
		down     *payments.Unavailable
	)
	switch {
	case err == nil && reply.Status == 200:
		c.deliver(p, string(reply.Body)+reply.Header["Payment-Response"][0])
		return true
	case err == nil: // the handler failed: the same payment may be used again
	case errors.As(err, &invalid), errors.As(err, &rejected):
		if invalid != nil && invalid.Reason == payments.ReasonFunds {
			c.w.tally.add("too little money")
		}
		if p.Nonce == c.current().Nonce { // a twin may have signed already
			c.w.tally.add("new payments asked for")
			c.sign()
		}
	case errors.As(err, &pending), errors.As(err, &down):
		c.w.tally.add("unknown outcomes")
	default:
		c.w.t.Errorf("seed %d: payment %s: %v", c.w.seed, p.Nonce, err)
	}
	return false
}

func (c *client) deliver(p payments.Payment, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = map[string]string{}
	}
	before, again := c.answers[p.Nonce]
	switch {
	case !again:
		c.w.tally.add("answers")
	case before != answer:
		c.w.t.Errorf("seed %d: payment %s was answered %q and then %q", c.w.seed, p.Nonce, before, answer)
	default:
		c.w.tally.add("equal answers again")
	}
	c.answers[p.Nonce] = answer
}

// conclude asks once more for everything that was paid, when nothing fails any
// more: who paid gets his answer.
func (c *client) conclude() {
	for _, p := range c.signed {
		if c.w.chain.transfers(p.Nonce) == 0 {
			continue
		}
		if !c.send(p) {
			c.w.t.Errorf("seed %d: payment %s moved money and gets no answer", c.w.seed, p.Nonce)
		}
	}
}

// judge looks at the end of a history: no authorization moved money twice, no
// client paid twice for one answer, no client has an answer without payment, and each
// client that paid has an answer and an entry in the ledger. The payer's account is empty,
// and unless a block was dropped no transaction was sent that the balance did not cover.
func (w *world) judge() {
	account, err := w.store.Account(context.Background(), "0xa", "0xb")
	if err != nil || account.Open() != 0 {
		w.t.Errorf("seed %d: %d units are still open (%v)", w.seed, account.Open(), err)
	}
	if w.chain.broken > 0 && !w.chain.reorganized {
		w.t.Errorf("seed %d: %d transactions reverted for lack of money", w.seed, w.chain.broken)
	}
	for _, c := range w.clients {
		paid := 0
		for _, p := range c.signed {
			moved := w.chain.transfers(p.Nonce)
			paid += moved
			r, err := w.store.Load(context.Background(), p.Key())
			if err == nil && r.Open() {
				w.t.Errorf("seed %d: payment %s is still %s", w.seed, p.Nonce, r.State)
			}
			answer, answered := c.answers[p.Nonce]
			if answered && moved == 0 && r.Reason != payments.ReasonReversed {
				w.t.Errorf("seed %d: payment %s: answer %q without money", w.seed, p.Nonce, answer)
			}
			if reversed := r.Reason == payments.ReasonReversed; reversed != w.book.reversed[p.Key()] {
				w.t.Errorf("seed %d: payment %s: reversed %v, in the book %v", w.seed, p.Nonce, reversed, w.book.reversed[p.Key()])
			}
			if moved > 1 {
				w.t.Errorf("seed %d: payment %s moved money %d times", w.seed, p.Nonce, moved)
			}
			if moved > 0 && w.book.settled[p.Key()] == 0 {
				w.t.Errorf("seed %d: payment %s is not in the book", w.seed, p.Nonce)
			}
		}
		if paid > 1 {
			w.t.Errorf("seed %d: client %s paid %d times", w.seed, c.name, paid)
		}
	}
}
