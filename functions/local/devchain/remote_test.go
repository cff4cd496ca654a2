package devchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/logtest"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/facilitator"
)

func TestAnotherFacilitatorSettlesAndTheChainProvesIt(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	m := s.selling(e)
	o := s.order(5000)
	reply := s.mustPay(m, o)
	r := s.record(o)
	log := s.transfers()[0]
	want := payments.Settlement{Transaction: log.TxHash.Hex(), Block: log.BlockNumber, BlockHash: log.BlockHash.Hex(), LogIndex: log.Index}
	if *r.Settlement != want || reply.Header.Get("Transaction") != want.Transaction || r.Attempt.Facilitator != e.url {
		t.Errorf("settlement %+v, attempt %+v, the chain says %+v", r.Settlement, r.Attempt, want)
	}
	s.mustPay(m, o)
	s.mustPay(m, s.order(70))
	if e.count("supported") != 1 || e.count("verify") != 2 || e.count("settle") != 2 {
		t.Errorf("asked %v", e.asked)
	}
	s.wantReceived(5070, 2)
	if _, known, _ := s.store.NextNonce(t.Context(), strings.ToLower(s.chain.Instance()), ""); known {
		t.Error("a wallet nonce was taken")
	}
}

// Facilitators have refused payloads with members beside these.
func TestWhatAFacilitatorIsSent(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	p := s.payment(5000)
	if err := s.remote(e).Verify(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(e.body, &got); err != nil {
		t.Fatal(err)
	}
	terms := map[string]any{
		"scheme": "exact", "network": "eip155:8453", "amount": "5000", "asset": p.Asset, "payTo": p.PayTo,
		"maxTimeoutSeconds": 60.0, "extra": map[string]any{"name": "USD Coin", "version": "2"},
	}
	want := map[string]any{
		"x402Version": 2.0, "paymentRequirements": terms,
		"paymentPayload": map[string]any{"x402Version": 2.0, "accepted": terms, "payload": map[string]any{
			"signature": p.Signature, "authorization": map[string]any{
				"from": p.Payer, "to": p.PayTo, "value": "5000", "validAfter": "0", "validBefore": fmt.Sprint(p.ValidBefore), "nonce": p.Nonce,
			},
		}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sent %v\nwant %v", got, want)
	}
	if e.last.Header.Get("Authorization") != "" {
		t.Error("credentials came from nowhere")
	}
}

// noVerdicts are answers that say nothing about a payment.
var noVerdicts = map[string]func(http.ResponseWriter, payments.Payment){
	"unauthorized": func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 401, `{"error":"who are you"}`) },
	"forbidden":    func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 403, ``) },
	"too many":     func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 429, `{"error":"slow down"}`) },
	"broken":       func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 500, `{"message":"oops"}`) },
	"a page":       func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 200, `<html>Just a moment</html>`) },
	"empty object": func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 200, `{}`) },
	"another type": func(w http.ResponseWriter, _ payments.Payment) {
		answerJSON(w, 200, `{"isValid":"no","success":"yes"}`)
	},
	"contradiction": func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, 500, `{"isValid":true}`) },
	"its trouble": func(w http.ResponseWriter, _ payments.Payment) {
		answerJSON(w, 200, `{"isValid":false,"invalidReason":"unexpected_verify_error"}`)
	},
	"endless": func(w http.ResponseWriter, _ payments.Payment) {
		answerJSON(w, 200, `{"isValid":true,"x":"%070000d"}`, 1)
	},
	"hangs up": hangUp,
}

func TestAFacilitatorThatFailsNeverJudgesAPayment(t *testing.T) {
	s := openShop(t)
	for name, answer := range noVerdicts {
		bad, good := s.elsewhere(), s.elsewhere()
		bad.verify, bad.settle = answer, answer
		o := s.order(5000)
		_, err := s.selling(bad).Pay(t.Context(), o)
		wantError[*payments.Unavailable](t, err)
		if _, err := s.store.Load(t.Context(), o.Payment.Key()); !errors.Is(err, payments.ErrNotFound) {
			t.Errorf("%s: a record was stored (%v)", name, err)
		}
		s.mustPay(s.selling(bad, good), o) // the next one of the list serves
		if bad.count("settle") != 0 || good.count("settle") != 1 {
			t.Errorf("%s: settled by %v and %v", name, bad.asked, good.asked)
		}
	}
	s.wantReceived(5000*int64(len(noVerdicts)), len(noVerdicts))
}

func TestFacilitatorsThatAreDownSlowOrOfAnotherNetworkAreLeft(t *testing.T) {
	s := openShop(t)
	release := make(chan struct{})
	slow, foreign, good := s.elsewhere(), s.elsewhere(), s.elsewhere()
	t.Cleanup(func() { close(release) }) // before the servers wait for their requests
	slow.verify = func(http.ResponseWriter, payments.Payment) { <-release }
	foreign.supported = func(w http.ResponseWriter) {
		answerJSON(w, 200, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:1"},{"x402Version":1,"scheme":"exact","network":"eip155:8453"},{"x402Version":2,"scheme":"upto","network":"eip155:8453"}]}`)
	}
	servers := []facilitator.Server{{URL: "http://127.0.0.1:1"}, {URL: foreign.url}, {URL: slow.url}}
	m := s.process(nil)
	m.Facilitator = s.remoteOver(s.chain.URL(), testPatience, servers...)
	_, err := m.Pay(t.Context(), s.order(5000))
	text := wantError[*payments.Unavailable](t, err).Error()
	for _, part := range []string{"127.0.0.1:1:", "does not serve scheme exact, version 2, on eip155:8453", "deadline exceeded"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
	m.Facilitator = s.remoteOver(s.chain.URL(), testPatience, append(servers, facilitator.Server{URL: good.url})...)
	s.mustPay(m, s.order(5000))
	if foreign.count("verify") != 0 || good.count("settle") != 1 {
		t.Errorf("asked %v and %v", foreign.asked, good.asked)
	}
	s.wantReceived(5000, 1)
}

func TestARefusalIsARefusalWhateverItsStatus(t *testing.T) {
	s := openShop(t)
	for _, status := range []int{200, 400, 402, 412, 500} {
		first, second := s.elsewhere(), s.elsewhere()
		first.says(status, `{"isValid":false,"invalidReason":"insufficient_funds","payer":"0x1"}`)
		_, err := s.selling(first, second).Pay(t.Context(), s.order(5000))
		if got := wantError[*payments.Invalid](t, err).Reason; got != x402.ReasonFunds {
			t.Errorf("status %d: reason %s", status, got)
		}
		if second.count("verify") != 0 {
			t.Error("a second opinion was asked for")
		}
	}
	odd := s.elsewhere()
	odd.says(200, `{"isValid":false,"invalidReason":"<script>\n"}`)
	_, err := s.selling(odd).Pay(t.Context(), s.order(5000))
	if got := wantError[*payments.Invalid](t, err).Reason; got != x402.ReasonSimulation {
		t.Errorf("a strange reason comes through as %q", got)
	}
	s.wantReceived(0, 0)
}

// settles asks a facilitator to settle, and waits so long for the outcome once somebody
// was asked to carry the payment out: how long it takes to come so far is the machine's.
func (s *shop) settles(f payments.Facilitator, j journal, limit time.Duration) (payments.Settlement, error) {
	ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
	defer cancel()
	j.after = func() { time.AfterFunc(limit, cancel) }
	return f.Settle(ctx, j.record.Payment, j)
}

func TestALieAboutASettlementCostsTheBuyerNothing(t *testing.T) {
	s := openShop(t)
	unrelated := s.frontRun(s.payment(1)).TxHash.Hex() // a real transfer to us, of another payment
	for name, hash := range map[string]string{
		"made up": "0x" + strings.Repeat("ab", 32), "another transfer": unrelated, "none": "", "no hash": "0xsure",
	} {
		t.Run(name, func(t *testing.T) {
			logged := logtest.Collect(t, slog.LevelError)
			liar, other := s.elsewhere(), s.elsewhere()
			liar.does(func(w http.ResponseWriter, _ payments.Payment) { liar.success(w, hash) })
			j := s.journal(s.payment(5000))
			_, err := s.settles(s.remote(liar, other), j, 300*time.Millisecond)
			wantError[*payments.Pending](t, err)
			if !strings.Contains(logged(), "said settled") || !strings.Contains(logged(), strings.TrimPrefix(strings.TrimSuffix(liar.url, "/x402"), "http://")) {
				t.Errorf("no alarm: %s", logged())
			}
			s.wait(2 * validity) // the authorization runs out
			_, err = s.settles(s.remote(liar, other), j, time.Minute)
			wantError[*payments.Rejected](t, err)
			if liar.count("settle") != 1 || other.count("settle") != 0 {
				t.Errorf("settle was asked %d and %d times", liar.count("settle"), other.count("settle"))
			}
		})
	}
	s.wantReceived(1, 1)
}

func TestMoneyThatMovedIsSettledWhateverTheFacilitatorSays(t *testing.T) {
	gone := func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for name, answer := range map[string]func(w http.ResponseWriter){
		"failed": func(w http.ResponseWriter) {
			answerJSON(w, 200, `{"success":false,"errorReason":"insufficient_funds","transaction":""}`)
		},
		"failed with 402": func(w http.ResponseWriter) {
			answerJSON(w, 402, `{"success":false,"errorReason":"invalid_transaction_state"}`)
		},
		"another hash": func(w http.ResponseWriter) { answerJSON(w, 200, `{"success":true,"transaction":"0x%064d"}`, 7) },
		"broken":       func(w http.ResponseWriter) { answerJSON(w, 500, `{"error":"oops"}`) },
		"unauthorized": func(w http.ResponseWriter) { answerJSON(w, 401, `{}`) },
		"a page":       func(w http.ResponseWriter) { answerJSON(w, 200, `<html>`) },
		"answer lost":  gone,
	} {
		s := openShop(t)
		e, other := s.elsewhere(), s.elsewhere()
		e.does(func(w http.ResponseWriter, p payments.Payment) { e.move(p); answer(w) })
		o := s.order(5000)
		reply := s.mustPay(s.selling(e, other), o)
		if got := reply.Header.Get("Transaction"); got != s.transfers()[0].TxHash.Hex() {
			t.Errorf("%s: settled by %s", name, got)
		}
		if e.count("settle") != 1 || other.count("settle") != 0 {
			t.Errorf("%s: settle was asked %d and %d times", name, e.count("settle"), other.count("settle"))
		}
		s.wantReceived(5000, 1)
	}
}

func TestAPendingSettlementIsWaitedFor(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	e.does(func(w http.ResponseWriter, p payments.Payment) {
		go func() { time.Sleep(100 * time.Millisecond); e.move(p) }()
		answerJSON(w, 200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x%064d"}`, 9)
	})
	s.mustPay(s.selling(e), s.order(5000))
	e.does(func(w http.ResponseWriter, p payments.Payment) {
		go func() { time.Sleep(100 * time.Millisecond); e.move(p) }()
		hangUp(w, p)
	})
	s.mustPay(s.selling(e), s.order(70))
	s.wantReceived(5070, 2)

	e.does(func(w http.ResponseWriter, p payments.Payment) {
		answerJSON(w, 200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x%064d"}`, 8)
	})
	j := s.journal(s.payment(5000))
	_, err := s.settles(s.remote(e), j, 200*time.Millisecond)
	if p := wantError[*payments.Pending](t, err); p.Transaction != fmt.Sprintf("0x%064d", 8) || j.Attempt().Hash != p.Transaction {
		t.Errorf("pending %+v, stored %s", p, j.Attempt().Hash)
	}
	s.wantReceived(5070, 2)
}

// A facilitator tells one sale of success. Who asks again after a lost answer must be
// known as the same sale, and another payment as another one.
func TestAFacilitatorIsToldWhichSaleAsks(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	e.does(hangUp)
	keyOf := func(j journal) string {
		for before := e.count("settle"); e.count("settle") == before; { // a slow machine may not get as far in the time
			_, err := s.settles(s.remote(e), j, 200*time.Millisecond)
			wantError[*payments.Pending](t, err)
		}

		e.mu.Lock()
		defer e.mu.Unlock()
		return e.key
	}

	sale := s.journal(s.payment(5000))
	first := keyOf(sale)
	again := keyOf(sale)
	other := keyOf(s.journal(s.payment(5000)))

	if first == "" || again != first {
		t.Errorf("one sale asked with the keys %q and %q", first, again)
	}
	if other == first {
		t.Errorf("another sale asked with the same key %q", other)
	}
}

func TestOneFacilitatorIsAskedForAPaymentForever(t *testing.T) {
	for name, trouble := range noVerdicts {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			first, second := s.elsewhere(), s.elsewhere()
			first.does(trouble)
			p := s.payment(5000)
			j := s.journal(p)
			for range 2 {
				_, err := s.settles(s.remote(first, second), j, 200*time.Millisecond)
				wantError[*payments.Pending](t, err)
			}
			// Not configured any more: it may act all the same.
			_, err := s.settles(s.remote(second), j, 200*time.Millisecond)
			wantError[*payments.Pending](t, err)
			first.does(func(w http.ResponseWriter, p payments.Payment) { first.success(w, first.move(p)) })
			if _, err := s.settles(s.remote(second, first), j, time.Minute); err != nil {
				t.Errorf("with the facilitator healthy again: %v", err)
			}
			if first.count("settle") != 3 || second.count("settle") != 0 {
				t.Errorf("settle was asked %d and %d times", first.count("settle"), second.count("settle"))
			}
			s.wantReceived(5000, 1)
		})
	}
}

func TestASettlementIsResumedAfterADeath(t *testing.T) {
	s := openShop(t)
	first, second := s.elsewhere(), s.elsewhere()
	o := s.order(5000)
	type death struct{}
	dying := s.selling(first, second)
	dying.Step = func(name string) {
		if name == "signed" { // stored, not yet submitted
			panic(death{})
		}
	}
	func() {
		defer func() { _ = recover().(death) }()
		_, _ = dying.Pay(t.Context(), o)
	}()
	if first.count("settle") != 0 || s.record(o).Attempt.Facilitator != first.url {
		t.Fatalf("attempt %+v", s.record(o).Attempt)
	}
	s.wait(payments.Lease + time.Second)
	s.mustPay(s.selling(second, first), o)
	if first.count("settle") != 1 || second.count("settle") != 0 {
		t.Errorf("settle was asked %d and %d times", first.count("settle"), second.count("settle"))
	}
	s.wantReceived(5000, 1)
}

func TestAnAuthorizationThatRanOutOrWasTakenBackIsNotSentToAnybody(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	f := s.remote(e)
	j := s.journal(s.payment(5000))
	s.wait(2 * validity)
	_, err := s.settles(f, j, time.Minute)
	wantError[*payments.Rejected](t, err)
	e.does(func(w http.ResponseWriter, _ payments.Payment) {
		answerJSON(w, 200, `{"success":false,"errorReason":"nonce_used"}`)
	})
	canceled := s.journal(s.payment(5000))
	s.cancel(canceled.record.Payment)
	_, err = s.settles(f, canceled, time.Minute)
	wantError[*payments.Pending](t, err) // the block that cancels may be dropped, and the facilitator has it
	s.wait(2 * validity)
	_, err = s.settles(f, canceled, time.Minute)
	if r := wantError[*payments.Rejected](t, err); r.Reason != x402.ReasonNonceUsed {
		t.Errorf("rejected %+v", r)
	}
	if e.count("settle") != 1 {
		t.Errorf("settle was asked %d times", e.count("settle"))
	}
	s.wantReceived(0, 0)
}

func TestWithoutAChainNothingIsSettled(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	j := s.journal(s.payment(5000))
	_, err := s.settles(s.remoteOver("http://127.0.0.1:1", testPatience, facilitator.Server{URL: e.url}), j, time.Minute)
	wantUndecided(t, err)
	if e.count("settle") != 0 || j.Attempt().Begun() {
		t.Error("a facilitator was asked although its answer cannot be checked")
	}
	node := s.gateway()
	f := s.remoteOver(node.url, testPatience, facilitator.Server{URL: e.url})
	e.does(func(w http.ResponseWriter, p payments.Payment) {
		node.fail(func(string) (int, string) { return 500, "{}" })
		e.success(w, e.move(p))
	})
	_, err = s.settles(f, j, 300*time.Millisecond)
	wantError[*payments.Pending](t, err)
	node.heal()
	if _, err := s.settles(f, j, time.Minute); err != nil || e.count("settle") != 1 {
		t.Errorf("%v after %d requests", err, e.count("settle"))
	}
	s.wantReceived(5000, 1)
}

func TestAPaymentOfALostChainIsNotAskedForAgain(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	e.does(hangUp)
	j := s.journal(s.payment(5000))
	_, err := s.settles(s.remote(e), j, 200*time.Millisecond)
	wantError[*payments.Pending](t, err)
	s.freshChain()
	_, err = s.settles(s.remote(e), j, time.Minute)
	wantError[*payments.Rejected](t, err)
	if e.count("settle") != 1 {
		t.Errorf("settle was asked %d times", e.count("settle"))
	}
}

// Many processes, facilitators that fail at random before and after the effect:
// one transfer for each payment, and never two facilitators for one.
func TestFlappingFacilitatorsNeverShareAPayment(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	s := openShop(t)
	var mu sync.Mutex
	dice := rand.New(rand.NewSource(seed))
	roll := func() int {
		mu.Lock()
		defer mu.Unlock()
		return dice.Intn(6)
	}
	all := []*elsewhere{s.elsewhere(), s.elsewhere()}
	for _, e := range all {
		e.settle = func(w http.ResponseWriter, p payments.Payment) {
			switch roll() {
			case 0:
				answerJSON(w, 500, `{}`)
			case 1:
				hangUp(w, p)
			case 2:
				e.move(p)
				hangUp(w, p)
			default:
				e.success(w, e.move(p))
			}
		}
		e.verify = func(w http.ResponseWriter, _ payments.Payment) {
			if roll() == 0 {
				answerJSON(w, 429, `{}`)
				return
			}
			answerJSON(w, 200, `{"isValid":true}`)
		}
	}
	const count = 12
	var wait sync.WaitGroup
	for range count {
		j := s.journal(s.payment(100))
		wait.Go(func() {
			for try := range 40 {
				f := s.remote(all[try%2], all[1-try%2])
				_ = f.Verify(t.Context(), j.record.Payment)
				if _, err := s.settles(f, j, 500*time.Millisecond); err == nil {
					return
				}
			}
			t.Errorf("%s is never settled", j.record.Payment.Nonce)
		})
	}
	wait.Wait()
	for nonce := range all[0].settles {
		if all[1].settles[nonce] > 0 {
			t.Errorf("both were asked to settle %s", nonce)
		}
	}
	s.wantReceived(100*count, count)
}

// A facilitator was asked; then the service is configured to settle by itself. The
// facilitator may act until the end, so a transfer that would revert now proves
// nothing.
func TestAPaymentThatAFacilitatorHasIsNotRejectedByOurOwnWallet(t *testing.T) {
	s := openShop(t)
	e := s.elsewhere()
	e.does(hangUp)
	p := s.paymentFrom(GasKey, 5000) // without dollars
	j := s.journal(p)
	_, err := s.settles(s.remote(e), j, 200*time.Millisecond)
	wantError[*payments.Pending](t, err)
	_, err = s.settles(s.facilitator(), j, time.Second)
	wantError[*payments.Pending](t, err)
	s.fund(GasWallet, 5000)
	e.move(p)
	if _, err := s.settles(s.facilitator(), j, time.Minute); err != nil {
		t.Errorf("the facilitator moved the money: %v", err)
	}
	s.wantReceived(5000, 1)
}
