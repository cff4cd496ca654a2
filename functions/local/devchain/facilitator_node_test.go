package devchain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/payments"
)

// gateway stands before the chain and fails as nodes do. spoil answers a method
// instead of the chain: status 0 passes it on. lie changes what the chain said.
type gateway struct {
	url   string
	spoil atomic.Pointer[func(method string) (status int, body string)]
	lie   atomic.Pointer[func(method, request, answer string) string]

	refusal atomic.Pointer[func(method, request string) string]
}

func (s *shop) gateway() *gateway {
	n := &gateway{}
	n.fail(func(string) (int, string) { return 0, "" })
	n.say(func(_, _, answer string) string { return answer })
	n.refuse(func(_, _ string) string { return "" })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &call)
		w.Header().Set("Content-Type", "application/json")
		if status, answer := (*n.spoil.Load())(call.Method); status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.Replace(answer, "ID", string(call.ID), 1))
			return
		}
		if why := (*n.refusal.Load())(call.Method, string(body)); why != "" {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`, call.ID, why)
			return
		}
		res, err := http.Post(s.chain.URL(), "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		answer, _ := io.ReadAll(res.Body)
		_, _ = io.WriteString(w, (*n.lie.Load())(call.Method, string(body), string(answer)))
	}))
	s.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *gateway) fail(how func(method string) (int, string)) { n.spoil.Store(&how) }

func (n *gateway) say(what func(method, request, answer string) string) { n.lie.Store(&what) }

// refuse answers a request with a JSON-RPC error instead of the chain.
func (n *gateway) refuse(why func(method, request string) string) { n.refusal.Store(&why) }

// failAt spoils some methods in one way.
func (n *gateway) failAt(status int, body string, methods ...string) {
	n.fail(func(method string) (int, string) {
		if slices.Contains(methods, method) {
			return status, body
		}
		return 0, ""
	})
}

func (n *gateway) heal() { n.failAt(0, "") }

// failures are answers that say nothing about a payment.
var failures = map[string]struct {
	status int
	body   string
}{
	"JSON-RPC error":  {200, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"header not found"}}`},
	"rate limit":      {200, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32005,"message":"limit exceeded"}}`},
	"server error":    {500, `{"error":"oops"}`},
	"a page":          {200, `<html><body>Just a moment</body></html>`},
	"too many":        {429, `slow down`},
	"an empty answer": {200, ``},
}

func TestTheFirstNodeThatAnswersIsAsked(t *testing.T) {
	const dead = "http://127.0.0.1:1" // nothing listens there
	s := openShop(t)
	first := map[string]string{"closed port": dead}
	for name, failure := range failures {
		n := s.gateway()
		n.fail(func(string) (int, string) { return failure.status, failure.body })
		first[name] = n.url
	}
	for name, url := range first {
		f := s.facilitator(url, s.chain.URL())
		p := s.payment(10)
		if err := f.Verify(t.Context(), p); err != nil {
			t.Errorf("%s, verify: %v", name, err)
		}
		if _, err := f.Settle(t.Context(), p, s.journal(p)); err != nil {
			t.Errorf("%s, settle: %v", name, err)
		}
	}
	s.wantReceived(70, 7)
	f := s.facilitator(dead, dead)
	p := s.payment(5000)
	j := s.journal(p)
	wantUndecided(t, f.Verify(t.Context(), p))
	_, err := f.Settle(t.Context(), p, j)
	wantUndecided(t, err)
	if j.Attempt().Signed() || *j.sent != 0 {
		t.Error("a transaction was signed without a chain")
	}
	s.wantReceived(70, 7)
}

func TestANodeThatHangsIsLeft(t *testing.T) {
	s := openShop(t)
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-release }))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(release) })
	f := s.facilitator(hanging.URL, s.chain.URL())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := f.Verify(ctx, s.payment(5000)); err != nil {
		t.Error(err)
	}
}

// Each wait for it is three seconds of a buyer.
func TestANodeThatFailedComesLastForAWhile(t *testing.T) {
	s := openShop(t)
	n := s.gateway()
	asked := 0
	n.fail(func(string) (int, string) {
		asked++
		return http.StatusInternalServerError, ""
	})
	f := s.facilitator(n.url, s.chain.URL())
	began := time.Now()
	for range 3 {
		p := s.payment(10)
		if err := f.Verify(t.Context(), p); err != nil {
			t.Error(err)
		}
		if _, err := f.Settle(t.Context(), p, s.journal(p)); err != nil {
			t.Error(err)
		}
	}
	const pause = 20 * time.Second
	if asked < 1 || asked > 1+int(time.Since(began)/pause) {
		t.Errorf("the node that fails was asked %d times in %s", asked, time.Since(began))
	}
	s.wantReceived(30, 3)
}

func TestANodeThatFailsNeverJudgesAPayment(t *testing.T) {
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			n := s.gateway()
			f := s.facilitator(n.url)
			p := s.payment(5000)
			for _, method := range []string{"eth_call", "eth_estimateGas", "eth_maxPriorityFeePerGas", "eth_getTransactionCount", "eth_getBlockByNumber"} {
				n.failAt(failure.status, failure.body, method)
				if method == "eth_call" {
					wantUndecided(t, f.Verify(t.Context(), p))
					continue
				}
				j := s.journal(s.payment(5000))
				_, err := s.facilitator(n.url).Settle(t.Context(), j.record.Payment, j)
				wantUndecided(t, err)
				if j.Attempt().Signed() {
					t.Errorf("%s: signed", method)
				}
			}
			// A refusal of the EVM whose cause cannot be found out judges nothing either.
			poor := s.paymentFrom(GasKey, 5000)
			calls := 0
			n.fail(func(method string) (int, string) {
				if calls++; calls == 1 {
					return 0, ""
				}
				return failure.status, failure.body
			})
			wantUndecided(t, f.Verify(t.Context(), poor))
			n.failAt(failure.status, failure.body, "eth_getLogs")
			s.frontRun(p)
			j := s.journal(p)
			_, err := f.Settle(t.Context(), p, j)
			wantError[*payments.Pending](t, err) // for all we know the money arrived
			n.heal()
			if _, err := f.Settle(t.Context(), p, j); err != nil {
				t.Errorf("with the node healthy again: %v", err)
			}
			s.wantReceived(5000, 1)
		})
	}
}

func TestANodeThatDiesAfterTheBroadcastLeavesAPendingPayment(t *testing.T) {
	for name, failure := range failures {
		for _, method := range []string{"eth_getTransactionReceipt", "eth_sendRawTransaction"} {
			t.Run(name+" to "+method, func(t *testing.T) {
				s := openShop(t)
				n := s.gateway()
				n.failAt(failure.status, failure.body, method)
				p := s.payment(5000)
				j := s.journal(p)
				_, err := s.settles(s.facilitator(n.url), j, 200*time.Millisecond)
				hash := j.Attempt().Hash
				if pending := wantError[*payments.Pending](t, err); pending.Transaction != hash || hash == "" {
					t.Errorf("pending %+v, stored %s", pending, hash)
				}
				n.heal()
				got, err := s.facilitator(n.url).Settle(t.Context(), p, j)
				if err != nil || got.Transaction != hash {
					t.Errorf("resumed: %+v (%v), want %s", got, err, hash)
				}
				s.wantReceived(5000, 1)
			})
		}
	}
}

// A node may have executed a block and not indexed its events yet.
func TestMoneyThatMovedIsNeverReportedAsRefused(t *testing.T) {
	s := openShop(t)
	n := s.gateway()
	n.failAt(200, `{"jsonrpc":"2.0","id":ID,"result":[]}`, "eth_getLogs")
	p := s.payment(5000)
	theirs := s.frontRun(p)
	j := s.journal(p)
	_, err := s.facilitator(n.url).Settle(t.Context(), p, j)
	wantError[*payments.Pending](t, err)
	n.heal()
	if got, err := s.facilitator(n.url).Settle(t.Context(), p, j); err != nil || got.Transaction != theirs.TxHash.Hex() {
		t.Errorf("later: %+v (%v)", got, err)
	}

	signed := s.payment(70)
	j = s.journal(signed)
	j.then = func() { s.frontRun(signed) }
	n.failAt(200, `{"jsonrpc":"2.0","id":ID,"result":[]}`, "eth_getLogs")
	_, err = s.settles(s.facilitator(n.url), j, 200*time.Millisecond)
	if pending := wantError[*payments.Pending](t, err); pending.Transaction != j.Attempt().Hash {
		t.Errorf("pending %+v", pending)
	}
	s.wantReceived(5070, 2)
}
