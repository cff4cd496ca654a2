package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/catalog"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// world is a seller with its dependencies, each behind a proxy, and one buyer, who records
// the answers.
type world struct {
	*testing.T
	dir         string
	environment map[string]string
	chain       *devchain.Chain
	clock       atomic.Int64 // nanoseconds that the chain's clock is ahead
	node        *proxy       // before the chain
	table       *proxy       // before the payment store; nil: that is a file
	elsewhere   *proxy       // before a facilitator; nil: the seller settles himself

	seller       *running // nil before open
	url          string   // base URL of the seller
	method, path string   // what is bought
	body         string
	header       string // the payment
	heard        []string
	awaited      []string      // the answers that the row expects
	log          func() string // errors of all rows so far
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir(), method: "POST", path: "/x402/audit-mcp", body: ownConfig}
	w.chain = w.newChain("")
	w.node = newProxy(t, w.chain.URL())
	w.environment = map[string]string{"RPC_URLS": w.node.url}
	return w
}

// newChain starts the chain of a directory, or one in memory.
func (w *world) newChain(dir string) *devchain.Chain {
	w.Helper()
	chain, err := devchain.Start(w.Context(), devchain.Options{Dir: dir, RPCAddr: "127.0.0.1:0",
		Now: func() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := chain.Close(); err != nil {
			w.Errorf("chain: %v", err)
		}
	})
	return chain
}

// fork gives the seller a new chain and starts another branch of it, with the same
// first block: it knows nothing of what happens on the seller's from now on.
func (w *world) fork() *devchain.Chain {
	w.Helper()
	trunk, branch := filepath.Join(w.dir, "chain"), filepath.Join(w.dir, "fork")
	w.adopt(w.newChain(trunk))
	if err := os.CopyFS(branch, os.DirFS(trunk)); err != nil {
		w.Fatal(err)
	}
	return w.newChain(branch)
}

// adopt makes another branch the chain: what only the first one had is gone.
func (w *world) adopt(branch *devchain.Chain) {
	w.chain = branch
	w.node.leadsTo(branch.URL())
}

func (w *world) useTable() {
	w.Helper()
	endpoint, table := dynamotest.Table(w.T, "pk", "sk")
	w.table = newProxy(w.T, endpoint)
	w.environment["PAYMENTS_TABLE"], w.environment["DYNAMODB_ENDPOINT"] = table, w.table.url
}

// useFacilitator settles through another all-in-one service on the same chain.
func (w *world) useFacilitator() {
	w.Helper()
	other := startWith(w.T, w.TempDir(), lookup(map[string]string{"RPC_URLS": w.chain.URL()}))
	w.elsewhere = newProxy(w.T, other.url)
	w.environment["FACILITATOR_URL"] = w.elsewhere.url + "/facilitator"
}

func lookup(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

// open starts the seller.
func (w *world) open() {
	w.Helper()
	w.seller = startWith(w.T, w.data(), lookup(w.environment))
	w.url = w.seller.url
}

func (w *world) data() string { return filepath.Join(w.dir, "data") }

func (w *world) machine() *payments.Machine { return w.seller.service.paid.Gate.Machine }

// later lets time pass for everybody.
func (w *world) later(d time.Duration) {
	w.clock.Add(int64(d))
	w.seller.ahead.Add(int64(d))
}

// validity is how long a payment of a row is valid, if the row says nothing else: no
// machine is so slow that it runs out by itself.
const validity = 30 * time.Minute

// sign makes the payment that is sent from now on.
func (w *world) sign(changes ...func(*draft)) {
	w.Helper()
	lasting := window(0, -60, int64(validity/time.Second))
	w.header = paymentFor(w.T, w.url, w.method, w.path, append([]func(*draft){lasting}, changes...)...)
}

// window is the validity of an authorization, from and to in seconds from now by
// the buyer's clock, which is ahead by some time.
func window(ahead time.Duration, from, to int64) func(*draft) {
	return func(d *draft) {
		now := time.Now().Add(ahead).Unix()
		a := d.payload.Payload.Authorization
		a.ValidAfter, a.ValidBefore = strconv.FormatInt(now+from, 10), strconv.FormatInt(now+to, 10)
		d.resign = true
	}
}

// buy signs a payment and sends it.
func (w *world) buy(changes ...func(*draft)) {
	w.Helper()
	w.sign(changes...)
	w.send()
}

// send sends the payment and notes the answer.
func (w *world) send() {
	w.Helper()
	w.heard = append(w.heard, w.patient(len(w.heard), w.url, w.header))
}

// shortestLimit is the least time after which the service gives up a part of a sale:
// the reservation.
const shortestLimit = 2 * time.Second

// patient asks, and asks again when a machine is so slow that the service ran into its
// own limits: the row does not await that 503 as its answer n, and it came late. A 503
// that comes at once is noted, whatever it says.
func (w *world) patient(n int, url, header string) string {
	slow := false
	deadline := time.Now().Add(2 * time.Minute)
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		asked := time.Now()
		said := w.ask(w.Context(), url, header)
		slow = slow || time.Since(asked) >= shortestLimit
		awaited := n < len(w.awaited) && said == w.awaited[n]
		if awaited || !slow || !strings.HasPrefix(said, "503") || time.Now().After(deadline) {
			return said
		}
		time.Sleep(pause)
	}
}

// insist sends the payment until the answer is not 503; equal answers in a row
// are noted once.
func (w *world) insist() {
	w.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		w.send()
		last := len(w.heard) - 1
		if last > 0 && w.heard[last] == w.heard[last-1] {
			w.heard = w.heard[:last]
		}
		if !strings.HasPrefix(w.heard[len(w.heard)-1], "503") {
			return
		}
	}
}

// ask sends a payment and gives the status and the code of the answer. It may be
// called by several at once.
func (w *world) ask(ctx context.Context, url, header string) string {
	r, err := order{method: w.method, url: url + w.path, body: []byte(w.body)}.request(ctx)
	if err != nil {
		w.Error(err)
		return ""
	}
	r.Header.Set(x402.HeaderSignature, header)
	a, err := (&buyer{client: http.DefaultClient}).send(r)
	if err != nil {
		return "no answer"
	}
	var problem struct{ Code, Error string }
	if a.status == 200 {
		return "200"
	}
	if err := json.Unmarshal(a.body, &problem); err != nil {
		w.Errorf("status %d, body %q: %v", a.status, a.body, err)
	}
	if a.status == 503 && a.header.Get("Retry-After") == "" {
		w.Errorf("503 %s without Retry-After", problem.Code)
	}
	if a.status == 402 {
		problem.Code = problem.Error
	}
	return fmt.Sprintf("%d %s", a.status, problem.Code)
}

// hangUpAt sends the payment and leaves when the seller comes to a step. A slow
// machine may need several requests to come there.
func (w *world) hangUpAt(step string) {
	ctx, leave := context.WithTimeout(w.Context(), 2*time.Minute)
	defer leave()
	left := make(chan struct{})
	call := func(name string) {
		if name == step {
			leave()
			<-left
			time.Sleep(20 * time.Millisecond) // so that the seller may notice
		}
	}
	w.seller.step.Store(&call)
	said := w.ask(ctx, w.url, w.header)
	for ; ctx.Err() == nil && strings.HasPrefix(said, "503"); said = w.ask(ctx, w.url, w.header) {
		time.Sleep(200 * time.Millisecond)
	}
	w.heard = append(w.heard, said)
	w.seller.step.Store(nil)
	close(left)
}

// sendAtOnce sends the payment many times at once. Each request gets the answer, or an
// error that says that there was one, or a Retry-After.
func (w *world) sendAtOnce(times int) {
	all := make([]string, times)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = w.patient(len(w.heard), w.url, w.header) })
	}
	wait.Wait()
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(said string) bool {
		return said == "503 payment_in_progress" || said == "409 already_delivered"
	})
	w.heard = append(w.heard, strings.Join(all, " or "))
}

// record is what the seller's store has of the payment.
func (w *world) record() payments.Record {
	w.Helper()
	var p x402.Payload
	if err := x402.DecodeHeader(w.header, &p); err != nil {
		w.Fatal(err)
	}
	a := p.Payload.Authorization
	key := payments.Key{Contract: strings.ToLower(devchain.TokenAddress.Hex()), Payer: strings.ToLower(a.From), Nonce: strings.ToLower(a.Nonce)}
	r, err := w.seller.service.paid.Payments.Load(w.Context(), key)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// sweep is what the scheduled function does.
func (w *world) sweep() {
	w.Helper()
	if _, err := w.machine().Sweep(w.Context()); err != nil {
		w.Error(err)
	}
}

// broadcast gives a signed transaction to the chain, not through the proxy.
func (w *world) broadcast(raw string) {
	w.Helper()
	var hash string
	if err := w.chain.RPC().CallContext(w.Context(), &hash, "eth_sendRawTransaction", raw); err != nil {
		w.Fatal(err)
	}
}

// transfers are the Transfer events to the seller and what they brought him.
func (w *world) transfers() (count int, units int64) {
	w.Helper()
	const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" // Transfer(address,address,uint256)
	var events []struct{ Data string }
	err := w.chain.RPC().CallContext(w.Context(), &events, "eth_getLogs", map[string]any{
		"fromBlock": "0x0", "toBlock": "latest", "address": devchain.TokenAddress,
		"topics": []any{topic, nil, "0x" + strings.Repeat("0", 24) + strings.ToLower(devchain.PayTo.Hex()[2:])},
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, event := range events {
		value, err := strconv.ParseInt(strings.TrimPrefix(event.Data, "0x"), 16, 64)
		if err != nil {
			w.Fatal(err)
		}
		units += value
	}
	return len(events), units
}

// judge compares what client, chain and trail say with a row.
func (w *world) judge(r row) {
	w.Helper()
	client := strings.Join(w.heard, ", ")
	transfers, units := w.transfers()
	entries := settlements(w.T, w.data())
	w.Logf(matrixLine, r.fault, client, transfers, entries)
	if client != r.client {
		w.Errorf("the client hears %q, want %q", client, r.client)
	}
	product, _ := catalog.Lookup(w.method, w.path)
	if transfers != r.transfers || units != int64(r.transfers)*int64(product.Price) {
		w.Errorf("%d transfers of %d units in all, want %d at %d", transfers, units, r.transfers, product.Price)
	}
	if entries != r.trail {
		w.Errorf("%d settlements in the audit chain, want %d", entries, r.trail)
	}
	if out, _ := session(w.T, 0, "verify", "chain", filepath.Join(w.data(), "governance.jsonl")); !strings.Contains(out, "valid") {
		w.Errorf("audit chain: %s", out)
	}
}

const matrixLine = "figure: matrix %-34s client %s, chain %d transfers, trail %d entries"
