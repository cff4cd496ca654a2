package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"governance.internal/shared/x402"
)

// seller is a process with the official express middleware.
type seller struct {
	url   string
	pid   int
	lines *bufio.Scanner
}

// startSeller starts the seller whose money comes through a facilitator.
func startSeller(t testing.TB, node, facilitatorURL, payTo string) *seller {
	t.Helper()
	command := exec.Command(node, "../../testdata/clients/express-seller.mjs")
	command.Env = append(os.Environ(), "FACILITATOR_URL="+facilitatorURL, "PAY_TO="+payTo)
	var complaints strings.Builder
	command.Stderr = &complaints
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait() // it ends with its input
	})
	s := &seller{pid: command.Process.Pid, lines: bufio.NewScanner(output)}
	s.lines.Buffer(nil, 1<<20)
	if !s.lines.Scan() {
		_ = input.Close()
		_ = command.Wait()
		t.Fatalf("the seller did not start: %s", &complaints)
	}
	s.url = "http://127.0.0.1:" + s.lines.Text()
	return s
}

// A seller on the official middleware lives off our facilitator.
func TestOfficialSellerSettlesThroughOurFacilitator(t *testing.T) {
	node := needNode(t)
	r := start(t)
	s := startSeller(t, node, r.url+"/facilitator", otherSeller)
	for n := range int64(2) {
		b := buyWith(t, node, s.url, "buy-v2.mjs", "GET", "/report")
		if b.Status != 200 || !strings.Contains(b.Body, "all is well") || !b.Response.Success || b.Response.Network != "eip155:8453" {
			t.Fatalf("purchase %d: %+v", n, b)
		}
		r.wantOtherSellerHas((n + 1) * 70_000)
		if !s.lines.Scan() {
			t.Fatal("the seller heard of no settlement")
		}
		var heard struct {
			invoice
			Result x402.SettleResponse
		}
		if err := json.Unmarshal(s.lines.Bytes(), &heard); err != nil {
			t.Fatalf("%s: %v", s.lines.Bytes(), err)
		}
		if !heard.Result.Success || heard.Result.Transaction != b.Response.Transaction {
			t.Errorf("the seller heard %+v, the buyer %+v", heard.Result, b.Response)
		}
		if a, again := r.settle(heard.invoice); again.Success || again.ErrorReason != x402.ReasonNonceUsed {
			t.Errorf("settled again: %s", a.body)
		}
		r.wantOtherSellerHas((n + 1) * 70_000)
	}
}

// One house sells, another settles, and the seller has no gas wallet.
func TestWeSellThroughAFacilitatorElsewhere(t *testing.T) {
	house := start(t)
	for name, value := range map[string]string{
		"RPC_URLS": house.service.devchain.URL(), "FACILITATOR_URL": house.url + "/facilitator", "PAY_TO": otherSeller,
	} {
		t.Setenv(name, value)
	}
	seller := start(t)
	header := seller.payment("POST", "/x402/audit-mcp")
	first := seller.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
	wantStatus(t, first, 200, "bought")
	again := seller.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header)
	if string(again.body) != string(first.body) || again.header.Get(x402.HeaderResponse) != first.header.Get(x402.HeaderResponse) {
		t.Errorf("again: %d %s", again.status, again.body)
	}
	house.wantOtherSellerHas(50_000)
	house.wantReceived(0, "the settling house")
	if sold, settled := settlements(t, seller.data), settlements(t, house.data); sold != 1 || settled != 0 {
		t.Errorf("%d sales recorded by the seller, %d by the house that settled", sold, settled)
	}
	wantStatus(t, seller.call("GET", "/facilitator/supported", ""), 404, "a facilitator without a wallet")
}
