package main

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"governance.internal/shared/catalog"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/x402"
)

// List prices of us-east-1 in dollars for a million of each; no free tier is counted.
const (
	priceEdge      = 1.00 + 0.60 + 1.00 // a request to CloudFront, the firewall and the HTTP API
	priceInvoke    = 0.20               // a request to Lambda
	priceGBSeconds = 13.33              // a second of 1 GB of Lambda on arm64
	priceWrite     = 0.625              // a write unit of a table on demand
	priceRead      = 0.125              // a read unit
	priceLog       = 0.50               // 1 KB of log
	priceKMS       = 15.0               // a signature by a key in KMS
)

// Figures that cannot be measured on a laptop: the duration of a Lambda, including the wait
// for a block of Base in a sale, and the cost of gas and of a request to a node. Own nodes,
// and facilitators that pay the gas, have other prices.
const (
	secondsFree, secondsSold = 0.005, 2.5
	memoryFree, memorySold   = 0.25, 0.5 // GB, as infra gives them
	gweiPerGas               = 0.01
	dollarsPerEther          = 3000
	priceNode                = 0.40
)

// use is what calls take of others.
type use struct{ writes, reads, asks, gas float64 }

// meter counts what passes through the proxies.
type meter struct {
	mu  sync.Mutex
	sum use
}

func (m *meter) add(u use) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum = use{m.sum.writes + u.writes, m.sum.reads + u.reads, m.sum.asks + u.asks, m.sum.gas + u.gas}
}

// take gives what was used since the last time, for one of n calls.
func (m *meter) take(n float64) use {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := use{m.sum.writes / n, m.sum.reads / n, m.sum.asks / n, m.sum.gas / n}
	m.sum = use{}
	return u
}

// table asks the engine what each operation costs.
func (m *meter) table(h *hop) {
	var request map[string]any
	if json.Unmarshal(h.body, &request) != nil {
		h.drop()
	}
	request["ReturnConsumedCapacity"] = "TOTAL"
	h.body, _ = json.Marshal(request) // it was JSON
	units := consumed(h.answered())
	if isWrite(h.name) {
		m.add(use{writes: units})
	} else {
		m.add(use{reads: units})
	}
}

// node counts requests, and the gas that receipts tell.
func (m *meter) node(h *hop) {
	u := use{asks: 1}
	var receipt struct {
		Result struct{ GasUsed, Status string }
	}
	if err := json.Unmarshal(h.answered(), &receipt); err == nil && h.name == "eth_getTransactionReceipt" {
		gas, _ := strconv.ParseUint(receipt.Result.GasUsed, 0, 64) // 0 while there is no receipt
		u.gas = float64(gas)
	}
	m.add(u)
}

// consumed adds the units that an answer names, of one table or of several.
func consumed(answer []byte) float64 {
	type capacity struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity capacity }
	if json.Unmarshal(answer, &one) == nil {
		return one.ConsumedCapacity.CapacityUnits
	}
	var several struct{ ConsumedCapacity []capacity }
	if json.Unmarshal(answer, &several) != nil {
		return 0
	}
	var sum float64
	for _, c := range several.ConsumedCapacity {
		sum += c.CapacityUnits
	}
	return sum
}

// The cost of a million calls, from the units that calls really use; `make cost` prints it.
// An unpaid request reaches neither the tables nor the node, and each product earns more
// than it costs.
func TestWhatAMillionCallsCost(t *testing.T) {
	const sample = 10
	w := newWorld(t)
	w.useTable()
	_, w.environment["AUDIT_TABLE"] = dynamotest.Table(t, "pk", "sk")
	w.open()
	used := &meter{}
	w.table.breaks(used.table)
	w.node.breaks(used.node)
	t.Logf("figure: %-28s %7s %6s %7s %8s %9s %9s %9s", "one million of", "writes", "reads", "asks", "gas each", "AWS", "gas", "income")
	for _, path := range []string{"/x402/products", "/x402/tip", "/x402/verify-audit"} {
		for range sample {
			if u := w.leastUse(used, path); u != (use{}) {
				t.Errorf("%s uses %+v without a payment", path, u)
			}
		}
		printCost(t, path+", unpaid", use{}, costFree, 0)
	}
	for _, p := range []struct{ method, path, body string }{
		{"GET", "/x402/verify-audit", ""}, {"POST", "/x402/audit-mcp", sampleConfig}, {"GET", "/x402/playbook/mcp-hardening", ""}, {"GET", "/x402/tip", ""},
	} {
		w.seller.buy(p.method, p.path, p.body)
		used.take(1) // what is done once
		for range sample {
			answer := w.seller.call(p.method, p.path, p.body, x402.HeaderSignature, w.seller.payment(p.method, p.path))
			wantStatus(t, answer, 200, p.path)
		}
		u := used.take(sample)
		aws := costSold + u.writes*priceWrite + u.reads*priceRead + u.asks*priceNode
		income := incomeOf(t, p.path)
		printCost(t, p.path, u, aws, income)
		if u.writes < 3 || u.gas < 21_000 || aws+u.fees() >= income {
			t.Errorf("%s: %+v; a million cost %.0f dollars and bring %.0f", p.path, u, aws+u.fees(), income)
		}
	}
}

// leastUse is what an unpaid call uses. The sweeper and the keeper of the audit chain
// may use the table meanwhile; a call that uses nothing is soon seen alone.
func (w *world) leastUse(used *meter, path string) (u use) {
	for range 30 {
		used.take(1)
		w.seller.call("GET", path, "")
		if u = used.take(1); u == (use{}) {
			break
		}
	}
	return u
}

const (
	costFree = priceEdge + priceInvoke + priceLog + secondsFree*memoryFree*priceGBSeconds
	costSold = priceEdge + priceInvoke + priceLog + secondsSold*memorySold*priceGBSeconds + priceKMS
)

// fees is what the gas of a million costs.
func (u use) fees() float64 { return u.gas * gweiPerGas / 1e9 * dollarsPerEther * 1e6 }

func printCost(t *testing.T, what string, u use, aws, income float64) {
	t.Logf("figure: %-28s %7.1f %6.1f %7.1f %8.0f %9.2f %9.2f %9.0f", what, u.writes, u.reads, u.asks, u.gas, aws, u.fees(), income)
}

// incomeOf is what a million sales of the product bring.
func incomeOf(t *testing.T, path string) float64 {
	t.Helper()
	for _, e := range catalog.Endpoints {
		if e.Path == path {
			return float64(e.Price)
		}
	}
	t.Fatal("no product", path)
	return 0
}
