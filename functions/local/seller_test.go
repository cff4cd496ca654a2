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
	s := &seller{lines: bufio.NewScanner(output)}
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
		if a, again := r.settle(heard.invoice); !again.Success || again.Transaction != b.Response.Transaction {
			t.Errorf("settled again: %s", a.body)
		}
		r.wantOtherSellerHas((n + 1) * 70_000)
	}
}
