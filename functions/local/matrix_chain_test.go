package main

import (
	"encoding/hex"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Rows in which a node, the chain, the gas or a clock fails.

var nodeRows = []row{
	{"node down", func(w *world) {
		w.open()
		w.node.breaks((*hop).drop)
		w.buy()
		w.node.heal()
		w.send()
	}, "503 payment_backend_unavailable, 200", 1, 1},

	{"first node fails every other time", func(w *world) {
		flapping := newProxy(w.T, w.chain.URL())
		w.environment["RPC_URLS"] = flapping.url + "," + w.node.url
		w.open()
		flapping.breaks(everyOther(says(502, "text/plain", "bad gateway")))
		w.buy()
	}, "200", 1, 1},

	{"only node fails every other time", func(w *world) {
		w.open()
		w.node.breaks(everyOther(says(502, "text/plain", "bad gateway")))
		w.buy()
		w.send()
		w.node.heal()
		w.send()
	}, "503 payment_backend_unavailable, 503 payment_backend_unavailable, 200", 1, 1},

	{"first node hangs", func(w *world) {
		hanging := newProxy(w.T, w.chain.URL())
		w.environment["RPC_URLS"] = hanging.url + "," + w.node.url
		w.open()
		hanging.breaks((*hop).sleep)
		w.buy()
	}, "200", 1, 1},

	{"node takes it, answer lost", func(w *world) {
		w.open()
		w.node.breaks(on((*hop).lose, "eth_sendRawTransaction"))
		w.buy()
		w.node.heal()
		w.insist()
	}, "503 settlement_pending, 200", 1, 1},

	{"first node behind by blocks", func(w *world) {
		lagging := newProxy(w.T, w.fork().URL())
		lagging.breaks(on(func(h *hop) { // what it is sent goes round
			h.target = w.chain.URL()
			h.pass()
		}, "eth_sendRawTransaction"))
		w.environment["RPC_URLS"] = lagging.url + "," + w.node.url
		w.open()
		w.buy()
		lagging.leadsTo(w.chain.URL())
		w.insist()
	}, "503 settlement_pending, 200", 1, 1},

	{"every other answer is blocks old", func(w *world) {
		behind := w.fork().URL()
		w.open()
		lag := everyOther(func(h *hop) {
			h.target = behind
			h.pass()
		})
		w.node.breaks(func(h *hop) {
			if h.name == "eth_sendRawTransaction" {
				h.pass()
				return
			}
			lag(h)
		})
		for range 3 {
			w.buy()
			w.insist()
		}
	}, "200, 200, 200", 3, 3},

	{"receipt late", func(w *world) {
		w.open()
		w.node.breaks(func(h *hop) {
			switch h.name {
			case "eth_getTransactionReceipt":
				result("null")(h)
			case "eth_getLogs":
				result("[]")(h)
			default:
				h.pass()
			}
		})
		w.buy()
		w.node.heal()
		w.send()
	}, "503 settlement_pending, 200", 1, 1},
}

// A reorganization: the blocks of the first branch after the fork are gone.

var reorgRows = []row{
	{"reorg, mined again by itself", func(w *world) {
		other := w.fork()
		w.open()
		w.buy()
		before := w.record()
		w.adopt(other)
		w.wantTransfers(0)
		w.later(40 * time.Second)
		w.broadcast("0x" + hex.EncodeToString(before.Attempt.Raw))
		w.sweep()
		after := w.record()
		if after.Settlement.Transaction != before.Settlement.Transaction || after.Settlement.BlockHash == before.Settlement.BlockHash || !after.Watched {
			w.Errorf("was in %+v, now in %+v, watched %v", before.Settlement, after.Settlement, after.Watched)
		}
		w.later(40 * time.Second)
		w.sweep()
		w.wantUnwatched("")
		w.send()
	}, "200, 200", 1, 1},

	{"reorg, dropped, still valid", func(w *world) {
		other := w.fork()
		w.open()
		w.buy()
		w.adopt(other)
		w.wantTransfers(0)
		w.later(40 * time.Second)
		w.sweep() // moves the money once more
		w.wantTransfers(1)
		w.later(40 * time.Second)
		w.sweep()
		w.wantUnwatched("")
		w.send()
	}, "200, 200", 1, 1},

	{"reorg, dropped, run out", func(w *world) {
		other := w.fork()
		w.open()
		w.buy()
		w.adopt(other)
		w.later(2 * validity)
		w.sweep()
		w.wantUnwatched(payments.ReasonReversed)
		w.wantAlarm(payments.ReasonReversed)
		if n := entriesOf(w.T, w.data(), x402.EventReversed); n != 1 {
			w.Errorf("the trail tells of it %d times", n)
		}
		w.send()
	}, "200, 200", 0, 1},
}

// wantTransfers looks at the chain in the middle of a row.
func (w *world) wantTransfers(want int) {
	w.Helper()
	if got, _ := w.transfers(); got != want {
		w.Errorf("%d transfers, want %d", got, want)
	}
}

// wantUnwatched says that the watcher is done with the payment, for a reason or
// none.
func (w *world) wantUnwatched(reason string) {
	w.Helper()
	if r := w.record(); r.Watched || r.Reason != reason || r.State != payments.Settled {
		w.Errorf("%s, watched %v, reason %q, want %q", r.State, r.Watched, r.Reason, reason)
	}
}

const (
	emptyKey = "0x0707070707070707070707070707070707070707070707070707070707070707"
	// One ether from the development payer to that key's account, as the payer's
	// first transaction.
	filling = "0x02f87482210580830f424085012a05f200825208944a62316623ad457f02cdc5d997ded67a383ec569880de0b6b3a764000080c0" +
		"80a0d30ba71f7d09d8e567633e2d7e064efcbd0f1c0936daa3bd85239e1c8ee9a761a026fe7fb5fb28194b48abe43f9d4787e05afb897e813ea66c34943db67822d33e"
)

var offeredFee = regexp.MustCompile(`,?"max(PriorityFee|Fee)PerGas":"0x[0-9a-f]+"`)

var baseFee = regexp.MustCompile(`"baseFeePerGas":"0x[0-9a-f]+"`)

// fees reports other fees than those of the chain.
func fees(base, tip string) fault {
	return func(h *hop) {
		switch h.name {
		case "eth_maxPriorityFeePerGas":
			result(`"` + tip + `"`)(h)
		case "eth_getBlockByNumber":
			a := h.forward()
			says(a.status, "application/json", baseFee.ReplaceAllString(string(a.body), `"baseFeePerGas":"`+base+`"`))(h)
		case "eth_call", "eth_estimateGas": // at those fees it would be executed
			h.body = offeredFee.ReplaceAll(h.body, nil)
			h.pass()
		default:
			h.pass()
		}
	}
}

var gasRows = []row{
	{"gas wallet empty", func(w *world) {
		file := filepath.Join(w.dir, "gas.key")
		if err := os.WriteFile(file, []byte(emptyKey), 0o600); err != nil {
			w.Fatal(err)
		}
		w.environment["GAS_KEY_FILE"] = file
		w.open()
		w.buy()
		w.broadcast(filling)
		w.send()
	}, "503 payment_backend_unavailable, 200", 1, 1},

	{"fee above the cap", func(w *world) {
		w.open()
		w.seller.service.paid.Chain.FeeCap = big.NewInt(2_000_000_000)
		w.node.breaks(fees("0x77359400", "0xf4240")) // 2 gwei and 0.001 gwei
		w.buy()
		w.node.heal()
		w.send()
	}, "503 payment_backend_unavailable, 200", 1, 1},

	{"fee rises, transaction stuck", func(w *world) {
		w.open()
		w.node.breaks(fees("0x2", "0x1"))
		w.buy()
		w.wantTransfers(0)
		w.node.heal()
		w.insist()
		if r := w.record(); len(r.Attempt.Replaced) != 1 {
			w.Errorf("replaced %v", r.Attempt.Replaced)
		}
	}, "503 settlement_pending, 200", 1, 1},
}

// Clocks that differ by a little, and by so much that no machine is slow enough to
// make good for it.
const (
	skew    = 30 * time.Second
	farSkew = 10 * time.Minute
	lasting = int64(validity / time.Second)
)

// Authorizations that one clock finds expired or not yet valid. The windows are
// in seconds of the buyer's clock.
var clockRows = []row{
	{"buyer ahead", func(w *world) {
		w.open()
		w.buy(window(farSkew, 0, lasting))
		w.later(farSkew + time.Second)
		w.send()
	}, "402 invalid_exact_evm_payload_authorization_valid_after, 200", 1, 1},

	{"buyer 30 s behind", func(w *world) {
		w.open()
		w.buy(window(-skew, 0, 180))
	}, "200", 1, 1},

	{"buyer 30 s behind, 20 s window", func(w *world) {
		w.open()
		w.buy(window(-skew, 0, 20))
		w.buy() // signs a new payment, as the answer asks
	}, "402 invalid_exact_evm_payload_authorization_valid_before, 200", 1, 1},

	{"chain 30 s ahead", func(w *world) {
		w.open()
		w.clock.Store(int64(skew))
		w.buy()
	}, "200", 1, 1},

	{"chain 30 s ahead, 20 s window", func(w *world) {
		w.open()
		w.clock.Store(int64(skew))
		w.buy(window(0, -1, 20))
		w.buy() // signs a new payment, as the answer asks
	}, "402 invalid_exact_evm_payload_authorization_valid_before, 200", 1, 1},

	{"chain behind, not yet valid", func(w *world) {
		w.open()
		w.seller.ahead.Store(int64(farSkew))
		w.buy(window(farSkew, -10, lasting))
		w.later(farSkew)
		w.send()
	}, "402 invalid_exact_evm_payload_authorization_valid_after, 200", 1, 1},

	// By the seller's clock it has run out while the chain would still take it:
	// that is no proof of anything.
	{"chain behind, run out for us", func(w *world) {
		w.open()
		w.node.breaks(on(says(502, "text/plain", "bad gateway"), "eth_sendRawTransaction"))
		w.buy()
		w.seller.ahead.Store(int64(validity + 5*time.Second))
		w.send()
		w.node.heal()
		w.send()
	}, "503 settlement_pending, 503 settlement_pending, 200", 1, 1},

	// The buyer gets the answer that no money moved, and does not retry before the end.
	{"chain 30 s behind, never sent", func(w *world) {
		w.open()
		w.node.breaks(on(says(502, "text/plain", "bad gateway"), "eth_estimateGas"))
		w.buy()
		w.node.heal()
		w.seller.ahead.Store(int64(validity + 5*time.Second))
		w.clock.Store(int64(validity + 5*time.Second - skew))
		w.sweep()
		w.wantTransfers(0)
		w.later(time.Minute)
		w.sweep()
		w.send()
	}, "503 payment_backend_unavailable, 402 invalid_exact_evm_payload_authorization_valid_before", 0, 0},
}

// wantAlarm looks for an alarm about the payment in the log of the matrix.
func (w *world) wantAlarm(reason string) {
	w.Helper()
	nonce := w.record().Payment.Nonce
	for line := range strings.Lines(w.log()) {
		if strings.Contains(line, "alarm="+reason) && strings.Contains(line, nonce) {
			return
		}
	}
	w.Errorf("no alarm %s about %s", reason, nonce)
}
