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

	"governance.internal/functions/local/lambdaruntime"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/porttest"
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

const childLease = 2 * time.Second

// child is a service with a short lease that exits at the step given in its environment.
func child() int {
	listener, err := net.Listen("tcp", os.Getenv(childVariable))
	if err == nil && os.Getenv(childOutside) != "" {
		err = http.Serve(listener, newOutside())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := open(context.Background(), options{data: os.Getenv(childData), workspace: ".", environment: os.LookupEnv}, listener)
	if err == nil && os.Getenv(childMemory) != "" {
		err = forget(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	machine := s.paid.Gate.Machine
	machine.Lease = childLease
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

func spawn(t testing.TB, data, addr, rpcURL, crash string, more ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0]), url: "http://" + addr}
	p.Env = append(os.Environ(), childVariable+"="+addr, childData+"="+data, childCrash+"="+crash, "RPC_URLS="+rpcURL, "BASE_URL="+p.url)
	p.Env = append(p.Env, more...)
	var log strings.Builder
	p.Stderr = &log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if response, err := http.Get(p.url + "/x402/products"); err == nil {
			_ = response.Body.Close()
			return p
		}
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

var allSteps = []string{"reserved", "verified", "worked", "ready", "signed", "sent", "mined", "recorded", "settled"}

// tableEnvironment makes a service keep its payments in DynamoDB.
func tableEnvironment(t *testing.T) []string {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	return []string{"PAYMENTS_TABLE=" + table, "DYNAMODB_ENDPOINT=" + endpoint}
}

// TestKilledAtAnyStep kills the process right after each durable step of a
// payment; another process gets the same request again.
func TestKilledAtAnyStep(t *testing.T) {
	for _, step := range allSteps {
		t.Run("file/"+step, func(t *testing.T) {
			t.Parallel()
			killedAt(t, step)
		})
	}
}

// The same with the store of a deployment, where another function instance goes
// on.
func TestKilledAtAnyStepWithATable(t *testing.T) {
	for _, step := range allSteps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			killedAt(t, step, tableEnvironment(t)...)
		})
	}
}

func killedAt(t *testing.T, step string, store ...string) {
	chain, data, addr := newChain(t), t.TempDir(), porttest.Address(t)
	b, request, header := dieAt(t, step, data, addr, chain.URL(), store...)
	spawn(t, data, addr, chain.URL(), "", store...)
	a, err := b.redeem(t.Context(), request, header)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, a, 200, "after the restart")
	wantOneSettlement(t, chain.URL(), data)
	kind := "file"
	if len(store) > 0 {
		kind = "table"
	}
	t.Logf(matrixLine, "killed when "+step+", "+kind, "no answer, 200", 1, settlements(t, data))
}

// dieAt sends a payment to a service that dies of it.
func dieAt(t *testing.T, step, data, addr, rpcURL string, store ...string) (*buyer, order, string) {
	t.Helper()
	dying := spawn(t, data, addr, rpcURL, step, store...)
	header := paymentFor(t, dying.url, "POST", "/x402/audit-mcp", window(0, -60, 1800)) // it must not run out before a slow machine has restarted
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
	return b, request, header
}

func wantOneSettlement(t *testing.T, rpcURL, data string) {
	t.Helper()
	if got := paidTo(t, rpcURL); got != 50_000 {
		t.Errorf("payTo received %d units", got)
	}
	if n := settlements(t, data); n != 1 {
		t.Errorf("%d settlements in the audit chain", n)
	}
}

// A client that never comes back has paid all the same once the transaction is
// out: the scheduled function settles, and the answer waits for him.
func TestEveryLambdaCrashIsSwept(t *testing.T) {
	bootstrap, err := compile(t.Context(), "payment-sweeper", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	size := weigh(t, "payment-sweeper")
	for _, step := range []string{"signed", "sent", "mined", "recorded"} {
		chain, data, addr, store := newChain(t), t.TempDir(), porttest.Address(t), tableEnvironment(t)
		b, request, header := dieAt(t, step, data, addr, chain.URL(), store...)
		time.Sleep(childLease)
		environment, err := lambdaEnvironment(data, chain.URL())
		if err != nil {
			t.Fatal(err)
		}
		sweeper, err := lambdaruntime.Start(t.Context(), bootstrap, append(environment, store...), os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		report, err := sweeper.Invoke(t.Context(), []byte(`{"source":"aws.scheduler"}`))
		if err := errors.Join(err, sweeper.Stop()); err != nil || string(report) != `{"moved":1}` {
			t.Fatalf("%s: report %s (%v)", step, report, err)
		}
		wantOneSettlement(t, chain.URL(), data)
		spawn(t, data, addr, chain.URL(), "", store...)
		a, err := b.redeem(t.Context(), request, header)
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, a, 200, "after the sweep")
		wantOneSettlement(t, chain.URL(), data)
	}
	t.Logf("figure: %-17s %6.2f MB", "payment-sweeper", float64(size)/1e6)
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
	data, addr := t.TempDir(), porttest.Address(t)
	answered := 0
	for round := range 6 {
		p := spawn(t, data, addr, "", "")
		end := time.AfterFunc(time.Minute, p.kill) // of a service that sells nothing
		for before := answered; ; {
			paid, err := buyOnce(p.url)
			if err != nil {
				break
			}
			if paid {
				answered++
			}
			if paid && answered == before+1 { // however long a slow machine takes for the first
				end.Reset(time.Duration(round*70) * time.Millisecond)
			}
		}
		p.kill()
	}
	p := spawn(t, data, addr, "", "")
	n := settlements(t, data)
	if n < answered || answered == 0 {
		t.Errorf("%d answers, %d settlements recorded", answered, n)
	}
	header := paymentFor(t, p.url, "GET", "/x402/verify-audit")
	b := &buyer{client: http.DefaultClient, waited: func(string, time.Duration) {}}
	report, err := b.redeem(t.Context(), order{method: "GET", url: p.url + "/x402/verify-audit"}, header)
	if err != nil {
		t.Fatal(err)
	}
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
	b := &buyer{key: key, client: &http.Client{Timeout: time.Minute}}
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
