package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/payments"
	"governance.internal/shared/porttest"
)

// Rows in which the store fails, the client leaves, or many come at once.

const throttledAnswer = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`

var throttled = says(400, "application/x-amz-json-1.0", throttledAnswer)

func isWrite(operation string) bool {
	return slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}, operation)
}

// atWrite lets a fault happen at the n-th write of the table, and another to
// everything behind it. The count tells how many writes came.
func atWrite(n int64, at, behind fault) (f fault, count *atomic.Int64) {
	count = new(atomic.Int64)
	return func(h *hop) {
		switch seen := count.Load(); {
		case isWrite(h.name) && count.Add(1) == n:
			at(h)
		case seen >= n:
			behind(h)
		default:
			h.pass()
		}
	}, count
}

// effects are the two ways to lose the answer of a write.
var effects = []struct {
	name string
	fault
}{{"before", (*hop).drop}, {"after", (*hop).lose}}

func storeRows() []row {
	rows := []row{
		{"store throttled for a while", func(w *world) {
			w.useTable()
			w.open()
			w.sign()
			w.table.breaks(first(12, throttled))
			w.send()
		}, "200", 1, 1},

		{"store throttled for long", func(w *world) {
			w.useTable()
			w.open()
			w.sign()
			w.table.breaks(throttled)
			w.send()
			w.table.heal()
			w.send()
		}, "503 payment_state_unknown, 200", 1, 1},
	}
	for _, effect := range effects {
		rows = append(rows, row{"each write lost " + effect.name + " its effect", func(w *world) {
			w.loseOneAnswer(effect.fault)
		}, "200, 200, 200, 200, 200", 5, 5}) // a purchase has four
		// The answers to the buyer if the store fails from one of the four writes on.
		for n, says := range []string{"503 payment_backend_unavailable", "503 payment_backend_unavailable", "503 settlement_pending", "503 settlement_pending"} {
			rows = append(rows, row{fmt.Sprintf("store gone %s write %d", effect.name, n+1), func(w *world) {
				w.useTable()
				w.open()
				w.sign()
				f, _ := atWrite(int64(n+1), effect.fault, (*hop).drop)
				w.table.breaks(f)
				w.send()
				w.table.heal()
				w.later(payments.Lease)
				w.insist()
			}, says + ", 200", 1, 1})
		}
	}
	return rows
}

// loseOneAnswer buys again and again, and loses one answer of the table each time:
// that of the first write, of the second, until a purchase has no more.
func (w *world) loseOneAnswer(lost fault) {
	w.Helper()
	w.useTable()
	w.open()
	for n := int64(1); ; n++ {
		w.sign()
		f, writes := atWrite(n, lost, (*hop).pass)
		w.table.breaks(f)
		w.send()
		if writes.Load() < n {
			return
		}
	}
}

func clientRows() []row {
	var rows []row
	for _, step := range allSteps {
		rows = append(rows, row{"client gone when " + step, func(w *world) {
			w.open()
			w.sign()
			w.hangUpAt(step)
			w.insist()
		}, "no answer, 200", 1, 1})
	}
	return append(rows,
		row{"50 equal requests with a body", func(w *world) {
			w.open()
			w.sign()
			w.sendAtOnce(50)
		}, "200", 1, 1},
		row{"50 equal requests without a body", func(w *world) {
			w.method, w.path, w.body = "GET", "/x402/verify-audit", ""
			w.open()
			w.sign()
			w.sendAtOnce(50)
		}, "200", 1, 1},
		row{"200 payments, 2 services, 1 wallet", (*world).twoServices, "200", 200, 200},
	)
}

// twoServices sell from one table and one gas wallet to two hundred at once.
func (w *world) twoServices() {
	w.useTable()
	var environment []string
	for name, value := range w.environment {
		environment = append(environment, name+"="+value)
	}
	var sellers []string
	for range 2 {
		sellers = append(sellers, spawn(w.T, w.data(), porttest.Address(w.T), w.node.url, "", environment...).url)
	}
	headers := make([]string, 200)
	for i := range headers {
		headers[i] = paymentFor(w.T, sellers[i%2], w.method, w.path, window(0, -60, int64(validity/time.Second)))
	}
	answers := make([]string, len(headers))
	var waited atomic.Int64
	var wait sync.WaitGroup
	deadline := time.Now().Add(validity / 2)
	for i := range headers {
		wait.Go(func() {
			for pause := 200 * time.Millisecond; time.Now().Before(deadline); pause = min(2*pause, time.Minute) {
				answers[i] = w.ask(w.Context(), sellers[i%2], headers[i])
				if !strings.HasPrefix(answers[i], "503") {
					return
				}
				waited.Add(1)
				time.Sleep(pause) // ever longer: a slow machine must come to an end
			}
		})
	}
	wait.Wait()
	slices.Sort(answers)
	w.heard = append(w.heard, strings.Join(slices.Compact(answers), " or "))
	w.wantWalletNonces(len(headers))
	w.Logf("%d answers were 503 at first", waited.Load())
}

// wantWalletNonces says that the gas wallet sent so many transactions and that none
// waits behind a gap.
func (w *world) wantWalletNonces(want int) {
	w.Helper()
	mined, err := w.chain.Client().NonceAt(w.Context(), devchain.GasWallet, nil)
	if err != nil {
		w.Fatal(err)
	}
	pending, err := w.chain.Client().PendingNonceAt(w.Context(), devchain.GasWallet)
	if err != nil {
		w.Fatal(err)
	}
	if mined != uint64(want) || pending != mined {
		w.Errorf("%d transactions of the gas wallet are mined and the next is %d, want %d", mined, pending, want)
	}
}
