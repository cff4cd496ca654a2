package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/x402"
)

// After a settlement everybody reads the payment on the chain and can send it again. A
// body that can be guessed is then no proof that the buyer asks.

// copiesOf sends many copies of a paid request at once, retries those that got a
// Retry-After, and counts the answers.
func (r *running) copiesOf(many int, send func() answer) (delivered int64) {
	r.Helper()
	var count atomic.Int64
	var wait sync.WaitGroup
	for range many {
		wait.Go(func() {
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
				a := send()
				switch a.status {
				case http.StatusOK:
					count.Add(1)
					return
				case http.StatusServiceUnavailable:
				default:
					return
				}
			}
		})
	}
	wait.Wait()
	return count.Load()
}

func TestSixtyCopiesWithoutAnIdentifierDeliverThreeTimes(t *testing.T) {
	r := start(t)
	for name, tc := range map[string]struct{ method, path, body string }{
		"no body":       {"GET", "/x402/playbook/mcp-hardening", ""},
		"no servers":    {"POST", "/x402/audit-mcp", `{"mcpServers":{}}`},
		"a short body":  {"POST", "/x402/audit-mcp", sampleConfig},
		"much of space": {"POST", "/x402/audit-mcp", `{"mcpServers":{}` + strings.Repeat(" ", 4000) + `}`},
	} {
		payment := r.payment(tc.method, tc.path)
		delivered := r.copiesOf(60, func() answer {
			return r.call(tc.method, tc.path, tc.body, x402.HeaderSignature, payment)
		})
		t.Logf("figure: 60 simultaneous copies, %s: %d delivered", name, delivered)
		if delivered < 1 || delivered > 3 {
			t.Errorf("%s: %d deliveries", name, delivered)
		}
	}
}

// A paid tool without arguments: twelve thieves share what is left of three deliveries.
func TestAStolenPaymentOfAToolWithoutArgumentsIsWorthLittle(t *testing.T) {
	for name, c := range sellingTools(t) {
		payload := c.pay(c.terms("verify_audit_chain", map[string]any{}))
		if bought := c.use("verify_audit_chain", map[string]any{}, payload); bought.IsError {
			t.Fatalf("%s: %s", name, text(t, bought))
		}
		stolen := 0
		for range 12 {
			if a := c.use("verify_audit_chain", map[string]any{}, payload); !a.IsError {
				stolen++
			}
		}
		if stolen > 2 {
			t.Errorf("%s: %d of 12 copies were answered", name, stolen)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
