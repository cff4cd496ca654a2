package main

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"governance.internal/shared/logtest"
)

// row is one failure during a purchase: the answers to the buyer in order, the number of
// transfers on the chain at the end, and the number of settlements in the audit chain.
type row struct {
	fault     string
	play      func(*world)
	client    string
	transfers int
	trail     int
}

// rowsAtOnce mostly wait. Too many make a small machine so slow that the service
// runs into its own limits, and says so.
const rowsAtOnce = 6

// TestFaultMatrix is what becomes of payments when the parts around them fail.
// The service is the real one; faults come in through proxies before its node,
// its facilitator and its table, and through clocks.
//
// Processes that die are in tests of their own, which print their rows likewise:
// TestKilledAtAnyStep, TestKilledAtAnyStepWithATable, TestEveryLambdaCrashIsSwept.
func TestFaultMatrix(t *testing.T) {
	var wait sync.WaitGroup
	turn := make(chan struct{}, rowsAtOnce)
	log := logtest.Collect(t, slog.LevelError)
	for _, r := range slices.Concat(facilitatorRows, nodeRows, reorgRows, gasRows, clockRows, storeRows(), clientRows()) {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			t.Run(r.fault, func(t *testing.T) {
				w := newWorld(t)
				w.log, w.awaited = log, strings.Split(r.client, ", ")
				r.play(w)
				w.judge(r)
			})
		})
	}
	wait.Wait()
}

const madeUp = `{"success":true,"network":"eip155:8453","transaction":"0xabababababababababababababababababababababababababababababababab"}`

var facilitatorRows = []row{
	{"facilitator down", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks((*hop).drop)
		w.buy()
		w.elsewhere.heal()
		w.send()
	}, "503 payment_backend_unavailable, 200", 1, 1},

	{"facilitator lost at settle", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks(on((*hop).drop, "settle"))
		w.buy()
		w.elsewhere.heal()
		w.insist()
	}, "503 settlement_pending, 200", 1, 1},

	{"facilitator slow, money moves", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks(on((*hop).sleep, "settle"))
		w.buy()
	}, "200", 1, 1},

	{"facilitator says settled, is not", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks(on(says(200, "application/json", madeUp), "settle"))
		w.buy()
		w.elsewhere.heal()
		w.insist()
	}, "503 settlement_pending, 200", 1, 1},

	{"facilitator says settled, never is", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks(on(says(200, "application/json", madeUp), "settle"))
		w.buy()
		w.later(2 * validity)
		w.send()
	}, "503 settlement_pending, 402 invalid_exact_evm_payload_authorization_valid_before", 0, 0},

	{"facilitator says failed, is settled", func(w *world) {
		w.useFacilitator()
		w.open()
		w.elsewhere.breaks(on(func(h *hop) {
			h.forward()
			says(200, "application/json", `{"success":false,"errorReason":"invalid_transaction_state"}`)(h)
		}, "settle"))
		w.buy()
	}, "200", 1, 1},
}
