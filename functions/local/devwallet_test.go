package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/catalog"
	"governance.internal/shared/x402/evm"
)

// devSite is a service beside a development chain.
func devSite(t testing.TB) catalog.Site {
	t.Helper()
	key, err := evm.ParseKey(devchain.PayToKey)
	if err != nil {
		t.Fatal(err)
	}
	return catalog.Site{BaseURL: "http://localhost:8402", Network: knownNetwork, Asset: knownAsset, AssetName: "USD Coin", AssetVersion: "2", PayTo: key.Address()}
}

func askWallet(t testing.TB, body string, header ...string) (status int, result, failure string) {
	t.Helper()
	wallet, err := newDevWallet(devSite(t))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "http://localhost:8402/dev/wallet", strings.NewReader(body))
	r.Header.Set("Origin", "http://localhost:8402")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	wallet.ServeHTTP(w, r)
	var reply struct {
		Result json.RawMessage
		Error  struct{ Message string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		t.Fatalf("answered %q", w.Body)
	}
	return w.Code, string(reply.Result), reply.Error.Message
}

// transfer is eth_signTypedData_v4 of a payment of a dollar; edits replace text in it.
func transfer(t testing.TB, edits ...string) string {
	t.Helper()
	payer, err := devPayer()
	if err != nil {
		t.Fatal(err)
	}
	typed := fmt.Sprintf(`{"domain":{"name":"USD Coin","version":"2","chainId":8453,"verifyingContract":"%s"},"primaryType":"TransferWithAuthorization","types":{},`+
		`"message":{"from":"%s","to":"%s","value":"1000000","validAfter":"0","validBefore":"1800000000","nonce":"0x%s"}}`,
		knownAsset, payer.Address(), devSite(t).PayTo, strings.Repeat("07", 32))
	params, err := json.Marshal([]string{payer.Address(), strings.NewReplacer(edits...).Replace(typed)})
	if err != nil {
		t.Fatal(err)
	}
	return `{"jsonrpc":"2.0","id":1,"method":"eth_signTypedData_v4","params":` + string(params) + `}`
}

func TestTheDevelopmentWalletServesOnlyItsOwnPages(t *testing.T) {
	const accounts = `{"id":1,"method":"eth_requestAccounts"}`
	if status, result, _ := askWallet(t, accounts); status != 200 || !strings.Contains(result, "0x") {
		t.Fatalf("own page: %d %s", status, result)
	}
	for name, header := range map[string][]string{
		"another page": {"Origin", "https://evil.example"}, "no origin": {"Origin", ""}, "null origin": {"Origin", "null"},
		"another port": {"Origin", "http://localhost:8403"}, "another name of this machine": {"Host", "evil.example:8402"},
		"the address instead of the name": {"Host", "127.0.0.1:8402"}, "a link elsewhere": {"Sec-Fetch-Site", "cross-site"}, "same site": {"Sec-Fetch-Site", "same-site"},
	} {
		if status, result, _ := askWallet(t, accounts, header...); status != 403 || result != "" {
			t.Errorf("%s: %d %s", name, status, result)
		}
	}
	for _, form := range []string{"", "text/plain", "application/x-www-form-urlencoded"} {
		if status, _, _ := askWallet(t, accounts, "Content-Type", form); status != 415 {
			t.Errorf("content type %q: %d", form, status)
		}
	}
	if status, _, _ := askWallet(t, strings.Repeat(" ", devWalletBody+1)); status != 413 {
		t.Errorf("long body: %d", status)
	}
}

func TestTheDevelopmentWalletSignsOnlyPaymentsToThisService(t *testing.T) {
	if _, result, failure := askWallet(t, transfer(t)); len(result) != 134 {
		t.Fatalf("a payment: %s %s", result, failure)
	}
	for name, edit := range map[string][2]string{
		"another message": {"TransferWithAuthorization", "Permit"}, "another token": {"833589", "833580"}, "another chain": {"8453", "1"},
		"another receiver": {devSite(t).PayTo, "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"}, "another name": {"USD Coin", "USDC"},
		"another version": {`"version":"2"`, `"version":"1"`}, "more than a tip may be": {"1000000", "1000000001"}, "nothing": {"1000000", "0"},
		"less than nothing": {"1000000", "-1"}, "more than fits": {"1000000", "99999999999999999999"}, "no nonce": {"0x07", "0x"},
		"no time": {"1800000000", "soon"}, "no object": {"{", "["},
	} {
		if _, result, failure := askWallet(t, transfer(t, edit[0], edit[1])); result != "" || failure == "" {
			t.Errorf("%s was signed: %s", name, result)
		}
	}
	for _, method := range []string{"personal_sign", "eth_sendTransaction", "eth_sign", ""} {
		if _, result, failure := askWallet(t, `{"method":"`+method+`","params":["0x00"]}`); result != "" || failure == "" {
			t.Errorf("%q was answered: %s", method, result)
		}
	}
}

// realNode serves a chain and does not say that it is a development chain.
func realNode(t *testing.T, chain *devchain.Chain) string {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Post(chain.URL(), "application/json", r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.ReplaceAll(body, []byte("governance-devchain/1"), []byte("Geth/v1.17.0")))
	}))
	t.Cleanup(node.Close)
	return node.URL
}

func TestWithoutADevelopmentChainThereIsNoDevelopmentWallet(t *testing.T) {
	r := startWith(t, t.TempDir(), lookup(map[string]string{
		"RPC_URLS":     realNode(t, newChain(t)),
		"PAY_TO":       otherSeller,
		"GAS_KEY_FILE": keyFile(t, devchain.GasKey),
	}))
	if a := r.call("POST", devWalletPath, `{"method":"eth_requestAccounts"}`, "Origin", r.url); a.status != 404 {
		t.Errorf("status %d %s", a.status, a.body)
	}
	page := string(r.call("GET", "/x402/tip", "", "Accept", "text/html").body)
	if strings.Contains(page, "development payer</button>") || !strings.Contains(page, `id="wallet"`) || strings.Contains(page, playMoney) {
		t.Error("the page offers the development payer, or no wallet, or speaks of play money")
	}
	if terms := string(r.call("GET", "/x402/tip", "").body); strings.Contains(terms, "development-chain") {
		t.Error("the terms speak of a development chain")
	}
}

// The wallet answers every request and signs nothing but a payment to this service.
func FuzzDevelopmentWallet(f *testing.F) {
	f.Add(transfer(f))
	f.Add(transfer(f, "1000000", "1e6"))
	f.Add(`{"method":"eth_signTypedData_v4","params":["0x","{\"message\":null}"]}`)
	f.Add(`{"method":"eth_chainId","params":{}}`)
	f.Fuzz(func(t *testing.T, body string) {
		_, result, _ := askWallet(t, body)
		if len(result) == 134 && !strings.Contains(strings.ToLower(body), strings.ToLower(devSite(t).PayTo)) && !strings.Contains(body, `\u`) {
			t.Fatalf("signed %s", body)
		}
	})
}
