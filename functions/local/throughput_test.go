package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	auditmemory "governance.internal/shared/audit/memory"
	"governance.internal/shared/payments/memory"
	"governance.internal/shared/porttest"
	"governance.internal/shared/wiring"
	"governance.internal/shared/x402"
)

// outside is the world of a benchmark: a facilitator that settles at once, and a
// node of a chain on which that happened.
type outside struct {
	http.Handler
	mu    sync.Mutex
	moved map[string]x402.Authorization // transaction -> what it carried out
}

func newOutside() *outside {
	o := &outside{moved: map[string]x402.Authorization{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /x402/supported", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],"extensions":[],"signers":{}}`)
	})
	mux.HandleFunc("POST /x402/verify", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"isValid":true,"payer":"%s"}`, authorizationIn(r).From)
	})
	mux.HandleFunc("POST /x402/settle", func(w http.ResponseWriter, r *http.Request) {
		a := authorizationIn(r)
		o.mu.Lock()
		o.moved[strings.ToLower(a.Nonce)] = a // the transaction is called like the nonce
		o.mu.Unlock()
		reply(w, `{"success":true,"payer":"%s","transaction":"%s","network":"eip155:8453"}`, a.From, a.Nonce)
	})
	mux.HandleFunc("GET /x402/products", func(http.ResponseWriter, *http.Request) {}) // says that this process is up
	mux.HandleFunc("GET /copy", copies())
	mux.HandleFunc("POST /{$}", o.node)
	o.Handler = mux
	return o
}

func reply(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, format, args...)
}

func authorizationIn(r *http.Request) x402.Authorization {
	var question struct{ PaymentPayload x402.Payload }
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &question); err != nil || question.PaymentPayload.Payload.Authorization == nil {
		return x402.Authorization{}
	}
	return *question.PaymentPayload.Payload.Authorization
}

// node answers the calls of JSON-RPC that a seller makes.
func (o *outside) node(w http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &call)
	zero := strings.Repeat("0", 64)
	result := `"0x"`
	switch call.Method {
	case "eth_chainId":
		result = `"0x2105"`
	case "eth_call": // only the domain separator is asked for
		result = `"0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"`
	case "eth_getBlockByNumber":
		result = fmt.Sprintf(`{"number":"0x0","parentHash":"0x%[1]s","sha3Uncles":"0x%[1]s","stateRoot":"0x%[1]s","transactionsRoot":"0x%[1]s","receiptsRoot":"0x%[1]s",
			"miner":"0x%040d","logsBloom":"0x%0512d","difficulty":"0x0","gasLimit":"0x1","gasUsed":"0x0","timestamp":"0x1","extraData":"0x"}`, zero, 0, 0)
	case "eth_getTransactionReceipt":
		result = o.receipt(strings.Trim(string(call.Params[0]), `"`))
	}
	reply(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
}

// receipt has the two events of a transfer by authorization.
func (o *outside) receipt(hash string) string {
	o.mu.Lock()
	a, ok := o.moved[strings.ToLower(hash)]
	o.mu.Unlock()
	if !ok {
		return "null"
	}
	address := func(text string) string { return "0x" + strings.Repeat("0", 24) + strings.TrimPrefix(text, "0x") }
	value, _ := new(big.Int).SetString(a.Value, 10)
	event := func(index, data string, topics ...string) string {
		return fmt.Sprintf(`{"address":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","topics":["%s"],"data":"0x%s","blockNumber":"0x1","transactionHash":"%s","transactionIndex":"0x0","blockHash":"%s","logIndex":"%s","removed":false}`,
			strings.Join(topics, `","`), data, hash, hash, index)
	}
	used := event("0x0", "", "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5", address(a.From), a.Nonce)
	transfer := event("0x1", fmt.Sprintf("%064x", value), "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", address(a.From), address(a.To))
	return fmt.Sprintf(`{"status":"0x1","cumulativeGasUsed":"0x1","gasUsed":"0x1","logsBloom":"0x%0512d","logs":[%s,%s],"transactionHash":"%s","blockHash":"%s","blockNumber":"0x1","transactionIndex":"0x0"}`,
		0, used, transfer, hash, hash)
}

// forget makes a service keep payments and audit chain in memory.
func forget(s *service) error {
	gate := s.paid.Gate
	trail, err := auditmemory.New(wiring.ChainName, auditmemory.Options{})
	gate.Machine.Store = memory.New()
	gate.Machine.Ledger = x402.Ledger{Chain: trail, Name: wiring.ChainName, Signer: gate.Signer,
		Ruleset: func(string) string { return "api" }}
	return err
}

// Sizes of one round of the benchmark.
const (
	loadRequests = 600
	loadClients  = 16
)

// load sends paid requests, signed beforehand, and gives how many a second were
// answered 200; every other answer is a failure.
func load(b *testing.B, url string) float64 {
	b.Helper()
	key, err := devPayer()
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadClients}}
	defer client.CloseIdleConnections()
	buyer := &buyer{key: key, client: client}
	o := order{method: "GET", url: url}
	required, a, err := buyer.quote(b.Context(), o)
	if err != nil || required == nil {
		b.Fatalf("quote: %d %s, %v", a.status, a.body, err)
	}
	headers := make([]string, loadRequests)
	for i := range headers {
		if headers[i], err = buyer.sign(required, time.Now()); err != nil {
			b.Fatal(err)
		}
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	began := time.Now()
	for range loadClients {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < loadRequests; i = next.Add(1) - 1 {
				r, err := o.request(b.Context())
				if err != nil {
					b.Error(err)
					return
				}
				r.Header.Set(x402.HeaderSignature, headers[i])
				if a, err := buyer.send(r); err != nil || a.status != 200 {
					b.Errorf("%s: %d %s, %v", url, a.status, a.body, err)
					return
				}
			}
		})
	}
	wait.Wait()
	return loadRequests / time.Since(began).Seconds()
}

// cpu is the processor time that a process has used, user and system, from
// Linux's /proc in its ticks of 10 ms.
func cpu(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		b.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// BenchmarkPaidRequest sells beside the official express middleware: the same
// facilitator, the same load, in turns. Ours also asks a node for proof, signs
// the answer and its receipt and keeps payment and audit entry; with "disk" both
// survive a crash. The processor time of the selling process alone says what a
// machine can sell that has something else to do.
func BenchmarkPaidRequest(b *testing.B) {
	node := needNode(b)
	b.Setenv(childOutside, "yes")
	world := spawn(b, b.TempDir(), porttest.Address(b), "", "").url
	b.Setenv(childOutside, "")
	for name, value := range map[string]string{"FACILITATOR_URL": world + "/x402", "PAY_TO": otherSeller, "QUIET": "yes", "NODE_ENV": "production"} {
		b.Setenv(name, value)
	}
	disk := spawn(b, b.TempDir(), porttest.Address(b), world, "")
	b.Setenv(childMemory, "yes")
	forgetful := spawn(b, b.TempDir(), porttest.Address(b), world, "")
	express := startSeller(b, node, world+"/x402", otherSeller)
	sellers := []struct {
		name, url string
		pid       int
	}{
		{"memory", forgetful.url + "/x402/tip", forgetful.Process.Pid}, {"disk", disk.url + "/x402/tip", disk.Process.Pid},
		{"express", express.url + "/report", express.pid},
	}
	for _, s := range sellers {
		load(b, s.url) // warm
	}
	rates, costs := map[string][]float64{}, map[string][]float64{}
	for b.Loop() {
		for _, s := range sellers {
			before := cpu(b, s.pid)
			rates[s.name] = append(rates[s.name], load(b, s.url))
			costs[s.name] = append(costs[s.name], float64((cpu(b, s.pid)-before).Microseconds())/1000/loadRequests)
		}
	}
	for _, s := range sellers {
		b.ReportMetric(middle(rates[s.name]), s.name+"-req/s")
		b.ReportMetric(middle(costs[s.name]), s.name+"-cpu-ms/req")
	}
	for _, ours := range []string{"memory", "disk"} {
		b.ReportMetric(middle(rates[ours])/middle(rates["express"]), ours+"/express-req/s")
		b.ReportMetric(middle(costs["express"])/middle(costs[ours]), "express/"+ours+"-cpu")
	}
	b.ReportMetric(0, "ns/op") // hides the time of a whole round
}

func middle(values []float64) float64 {
	all := slices.Sorted(slices.Values(values))
	return all[len(all)/2]
}
