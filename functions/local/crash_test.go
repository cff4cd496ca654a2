package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// Variables that make the test binary the service.
const (
	childVariable = "LOCAL_TEST_CHILD" // address to listen on
	childData     = "LOCAL_TEST_DATA"
	childCrash    = "LOCAL_TEST_CRASH"   // step after which the process kills itself
	childMemory   = "LOCAL_TEST_MEMORY"  // set: payments and audit chain are kept in memory only
	childOutside  = "LOCAL_TEST_OUTSIDE" // set: the process is the world of a benchmark instead
)

// child is a service with a short lease that dies where it is told.
func child() int {
	listener, err := net.Listen("tcp", os.Getenv(childVariable))
	if err == nil && os.Getenv(childOutside) != "" {
		err = http.Serve(listener, newOutside())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := open(context.Background(), options{data: os.Getenv(childData), workspace: "."}, listener)
	if err == nil && os.Getenv(childMemory) != "" {
		err = forget(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	machine := s.paid.Gate.Machine
	machine.Lease = 2 * time.Second
	machine.Step = func(name string) {
		if name == os.Getenv(childCrash) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
	err = s.run(context.Background(), listener)
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// process is a service in another process.
type process struct {
	*exec.Cmd
	url  string
	once sync.Once
}

func spawn(t testing.TB, data, addr, rpcURL, crash string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0]), url: "http://" + addr}
	p.Env = append(os.Environ(), childVariable+"="+addr, childData+"="+data, childCrash+"="+crash, "RPC_URLS="+rpcURL, "BASE_URL="+p.url)
	var log strings.Builder
	p.Stderr = &log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	for range 200 {
		if response, err := http.Get(p.url + "/x402/products"); err == nil {
			_ = response.Body.Close()
			return p
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.kill()
	t.Fatalf("the service did not start: %s", log.String())
	return nil
}

// kill may be called by several at once; each returns when the process is gone.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.Process.Kill()
		_ = p.Wait() // killed, or dead by its own hand
	})
}

// freeAddr is an address that nobody listens on just now.
func freeAddr(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// TestKilledAtAnyStep kills the process right after each durable step of a
// payment; another process gets the same request again.
func TestKilledAtAnyStep(t *testing.T) {
	for _, step := range []string{"reserved", "verified", "worked", "ready", "signed", "sent", "mined", "recorded", "settled"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			chain, data, addr := newChain(t), t.TempDir(), freeAddr(t)
			dying := spawn(t, data, addr, chain.URL(), step)
			header := paymentFor(t, dying.url, "POST", "/x402/audit-mcp")
			request := order{"POST", dying.url + "/x402/audit-mcp", []byte(sampleConfig)}
			b := &buyer{client: http.DefaultClient, waited: func(string, time.Duration) {}}
			r, err := request.request(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(x402.HeaderSignature, header)
			if a, err := b.send(r); err == nil {
				t.Fatalf("the service survived step %s with %d %s", step, a.status, a.body)
			}
			dying.kill()
			spawn(t, data, addr, chain.URL(), "")
			a, err := b.redeem(t.Context(), request, header)
			if err != nil {
				t.Fatal(err)
			}
			wantStatus(t, a, 200, "after the restart")
			if got := paidTo(t, chain.URL()); got != 50_000 {
				t.Errorf("payTo received %d units", got)
			}
			if n := settlements(t, data); n != 1 {
				t.Errorf("%d settlements in the audit chain", n)
			}
		})
	}
}

func paidTo(t *testing.T, rpcURL string) int64 {
	t.Helper()
	token, err := evm.NewToken("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin", "2")
	if err != nil {
		t.Fatal(err)
	}
	chain, err := evm.Dial(token, []string{rpcURL})
	if err != nil {
		t.Fatal(err)
	}
	return balance(t, chain, eventPayTo).Int64()
}

// TestAllInOneSurvivesKills kills the whole all-in-one, chain included, while
// payments run: whatever was answered is still there.
func TestAllInOneSurvivesKills(t *testing.T) {
	data, addr := t.TempDir(), freeAddr(t)
	answered := 0
	for round := range 6 {
		p := spawn(t, data, addr, "", "")
		go func() {
			time.Sleep(time.Duration(100+round*70) * time.Millisecond)
			p.kill()
		}()
		for {
			paid, err := buyOnce(p.url)
			if err != nil {
				break
			}
			if paid {
				answered++
			}
		}
		p.kill()
	}
	p := spawn(t, data, addr, "", "")
	time.Sleep(100 * time.Millisecond) // the first sweep
	n := settlements(t, data)
	if n < answered || answered == 0 {
		t.Errorf("%d answers, %d settlements recorded", answered, n)
	}
	header := paymentFor(t, p.url, "GET", "/x402/verify-audit")
	report := call(t, p.url, "GET", "/x402/verify-audit", "", x402.HeaderSignature, header)
	wantStatus(t, report, 200, "verification")
	if report.json(t)["valid"] != true {
		t.Errorf("%s", report.body)
	}
	t.Logf("%d answers before kills, %d settlements recorded", answered, n)
}

// buyOnce buys a verification; false when the service was busy.
func buyOnce(url string) (bool, error) {
	key, err := devPayer()
	if err != nil {
		return false, err
	}
	b := &buyer{key: key, client: &http.Client{Timeout: 10 * time.Second}}
	o := order{method: "GET", url: url + "/x402/verify-audit"}
	required, _, err := b.quote(context.Background(), o)
	if err != nil || required == nil {
		return false, errors.Join(err, errors.New("no quote"))
	}
	header, err := b.sign(required, time.Now())
	if err != nil {
		return false, err
	}
	r, err := o.request(context.Background())
	if err != nil {
		return false, err
	}
	r.Header.Set(x402.HeaderSignature, header)
	a, err := b.send(r)
	return a.status == 200, err
}
