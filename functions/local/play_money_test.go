package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/x402"
)

// The development chain has the chain id and the token address of the real network.
// A signature of a real wallet for it would be good there too, and its payee's key is
// public, so nothing may lead a real wallet to sign.

// realKey stands for the key of a real wallet.
var realKey = "0x" + strings.Repeat("5e", 32)

const playMoney = "play money"

func keyFile(t *testing.T, private string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wallet.key")
	if err := os.WriteFile(path, []byte(private), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPaySignsWithNoRealKeyOnTheDevelopmentChain(t *testing.T) {
	r := start(t)
	for name, command := range map[string][]string{
		"pay":   {"pay", "GET", "/x402/tip", "-base", r.url, "-data", r.data, "-y", "-key", keyFile(t, realKey)},
		"smoke": {"smoke", r.url, "-key", keyFile(t, realKey)},
	} {
		out, notes := session(t, 1, command...)
		if !strings.Contains(out+notes, playMoney) || !strings.Contains(out+notes, "-key") {
			t.Errorf("%s does not say why: %q %q", name, out, notes)
		}
	}
	for _, known := range []string{devchain.PayerKey, devchain.GasKey} {
		status := 0
		if known == devchain.GasKey { // may sign, and has no dollars
			status = 1
		}
		_, notes := session(t, status, "pay", "GET", "/x402/tip", "-base", r.url, "-data", r.data, "-y", "-key", keyFile(t, known))
		if !strings.Contains(notes, "development chain, "+playMoney) {
			t.Errorf("pay does not say that the money is play money: %q", notes)
		}
	}
	r.wantReceived(10_000, "one tip of the development payer")
}

// A service that hides what it is, an older one for example, still names a payee whose key
// is public; and one that is paid to an account of its own still says what it is.
func TestPaySignsForNoPayeeWhoseKeyIsPublic(t *testing.T) {
	marked := map[string]any{x402.ExtensionDevelopment: map[string]any{}}
	for name, tc := range map[string]struct {
		payee      string
		extensions map[string]any
	}{
		"a known payee":  {devchain.PayTo.Hex(), nil},
		"another payee":  {otherSeller, marked},
		"a marked chain": {devchain.PayTo.Hex(), marked},
	} {
		signed := false
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			signed = signed || r.Header.Get(x402.HeaderSignature) != ""
			header, err := x402.EncodeHeader(x402.Required{X402Version: 2, Extensions: tc.extensions, Accepts: []x402.Requirements{{
				Scheme: "exact", Network: knownNetwork, Amount: "10000", Asset: knownAsset, MaxTimeoutSeconds: 60,
				PayTo: strings.ToLower(tc.payee), Extra: map[string]any{"name": "USD Coin", "version": "2"},
			}}})
			if err != nil {
				t.Error(err)
			}
			w.Header().Set(x402.HeaderRequired, header)
			w.WriteHeader(http.StatusPaymentRequired)
		}))

		_, notes := session(t, 1, "pay", "GET", "/x402/tip", "-base", shop.URL, "-data", t.TempDir(), "-y", "-key", keyFile(t, realKey))
		shop.Close()
		if signed || !strings.Contains(notes, playMoney) {
			t.Errorf("%s: signed: %v; %q", name, signed, notes)
		}
	}
}

func TestEveryTermOfTheDevelopmentChainSaysPlayMoney(t *testing.T) {
	r := start(t)
	page := string(r.call("GET", "/x402/tip", "", "Accept", "text/html").body)
	if !strings.Contains(page, playMoney) {
		t.Error("the page does not say that the money is play money")
	}
	if strings.Contains(page, `id="wallet"`) {
		t.Error("the page offers the browser's wallet")
	}
	for name, body := range map[string][]byte{
		"version 2": r.call("GET", "/x402/tip", "").body,
		"version 1": r.call("GET", "/x402/tip", "", "X402-Version", "1").body,
	} {
		var terms struct {
			Extensions map[string]struct{ Info struct{ Message string } }
		}
		if err := json.Unmarshal(body, &terms); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(terms.Extensions["development-chain"].Info.Message, playMoney) {
			t.Errorf("the terms of %s do not say it: %s", name, body)
		}
	}
	var greeting bytes.Buffer
	r.service.greet(terminal{out: &greeting, err: &greeting}, options{data: r.data})
	if !strings.Contains(greeting.String(), "development chain, "+playMoney) || !strings.Contains(greeting.String(), "real wallet") {
		t.Errorf("the greeting does not warn: %s", &greeting)
	}
}

// A development chain of another process is one, too.
func TestADevelopmentChainOfAnotherProcessIsPlayMoneyToo(t *testing.T) {
	chain := newChain(t)
	r := startWith(t, t.TempDir(), lookup(map[string]string{"RPC_URLS": chain.URL()}))
	page := string(r.call("GET", "/x402/tip", "", "Accept", "text/html").body)
	if strings.Contains(page, `id="wallet"`) || !strings.Contains(page, `id="development"`) {
		t.Error("the page offers the browser's wallet, or no development payer")
	}
}
