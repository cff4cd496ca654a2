package payments_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/dynamotest"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/bolt"
	"governance.internal/shared/payments/dynamo"
	"governance.internal/shared/payments/memory"
)

// bench is a machine with everything around it.
type bench struct {
	*testing.T
	store    payments.Store
	chain    *double
	book     *book
	clock    *clock
	machine  *payments.Machine
	runs     int
	runsLock sync.Mutex
}

func newBench(t *testing.T, store payments.Store) *bench {
	b := &bench{T: t, store: store, chain: newDouble(), book: newBook(), clock: &clock{now: time.Unix(1_000_000, 0).UTC()}}
	b.chain.now = b.clock.Now
	b.restart()
	return b
}

// restart gives a new process over the same store and chain.
func (b *bench) restart() {
	b.machine = &payments.Machine{Store: b.store, Facilitator: b.chain, Ledger: b.book, Now: b.clock.Now,
		Owner: fmt.Sprintf("process-%p", new(int)), Lease: payments.Lease}
}

func (b *bench) order(nonce string, change ...func(*payments.Order)) payments.Order {
	o := payments.Order{
		Payment: payments.Payment{Asset: "0xa", Payer: "0xb", Nonce: nonce, Amount: 5000, Signature: "good",
			ValidBefore: uint64(b.clock.Now().Unix()) + 60},
		Request:     payments.Request{Product: "lint", Fingerprint: "f", SecretBody: true},
		PayloadHash: "hash-" + nonce,
		Work: func(context.Context) (payments.Answer, error) {
			b.runsLock.Lock()
			defer b.runsLock.Unlock()
			b.runs++
			return payments.Answer{Status: 200, Body: fmt.Appendf(nil, "result %d", b.runs)}, nil
		},
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

func withoutBody(o *payments.Order) { o.Request.SecretBody = false }

// pay does what the gate does, and again where the table of a slow machine did not take the
// reservation in its time, as clients do.
func (b *bench) pay(o payments.Order) (reply payments.Answer, err error) {
	deadline := time.Now().Add(time.Minute)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if err = b.machine.Authentic(context.Background(), o.Payment, o.PayloadHash); err != nil {
			return payments.Answer{}, err
		}
		reply, err = b.machine.Pay(context.Background(), o)
		var down *payments.Unavailable
		if !errors.As(err, &down) || !errors.Is(err, context.DeadlineExceeded) || time.Now().After(deadline) {
			return reply, err
		}
		time.Sleep(pause)
	}
}

func (b *bench) mustPay(o payments.Order) payments.Answer {
	b.Helper()
	reply, err := b.pay(o)
	if err != nil {
		b.Fatalf("pay: %v", err)
	}
	return reply
}

func (b *bench) state(o payments.Order) payments.State {
	b.Helper()
	r, err := b.store.Load(context.Background(), o.Payment.Key())
	if err != nil {
		b.Fatalf("load: %v", err)
	}
	return r.State
}

func as[E error](t *testing.T, err error) E {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("error %v (%T), want %T", err, err, want)
	}
	return want
}

func each(t *testing.T, test func(*testing.T, *bench)) {
	t.Run("memory", func(t *testing.T) { test(t, newBench(t, memory.New())) })
	t.Run("bolt", func(t *testing.T) {
		store, err := bolt.Open(filepath.Join(t.TempDir(), "payments.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		test(t, newBench(t, store))
	})
	t.Run("dynamo", func(t *testing.T) {
		endpoint, table := dynamotest.Table(t, "pk", "sk")
		test(t, newBench(t, dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})))
	})
}

func TestPaidAnswerIsGivenAgainAsSent(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		first := b.mustPay(o)
		b.clock.advance(time.Hour) // long after validBefore
		b.restart()
		second := b.mustPay(o)
		if !reflect.DeepEqual(first, second) || b.runs != 1 || b.chain.transfers() != 1 {
			t.Errorf("first %v second %v, %d runs, %d transfers", first, second, b.runs, b.chain.transfers())
		}
	})
}

// After a crash at any step, the same request gets its answer, with one transfer.
func TestCrashAtAnyStepLosesNothing(t *testing.T) {
	steps := []string{"verified", "reserved", "worked", "ready", "signed", "sent", "mined", "recorded", "settled"}
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				o := b.order("n")
				b.crashAt(step, o)
				b.restart()
				b.clock.advance(payments.Lease + time.Second)
				o.Payment.ValidBefore += 60 // still open when the client comes back
				reply := b.mustPay(o)
				if len(reply.Body) == 0 || b.chain.transfers() != 1 || b.state(o) != payments.Settled {
					t.Errorf("reply %q, %d transfers, state %s", reply.Body, b.chain.transfers(), b.state(o))
				}
				if again := b.mustPay(o); !reflect.DeepEqual(again, reply) {
					t.Errorf("then %q", again.Body)
				}
			})
		})
	}
}

// crashAt runs the order in a process that dies right after a step.
func (b *bench) crashAt(step string, o payments.Order) {
	b.Helper()
	type crash struct{}
	b.machine.Step = func(name string) {
		if name == step {
			panic(crash{})
		}
	}
	defer func() {
		if _, ok := recover().(crash); !ok {
			b.Fatalf("step %s was never reached", step)
		}
	}()
	_, _ = b.pay(o) // never returns
}

// The sweeper finishes the payment of a client that never retries.
func TestSweeperFinishesWhatACrashLeft(t *testing.T) {
	for step, want := range map[string]payments.State{
		"reserved": payments.Released, "ready": payments.Failed,
		"signed": payments.Settled, "sent": payments.Settled, "mined": payments.Settled, "recorded": payments.Settled,
	} {
		t.Run(step, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				o := b.order("n")
				b.crashAt(step, o)
				b.restart()
				if moved, err := b.machine.Sweep(context.Background()); moved != 0 || err != nil {
					t.Errorf("the sweeper took a leased record: %d, %v", moved, err)
				}
				b.clock.advance(2 * time.Minute)
				if moved, err := b.machine.Sweep(context.Background()); moved != 1 || err != nil {
					t.Errorf("moved %d, %v", moved, err)
				}
				if b.state(o) != want {
					t.Errorf("state %s, want %s", b.state(o), want)
				}
				if _, err := b.pay(o); step == "ready" && as[*payments.Rejected](t, err).Reason != payments.ReasonExpired {
					t.Errorf("reason %v", err)
				}
				if paid := want == payments.Settled; paid != (b.chain.transfers() == 1) {
					t.Errorf("%d transfers", b.chain.transfers())
				}
			})
		})
	}
}

// The answer to the client said that nothing was charged, so the sweeper must not submit
// the payment, even if the clock of the chain is behind ours.
func TestSweeperNeverStartsASettlement(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.chain.now = func() time.Time { return b.clock.Now().Add(-30 * time.Second) }
		o := b.order("n")
		b.crashAt("ready", o)
		b.restart()
		for range 10 {
			b.clock.advance(20 * time.Second)
			if _, err := b.machine.Sweep(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if b.state(o) != payments.Failed || b.chain.transfers() != 0 {
			t.Errorf("state %s, %d transfers", b.state(o), b.chain.transfers())
		}
	})
}

func TestHundredEqualRequestsAtOnceAreOneRunAndOneTransfer(t *testing.T) {
	for name, change := range map[string]func(*payments.Order){"with a body": func(*payments.Order) {}, "without a body": withoutBody} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				b.clock.run()
				o := b.order("n", change, lasting)
				send := b.payUntilKnown
				if !o.Request.SecretBody { // deliveries are limited; a late request gets a Retry-After
					send = b.pay
				}
				replies := make([]payments.Answer, 100)
				var wait sync.WaitGroup
				for i := range replies {
					wait.Go(func() {
						var err error
						var pending *payments.Pending
						var down *payments.Unavailable // the table was too slow for a reservation
						late := !o.Request.SecretBody
						if replies[i], err = send(o); err != nil && !errors.As(err, &pending) && !errors.As(err, &down) && !(late && errors.Is(err, payments.ErrDelivered)) {
							t.Errorf("request %d: %v", i, err)
						}
					})
				}
				wait.Wait()
				if !slices.ContainsFunc(replies, func(a payments.Answer) bool { return a.Status != 0 }) { // so slow was the table
					var err error
					if replies[0], err = b.payUntilKnown(o); err != nil {
						t.Error(err)
					}
				}
				delivered := map[string]int{}
				for _, reply := range replies {
					if reply.Status != 0 {
						delivered[fmt.Sprint(reply)]++
					}
				}
				if len(delivered) != 1 || o.Request.SecretBody && delivered[fmt.Sprint(replies[0])] != 100 {
					t.Errorf("delivered %v", delivered)
				}
				if b.runs != 1 || b.chain.transfers() != 1 || b.book.settled[o.Payment.Key()] != 1 {
					t.Errorf("%d runs, %d transfers, %d entries", b.runs, b.chain.transfers(), b.book.settled[o.Payment.Key()])
				}
			})
		})
	}
}

// payUntilKnown retries the payment, as clients do, while the answer asks for a retry: a
// store may be too slow for so many requests at once.
func (b *bench) payUntilKnown(o payments.Order) (payments.Answer, error) {
	var pending *payments.Pending
	var down *payments.Unavailable
	deadline := time.Now().Add(patience / 2)
	for pause := time.Second; ; pause = min(2*pause, 20*time.Second) {
		reply, err := b.pay(o)
		if !errors.As(err, &pending) && !errors.As(err, &down) || time.Now().After(deadline) {
			return reply, err
		}
		time.Sleep(pause)
	}
}

// patience is how long a payment is valid that is sent with many others at once.
const patience = 20 * time.Minute

func lasting(o *payments.Order) { o.Payment.ValidBefore += uint64(patience / time.Second) }

func TestManyPaymentsAtOnceEachSettle(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.clock.run()
		var wait sync.WaitGroup
		for i := range 40 {
			wait.Go(func() {
				if _, err := b.payUntilKnown(b.order(fmt.Sprint(i), lasting)); err != nil {
					t.Errorf("payment %d: %v", i, err)
				}
			})
		}
		wait.Wait()
		if b.chain.transfers() != 40 {
			t.Errorf("%d transfers", b.chain.transfers())
		}
	})
}

func TestHandlerFailureChargesNothingAndThePaymentStaysUsable(t *testing.T) {
	failures := map[string]func(context.Context) (payments.Answer, error){
		"error":      func(context.Context) (payments.Answer, error) { return payments.Answer{}, errors.New("broken") },
		"panic":      func(context.Context) (payments.Answer, error) { panic("broken") },
		"status 500": func(context.Context) (payments.Answer, error) { return payments.Answer{Status: 500}, nil },
		"status 400": func(context.Context) (payments.Answer, error) { return payments.Answer{Status: 400}, nil },
	}
	for name, work := range failures {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				o := b.order("n")
				failing := o
				failing.Work = work
				reply, err := b.pay(failing)
				if err == nil && reply.Status < 400 || b.chain.transfers() != 0 || b.state(o) != payments.Released {
					t.Fatalf("reply %v, error %v, %d transfers, state %s", reply, err, b.chain.transfers(), b.state(o))
				}
				o.Request.Fingerprint = "corrected request"
				b.mustPay(o)
			})
		})
	}
}

func TestInvalidPaymentIsRefusedAndLeavesNoTrace(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.chain.set(func(d *double) { d.invalid = &payments.Invalid{Reason: "insufficient_funds"} })
		_, err := b.pay(o)
		if as[*payments.Invalid](t, err).Reason != "insufficient_funds" || b.runs != 0 {
			t.Errorf("%v, %d runs", err, b.runs)
		}
		if _, err := b.store.Load(context.Background(), o.Payment.Key()); !errors.Is(err, payments.ErrNotFound) {
			t.Errorf("an unfunded payment left a record: %v", err)
		}
		b.chain.set(func(d *double) { d.invalid = nil })
		b.mustPay(o)
	})
}

func TestGarbageLeavesNoRecord(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n", func(o *payments.Order) { o.Payment.Signature = "bad" })
		_, err := b.pay(o)
		as[*payments.Invalid](t, err)
		if _, err := b.store.Load(context.Background(), o.Payment.Key()); !errors.Is(err, payments.ErrNotFound) {
			t.Errorf("a record exists: %v", err)
		}
	})
}

// The signature of a contract wallet is only as good as the wallet's present
// owner and as the node that is asked; what was bought before stays bought.
func TestABoughtAnswerNeedsNoSecondLookAtTheSignature(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		reply := b.mustPay(o)
		for name, change := range map[string]func(*double){
			"the chain is away":        func(d *double) { d.down = errors.New("no route") },
			"the wallet changed hands": func(d *double) { d.disowned = true },
		} {
			b.chain.set(change)
			if again := b.mustPay(o); string(again.Body) != string(reply.Body) {
				t.Errorf("%s: %s, was %s", name, again.Body, reply.Body)
			}
			other := b.order("other " + name)
			_, err := b.pay(other)
			if b.chain.disowned {
				as[*payments.Invalid](t, err)
			} else {
				as[*payments.Unavailable](t, err)
			}
			b.chain.set(func(d *double) { d.down, d.disowned = nil, false })
		}
	})
}

func TestNoncesOfTwoContractsAreDifferentPayments(t *testing.T) {
	p := payments.Payment{Asset: "0xa", Payer: "0xb", Nonce: "0xc"}
	q := p
	q.Method = payments.MethodPermit2
	if got := p.Key().String(); got != "0xa/0xb/0xc" { // as stored since the first version
		t.Errorf("key of EIP-3009 %s", got)
	}
	if got := q.Key().String(); got != payments.Permit2+"/0xb/0xc" {
		t.Errorf("key of Permit2 %s", got)
	}
	if data, err := json.Marshal(p.Key()); err != nil || string(data) != `{"Asset":"0xa","Payer":"0xb","Nonce":"0xc"}` {
		t.Errorf("stored key %s (%v)", data, err)
	}
	old, err := payments.Decode([]byte(`{"version":1,"payment":{"asset":"0xa","payer":"0xb","nonce":"0xc"}}`))
	if err != nil || old.Payment != p {
		t.Errorf("a record without a method is read as %+v (%v)", old.Payment, err)
	}
}

func TestUnreachableChainIsUnavailableAndKeepsTheResult(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.chain.set(func(d *double) { d.down = errors.New("no route") })
		_, err := b.pay(o)
		as[*payments.Unavailable](t, err)
		b.chain.set(func(d *double) { d.down = nil })
		b.mustPay(o)

		late := b.order("late", func(o *payments.Order) {
			work := o.Work
			o.Work = func(ctx context.Context) (payments.Answer, error) {
				b.chain.set(func(d *double) { d.down = errors.New("no route") })
				return work(ctx)
			}
		})
		_, err = b.pay(late)
		as[*payments.Unavailable](t, err)
		if b.state(late) != payments.Ready {
			t.Errorf("state %s", b.state(late))
		}
		runs := b.runs
		b.chain.set(func(d *double) { d.down = nil })
		b.mustPay(late)
		if b.runs != runs {
			t.Error("the stored result was made again")
		}
	})
}

func TestUnknownOutcomeIsPendingAndResolves(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.chain.set(func(d *double) { d.hangs = true })
		_, err := b.pay(o)
		if p := as[*payments.Pending](t, err); p.Transaction == "" || p.Code != "settlement_pending" {
			t.Errorf("pending %+v", p)
		}
		b.chain.set(func(d *double) { d.hangs = false })
		b.mustPay(o)
		if b.chain.transfers() != 1 || b.runs != 1 {
			t.Errorf("%d transfers, %d runs", b.chain.transfers(), b.runs)
		}
	})
}

func TestRevertedTransferFailsForGood(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.chain.set(func(d *double) { d.reverts = true })
		for range 2 {
			_, err := b.pay(o)
			if r := as[*payments.Rejected](t, err); r.Transaction == "" {
				t.Errorf("rejected %+v", r)
			}
		}
		if b.state(o) != payments.Failed || b.chain.transfers() != 0 {
			t.Errorf("state %s, %d transfers", b.state(o), b.chain.transfers())
		}
	})
}

func TestAuditTrailDownDelaysTheAnswerAndLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.book.down = errors.New("disk full")
		_, err := b.pay(o)
		as[*payments.Pending](t, err)
		b.book.down = nil
		if reply := b.mustPay(o); string(reply.Body) != "result 1" || b.chain.transfers() != 1 {
			t.Errorf("reply %q, %d transfers", reply.Body, b.chain.transfers())
		}
	})
}

func TestAClosedAuditTrailMovesNoMoney(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.book.closed = errors.New("tampered with")
		_, err := b.pay(o)
		as[*payments.Unavailable](t, err)
		if b.chain.transfers() != 0 {
			t.Error("a sale that cannot be recorded was charged")
		}
		b.book.closed = nil
		if reply := b.mustPay(o); string(reply.Body) != "result 1" || b.chain.transfers() != 1 {
			t.Errorf("reply %q, %d transfers", reply.Body, b.chain.transfers())
		}
	})
}

func TestPaymentIsBoundToItsRequest(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.mustPay(o)
		other := o
		other.Request.Fingerprint = "other"
		_, err := b.pay(other)
		if as[*payments.ReplayRefused](t, err).Reason != payments.ReasonNonceUsed {
			t.Error(err)
		}
		other.PayloadHash = "spelled otherwise"
		_, err = b.pay(other)
		as[*payments.ReplayRefused](t, err)
		respelled := o
		respelled.PayloadHash = "spelled otherwise"
		b.mustPay(respelled) // the same order all the same
		forged := o
		forged.PayloadHash, forged.Payment.Signature = "forged", "bad"
		_, err = b.pay(forged)
		as[*payments.Invalid](t, err)
		if len(b.book.refused) != 1 {
			t.Errorf("refused entries %v", b.book.refused)
		}
	})
}

// A thief rebuilds the payment of a request without body from public calldata.
func TestDeliveryWithoutBodyOrIdentifierEnds(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n", withoutBody)
		for range 3 {
			b.mustPay(o)
		}
		_, err := b.pay(o)
		as[*payments.Pending](t, err) // one of many at once, as far as anyone can tell
		b.clock.advance(2 * time.Second)
		if _, err := b.pay(o); !errors.Is(err, payments.ErrDelivered) {
			t.Errorf("fourth delivery: %v", err)
		}
		late := b.order("late", withoutBody)
		b.mustPay(late)
		b.clock.advance(121 * time.Second)
		if _, err := b.pay(late); !errors.Is(err, payments.ErrDelivered) {
			t.Errorf("late delivery: %v", err)
		}
		named := b.order("named", withoutBody, func(o *payments.Order) { o.Identifier = "identifier-000001" })
		b.mustPay(named)
		b.clock.advance(24 * time.Hour)
		b.mustPay(named)
	})
}

func TestIdentifierWithAnotherPayloadConflicts(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		name := func(o *payments.Order) { o.Identifier = "identifier-000001" }
		b.mustPay(b.order("n", name))
		if _, err := b.pay(b.order("m", name)); !errors.Is(err, payments.ErrIdentifierUsed) {
			t.Errorf("other payload: %v", err)
		}
		b.mustPay(b.order("k", name, func(o *payments.Order) { o.Payment.Payer = "0xother" }))
		if b.chain.transfers() != 2 {
			t.Errorf("%d transfers", b.chain.transfers())
		}
	})
}

func TestClientThatLeavesDuringSettlementStillGetsItsAnswerLater(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(context.Background())
		o := b.order("n")
		b.machine.Step = func(name string) {
			if name == "worked" {
				cancel()
			}
		}
		if _, err := b.machine.Pay(ctx, o); err != nil {
			t.Fatalf("pay: %v", err)
		}
		b.mustPay(o)
		if b.runs != 1 {
			t.Errorf("%d runs", b.runs)
		}
	})
}

// Another party executed the authorization and the process died: the money arrived, so the
// answer is due although the authorization ran out.
func TestExpiredPaymentThatArrivedIsDelivered(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		b.crashAt("ready", o)
		b.chain.set(func(d *double) { d.mined["n"] = "tx-of-a-stranger" })
		b.restart()
		b.clock.advance(time.Hour)
		if reply := b.mustPay(o); reply.Header["Payment-Response"][0] != "tx-of-a-stranger" {
			t.Errorf("reply %v", reply)
		}
	})
}

// Many at once are no way around the end of a delivery.
func TestManyLateRequestsGetNothing(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n", withoutBody)
		b.mustPay(o)
		b.clock.advance(121 * time.Second)
		var wait sync.WaitGroup
		for range 40 {
			wait.Go(func() {
				if _, err := b.pay(o); !errors.Is(err, payments.ErrDelivered) {
					t.Errorf("late request: %v", err)
				}
			})
		}
		wait.Wait()
	})
}

// flaky is a store whose calls fail on demand, before or after their effect.
type flaky struct {
	payments.Store
	fails func(call string) (before, after bool)
}

var errStore = errors.New("store down")

func (f *flaky) Load(ctx context.Context, key payments.Key) (payments.Record, error) {
	if before, _ := f.fails("load"); before {
		return payments.Record{}, errStore
	}
	return f.Store.Load(ctx, key)
}

func (f *flaky) Save(ctx context.Context, r payments.Record) (payments.Record, error) {
	return f.write("save", func() (payments.Record, error) { return f.Store.Save(ctx, r) })
}

func (f *flaky) Submit(ctx context.Context, r payments.Record) (payments.Record, error) {
	return f.write("submit", func() (payments.Record, error) { return f.Store.Submit(ctx, r) })
}

func (f *flaky) write(call string, do func() (payments.Record, error)) (payments.Record, error) {
	before, after := f.fails(call)
	if before {
		return payments.Record{}, errStore
	}
	r, err := do()
	if after {
		return payments.Record{}, errStore
	}
	return r, err
}

// For any failing store calls, before or after their effect: no answer without a transfer
// and an entry, never two transfers, and "not charged" only if no transfer happens unless
// the client retries.
func TestFailingStoreNeverCheats(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 7))
		store := &flaky{Store: memory.New()}
		b := newBench(t, store)
		armed := true
		store.fails = func(string) (bool, bool) {
			return armed && random.IntN(4) == 0, armed && random.IntN(4) == 0
		}
		o := b.order("n", func(o *payments.Order) { o.Request.SecretBody = random.IntN(2) == 0 })
		for range 4 {
			reply, err := b.pay(o)
			var unavailable *payments.Unavailable
			switch {
			case err == nil && (reply.Status != 200 || b.chain.transfers() != 1 || b.book.settled[o.Payment.Key()] == 0):
				t.Fatalf("seed %d: reply %v with %d transfers", seed, reply, b.chain.transfers())
			case errors.As(err, &unavailable) && b.chain.transfers() > 0:
				t.Fatalf("seed %d: not charged, it says, after a transfer", seed)
			case errors.As(err, &unavailable):
				b.clock.advance(payments.Lease)
				if _, err := b.machine.Sweep(context.Background()); err == nil && b.chain.transfers() > 0 {
					t.Fatalf("seed %d: not charged, it said, and then the sweeper charged", seed)
				}
			}
			b.clock.advance(time.Second)
		}
		armed = false
		for range 2 { // settle, and then see that it is still there
			b.clock.advance(2 * payments.Lease)
			if _, err := b.machine.Sweep(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if keys, _ := store.Unfinished(context.Background()); len(keys) > 0 && b.chain.transfers() > 0 {
			t.Fatalf("seed %d: %d transfers and still unfinished", seed, b.chain.transfers())
		}
		if b.chain.transfers() > 1 {
			t.Fatalf("seed %d: %d transfers", seed, b.chain.transfers())
		}
	}
}

// While a request is being verified an equal one settles: the chain then says
// that the authorization is used, and that must not ask for a second payment.
func TestEqualRequestSettlesWhileThisOneIsVerified(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		o := b.order("n")
		var first payments.Answer
		b.chain.meanwhile = func() { first = b.mustPay(o) }
		if second := b.mustPay(o); !reflect.DeepEqual(first, second) || b.chain.transfers() != 1 || b.runs != 1 {
			t.Errorf("first %v, second %v, %d runs", first, second, b.runs)
		}
	})
}

// A payment that can be carried out for ever and was not must not cost a look at
// the chain each minute for ever.
func TestASweepTriesOldPaymentsEverMoreSeldom(t *testing.T) {
	b := newBench(t, memory.New())
	o := b.order("n", func(o *payments.Order) { o.Payment.ValidBefore = 1 << 40 })
	b.chain.set(func(d *double) { d.hangs = true })
	as[*payments.Pending](t, second(b.pay(o)))
	tries := 0
	b.machine.Step = func(name string) {
		if name == "sent" {
			tries++
		}
	}
	for range 3 * 24 * 60 {
		b.clock.advance(time.Minute)
		if _, err := b.machine.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if tries < 10 || tries > 60 {
		t.Errorf("%d tries in three days", tries)
	}
	b.chain.set(func(d *double) { d.hangs = false })
	b.mustPay(o) // who asks is answered at once
}

func second(_ payments.Answer, err error) error { return err }
