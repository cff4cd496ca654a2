package x402_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// untouched is a store, a facilitator and a ledger that must not be used.
type untouched struct {
	payments.Store
	payments.Facilitator
	payments.Ledger
}

// counting is a signer that counts.
type counting struct {
	x402.Signer
	n *atomic.Int32
}

func (c counting) Sign(data x402.TypedData) (string, error) {
	c.n.Add(1)
	return c.Signer.Sign(data)
}

// unpaidGate sells the tip with nothing behind it: whatever touches a store or a
// chain is a nil pointer.
func unpaidGate(t testing.TB, now func() time.Time) (http.Handler, *atomic.Int32) {
	t.Helper()
	signed := new(atomic.Int32)
	gate := &x402.Gate{Site: site(), Signer: counting{signer(t), signed}, Now: now,
		Machine: &payments.Machine{Store: untouched{}, Facilitator: untouched{}, Ledger: untouched{}}}
	sold := gate.Sell("tip", func(x402.Call) (x402.Work, error) {
		return func(context.Context) (httpapi.Response, error) { panic("unpaid work") }, nil
	})
	return httpapi.Mux([]httpapi.Route{{Method: "GET", Path: "/x402/tip", Handler: sold}}), signed
}

func ask(h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAnUnpaidRequestTouchesNothingAndSignsOnceInAWhile(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	h, signed := unpaidGate(t, func() time.Time { return now })
	answers := map[string]bool{}
	for range 100 {
		for _, header := range [][]string{nil, {"X402-Version", "1"}, {"Accept", "text/html"}} {
			w := ask(h, "/x402/tip", header...)
			if w.Code != http.StatusPaymentRequired || w.Header().Get("Vary") == "" {
				t.Fatalf("%v: %d %v", header, w.Code, w.Header())
			}
			answers[w.Body.String()] = true
		}
	}
	if len(answers) != 3 || signed.Load() != 1 {
		t.Errorf("%d different answers, %d signatures", len(answers), signed.Load())
	}
	var first, later x402.Required
	decode := func(into *x402.Required) {
		t.Helper()
		if err := x402.DecodeHeader(ask(h, "/x402/tip").Header().Get(x402.HeaderRequired), into); err != nil {
			t.Fatal(err)
		}
	}
	decode(&first)
	now = now.Add(time.Minute)
	decode(&later)
	if fmt.Sprint(first.Extensions["offer-receipt"]) == fmt.Sprint(later.Extensions["offer-receipt"]) {
		t.Error("the offer of a minute ago is still made")
	}
}

// anybody is an account book in which every sign-in is good.
type anybody struct{}

func (anybody) SignedText(context.Context, string, string, string) error { return nil }

func TestEveryChallengeHasANonceOfItsOwn(t *testing.T) {
	gate := &x402.Gate{Site: site(), Signer: signer(t), Accounts: anybody{}, Now: time.Now}
	shop := gate.Sell("tip", nil)
	nonces := map[string]bool{}
	for range 50 {
		for _, header := range [][]string{nil, {"Accept", browser}} {
			var required x402.Required
			if err := x402.DecodeHeader(ask(shop, "/x402/tip", header...).Header().Get(x402.HeaderRequired), &required); err != nil {
				t.Fatal(err)
			}
			info := required.Extensions["sign-in-with-x"].(map[string]any)["info"].(map[string]any)
			nonces[info["nonce"].(string)] = true
		}
	}
	if len(nonces) != 100 {
		t.Errorf("100 challenges have %d nonces", len(nonces))
	}
}

// Callers choose amounts; that must neither mix up offers nor fill the memory.
func TestEveryAmountHasItsOwnOffer(t *testing.T) {
	h, _ := unpaidGate(t, time.Now)
	for range 2 {
		for cents := 1; cents <= 600; cents++ {
			var required x402.Required
			w := ask(h, fmt.Sprintf("/x402/tip?amount=%d.%02d", cents/100, cents%100))
			if err := x402.DecodeHeader(w.Header().Get(x402.HeaderRequired), &required); err != nil {
				t.Fatal(err)
			}
			if got, want := required.Accepts[0].Amount, fmt.Sprint(cents*10_000); got != want {
				t.Fatalf("%d cents are offered for %s units", cents, got)
			}
		}
	}
}

func BenchmarkUnpaidHandler(b *testing.B) {
	h, _ := unpaidGate(b, time.Now)
	r := httptest.NewRequest("GET", "/x402/tip", nil)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// Clients of both versions look for the header first: to them it says version 2, whatever
// the body says.
func TestTermsOfVersion1HaveNoHeaderOfVersion2(t *testing.T) {
	gate := &x402.Gate{Site: site(), Signer: signer(t), Now: time.Now}
	shop := gate.Sell("tip", nil)
	for name, tc := range map[string]struct {
		target string
		header []string
		v1     bool
	}{
		"header":             {"/x402/tip", []string{"X402-Version", "1"}, true},
		"query":              {"/x402/tip?x402Version=1", nil, true},
		"a browser":          {"/x402/tip", []string{"X402-Version", "1", "Accept", browser}, true},
		"a refused payment":  {"/x402/tip", []string{"X402-Version", "1", x402.HeaderPaymentV1, "garbage"}, true},
		"version 2":          {"/x402/tip", []string{"X402-Version", "2"}, false},
		"nothing said":       {"/x402/tip", nil, false},
		"a browser, nothing": {"/x402/tip", []string{"Accept", browser}, false},
	} {
		r := httptest.NewRequest("GET", tc.target, nil)
		for i := 0; i < len(tc.header); i += 2 {
			r.Header.Set(tc.header[i], tc.header[i+1])
		}
		w := httptest.NewRecorder()
		shop.ServeHTTP(w, r)
		if got := w.Header().Get(x402.HeaderRequired) == ""; got != tc.v1 || w.Code != 402 {
			t.Errorf("%s: status %d, without the header: %v", name, w.Code, got)
		}
		if isV1 := strings.Contains(w.Body.String(), `"maxAmountRequired"`); isV1 != tc.v1 {
			t.Errorf("%s: terms of version 1: %v", name, isV1)
		}
		if !strings.Contains(w.Header().Get("Vary"), "X402-Version") {
			t.Errorf("%s: Vary %q", name, w.Header().Get("Vary"))
		}
	}
}
