package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/config"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// TestMain lets the test binary be the service, for tests that kill it.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// running is a service in this process.
type running struct {
	*testing.T
	url     string // base URL
	addr    string
	service *service
	data    string
	ahead   *atomic.Int64 // nanoseconds that the payment machine's clock is ahead
	step    *atomic.Pointer[func(name string)]
}

// start runs the all-in-one on a free port with an empty data directory.
func start(t *testing.T) *running {
	t.Helper()
	return startIn(t, t.TempDir())
}

func startIn(t *testing.T, data string) *running {
	t.Helper()
	return startWith(t, data, os.LookupEnv)
}

// startWith changes the service before its first request.
func startWith(t *testing.T, data string, environment config.Lookup, changes ...func(*service)) *running {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := open(ctx, options{data: data, workspace: ".", environment: environment}, listener)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(s)
	}
	ahead := new(atomic.Int64)
	s.paid.Gate.Machine.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	step := new(atomic.Pointer[func(string)])
	s.paid.Gate.Machine.Step = func(name string) {
		if call := step.Load(); call != nil {
			(*call)(name)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := s.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &running{t, s.config.BaseURL, listener.Addr().String(), s, data, ahead, step}
}

// call sends one request.
func (r *running) call(method, path, body string, header ...string) answer {
	r.Helper()
	return call(r.T, r.url, method, path, body, header...)
}

func call(t *testing.T, base, method, path, body string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	a, err := (&buyer{client: http.DefaultClient}).send(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.body, &object); err != nil {
		t.Fatalf("status %d, body %q: %v", a.status, a.body, err)
	}
	return object
}

func wantStatus(t *testing.T, a answer, status int, what string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("%s: status %d, want %d; body %s", what, a.status, status, a.body)
	}
}

// draft is a payment before it is signed and encoded.
type draft struct {
	payload x402.Payload
	token   evm.Token
	key     *evm.Key
	resign  bool // sign after the changes, as a client would
}

// payment makes a payment header for a path; changes are applied before signing
// when they set resign, else to the signed payload.
func (r *running) payment(method, path string, changes ...func(*draft)) string {
	r.Helper()
	return paymentFor(r.T, r.url, method, path, changes...)
}

func paymentFor(t *testing.T, base, method, path string, changes ...func(*draft)) string {
	t.Helper()
	key, err := devPayer()
	if err != nil {
		t.Fatal(err)
	}
	b := &buyer{key: key, client: http.DefaultClient}
	required, a, err := b.quote(context.Background(), order{method: method, url: base + path})
	if err != nil || required == nil {
		t.Fatalf("quote of %s: status %d, %v", path, a.status, err)
	}
	header, err := b.sign(required, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		return header
	}
	d := draft{key: key}
	if err := x402.DecodeHeader(header, &d.payload); err != nil {
		t.Fatal(err)
	}
	offer := required.Accepts[0]
	if d.token, err = tokenOf(offer); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(&d)
	}
	if d.resign {
		d.sign(t)
	}
	if header, err = x402.EncodeHeader(d.payload); err != nil {
		t.Fatal(err)
	}
	return header
}

// sign signs the authorization as it stands in the payload.
func (d *draft) sign(t *testing.T) {
	t.Helper()
	a := d.payload.Payload.Authorization
	number := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	signature, err := d.key.Authorize(d.token, payments.Payment{
		Payer: a.From, PayTo: a.To, Amount: int64(number(a.Value)), ValidAfter: number(a.ValidAfter), ValidBefore: number(a.ValidBefore), Nonce: a.Nonce,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.payload.Payload.Signature = signature
}

// balance is the token balance of an account.
func balance(t *testing.T, chain *evm.Chain, address string) *big.Int {
	t.Helper()
	units, err := chain.Balance(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func (r *running) received() *big.Int {
	r.Helper()
	return balance(r.T, r.service.paid.Chain, r.service.config.PayTo)
}

func (r *running) wantReceived(units int64, what string) {
	r.Helper()
	if got := r.received(); got.Cmp(big.NewInt(units)) != 0 {
		r.Errorf("%s: payTo received %s units, want %d", what, got, units)
	}
}

// settlements counts the settlements in the audit chain of a data directory.
func settlements(t *testing.T, data string) int {
	t.Helper()
	return entriesOf(t, data, x402.EventSettled)
}

// entriesOf counts the entries of an event in the audit chain of a data directory.
func entriesOf(t *testing.T, data, event string) int {
	t.Helper()
	chain, err := os.ReadFile(data + "/governance.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(chain, []byte(`"event":"`+event+`"`))
}

// sampleConfig has findings.
const sampleConfig = `{"mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","/"]}}}`

// ownConfig is hard to guess, so a request that contains it proves its buyer.
const ownConfig = `{"mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem@2026.1.14",` +
	`"/srv/projects/quarterly-report","/srv/projects/household"]},"calendar":{"url":"https://calendar.example/mcp?team=blue",` +
	`"headers":{"X-Room":"kitchen-7"}},"weather":{"command":"uvx","args":["weather-of-tomorrow==3.2.1","--station","Zugspitze"]}}}`

// newChain is a development chain of its own, as RPC_URLS names it.
func newChain(t *testing.T) *devchain.Chain {
	t.Helper()
	chain, err := devchain.Start(context.Background(), devchain.Options{RPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chain.Close(); err != nil {
			t.Errorf("chain: %v", err)
		}
	})
	return chain
}

func sprint(v any) string { return fmt.Sprint(v) }
