package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

func TestUnpaidIsAlways402WithEqualHeaderAndBody(t *testing.T) {
	r := start(t)
	for _, e := range catalog.Endpoints {
		if !e.Paid() {
			continue
		}
		for _, body := range []string{"", "{", sampleConfig, strings.Repeat("x", 70_000)} {
			a := r.call(e.Method, e.Path, body)
			wantStatus(t, a, 402, e.Path)
			header := a.header.Get(x402.HeaderRequired)
			if len(header) > x402.MaxRequired {
				t.Errorf("%s: PAYMENT-REQUIRED has %d characters", e.Path, len(header))
			}
			var fromHeader map[string]any
			if err := x402.DecodeHeader(header, &fromHeader); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(fromHeader) != fmt.Sprint(a.json(t)) {
				t.Errorf("%s: header and body differ", e.Path)
			}
			if a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: Cache-Control %q", e.Path, a.header.Get("Cache-Control"))
			}
		}
	}
}

func TestTermsAreThoseOfTheSpecification(t *testing.T) {
	r := start(t)
	for path, amount := range map[string]string{"/x402/verify-audit": "5000", "/x402/audit-mcp": "50000"} {
		method := "GET"
		if path == "/x402/audit-mcp" {
			method = "POST"
		}
		terms := r.call(method, path, "").json(t)
		accepts := terms["accepts"].([]any)[0].(map[string]any)
		for name, want := range map[string]any{
			"scheme": "exact", "network": "eip155:8453", "amount": amount, "maxTimeoutSeconds": 60.0,
			"asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "resource": r.url + path, "mimeType": "application/json",
			"payTo": r.service.config.PayTo,
		} {
			if accepts[name] != want {
				t.Errorf("%s: %s is %v, want %v", path, name, accepts[name], want)
			}
		}
		if extra := accepts["extra"].(map[string]any); extra["name"] != "USD Coin" || extra["version"] != "2" || terms["x402Version"] != 2.0 {
			t.Errorf("%s: terms %v", path, terms)
		}
	}
	v1 := r.call("GET", "/x402/verify-audit", "", "X402-Version", "1").json(t)
	accepts := v1["accepts"].([]any)[0].(map[string]any)
	call := dig(accepts, "outputSchema", "input") // where directories of version 1 look
	if v1["x402Version"] != 1.0 || accepts["network"] != "base" || accepts["maxAmountRequired"] != "5000" || call["method"] != "GET" || call["discoverable"] != true {
		t.Errorf("version 1 terms %v", v1)
	}
}

func TestResourceNeverComesFromTheHostHeader(t *testing.T) {
	r := start(t)
	request, err := http.NewRequest("GET", r.url+"/x402/verify-audit", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	a, err := (&buyer{client: http.DefaultClient}).send(request)
	if err != nil || strings.Contains(string(a.body), "evil.example") {
		t.Errorf("%s (%v)", a.body, err)
	}
}

func TestBadBodyOfAPaidRequestCostsNothing(t *testing.T) {
	r := start(t)
	header := r.payment("POST", "/x402/audit-mcp")
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for _, row := range []struct {
		name, body string
		status     int
		header     []string
	}{
		{"empty", "", 400, nil},
		{"not JSON", "hello", 400, nil},
		{"comment", "{\n// mine\n\"mcpServers\":{}}", 400, nil},
		{"two documents", sampleConfig + sampleConfig, 400, nil},
		{"duplicate keys", `{"mcpServers":{"a":{"command":"x","command":"y"}}}`, 400, nil},
		{"deep nesting", deep, 400, nil},
		{"no servers", `{"name":"x"}`, 400, nil},
		{"an array", `[1]`, 400, nil},
		{"cut off", sampleConfig[:40], 400, nil},
		{"64 KB + 1", `{"mcpServers":{"a":{"command":"` + strings.Repeat("x", 65536) + `"}}}`, 413, nil},
		{"form", sampleConfig, 415, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"compressed", sampleConfig, 415, []string{"Content-Encoding", "gzip"}},
	} {
		a := r.call("POST", "/x402/audit-mcp", row.body, append([]string{x402.HeaderSignature, header}, row.header...)...)
		wantStatus(t, a, row.status, row.name)
		problem := a.json(t)
		if problem["charged"] != false || len(sprint(problem["detail"])) < 15 || !strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: %s", row.name, a.body)
		}
		if a.header.Get(x402.HeaderResponse) != "" {
			t.Errorf("%s: a settlement is claimed", row.name)
		}
	}
	r.wantReceived(0, "after the refusals")
	wantStatus(t, r.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header), 200, "the same payment with a good body")
	exact := `{"mcpServers":{"a":{"command":"` + strings.Repeat("x", 65536-37) + `"}}}`
	if len(exact) > 65536 {
		t.Fatalf("%d bytes", len(exact))
	}
	wantStatus(t, r.call("POST", "/x402/audit-mcp", exact, x402.HeaderSignature, r.payment("POST", "/x402/audit-mcp")), 200, "64 KB")
}

func authorization(change func(*x402.Authorization)) func(*draft) {
	return func(d *draft) { change(d.payload.Payload.Authorization); d.resign = true }
}

func in(seconds int64) string { return sprint(time.Now().Unix() + seconds) }

// wrapperMark ends a signature that ERC-6492 wrapped; word is a number of the
// contract ABI in hex.
var wrapperMark = strings.Repeat("6492", 16)

func word(hex string) string { return strings.Repeat("0", 64-len(hex)) + hex }

func TestBadPaymentIs402WithReasonAndTerms(t *testing.T) {
	r := start(t)
	const method, path = "GET", "/x402/verify-audit"
	raw := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, row := range []struct{ name, header, reason string }{
		{"not base64", "!!!", x402.ReasonPayload},
		{"not JSON", raw("hello"), x402.ReasonPayload},
		{"JSON of another kind", raw("[1]"), x402.ReasonPayload},
		{"empty object", raw("{}"), x402.ReasonPayload},
		{"empty header", "", x402.ReasonPayload},
		{"over 8 KB", raw(`{"x402Version":2,"pad":"` + strings.Repeat("x", 8000) + `"}`), x402.ReasonPayload},
		{"unknown version", r.payment(method, path, func(d *draft) { d.payload.X402Version = 3 }), x402.ReasonVersion},
		{"wrong scheme", r.payment(method, path, func(d *draft) { d.payload.Accepted.Scheme = "upto" }), x402.ReasonScheme},
		{"wrong network", r.payment(method, path, func(d *draft) { d.payload.Accepted.Network = "eip155:1" }), x402.ReasonNetwork},
		{"wrong asset", r.payment(method, path, func(d *draft) { d.payload.Accepted.Asset = d.payload.Accepted.PayTo }), x402.ReasonRequirements},
		{"wrong payTo", r.payment(method, path, func(d *draft) { d.payload.Accepted.PayTo = d.payload.Accepted.Asset }), x402.ReasonRequirements},
		{"wrong accepted amount", r.payment(method, path, func(d *draft) { d.payload.Accepted.Amount = "1" }), x402.ReasonRequirements},
		{"wrong token name", r.payment(method, path, func(d *draft) { d.payload.Accepted.Extra["name"] = "USDC" }), x402.ReasonRequirements},
		{"another resource", r.payment(method, path, func(d *draft) { d.payload.Resource.URL += "x" }), x402.ReasonRequirements},
		{"no authorization", r.payment(method, path, func(d *draft) { d.payload.Payload.Authorization = nil }), x402.ReasonPayloadType},
		{"malformed nonce", r.payment(method, path, func(d *draft) { d.payload.Payload.Authorization.Nonce = "0x12" }), x402.ReasonPayload},
		{"recipient", r.payment(method, path, authorization(func(a *x402.Authorization) { a.To = a.From })), x402.ReasonRecipient},
		{"1 less", r.payment(method, path, authorization(func(a *x402.Authorization) { a.Value = "4999" })), x402.ReasonValue},
		{"1 more", r.payment(method, path, authorization(func(a *x402.Authorization) { a.Value = "5001" })), x402.ReasonValue},
		{"1 less in version 1", r.payment(method, path, authorization(func(a *x402.Authorization) { a.Value = "4999" }), toV1), x402.ReasonValueV1},
		{"expired", r.payment(method, path, authorization(func(a *x402.Authorization) { a.ValidBefore = in(-1) })), x402.ReasonValidBefore},
		{"4 s left", r.payment(method, path, authorization(func(a *x402.Authorization) { a.ValidBefore = in(4) })), x402.ReasonValidBefore},
		{"not yet valid", r.payment(method, path, authorization(func(a *x402.Authorization) { a.ValidAfter = in(30) })), x402.ReasonValidAfter},
		{"beyond any date", r.payment(method, path, func(d *draft) { d.payload.Payload.Authorization.ValidBefore = strings.Repeat("9", 78) }), x402.ReasonValidBefore},
		{"bad signature", r.payment(method, path, func(d *draft) { d.payload.Payload.Signature = "0x" + strings.Repeat("11", 64) + "1b" }), x402.ReasonSignature},
		{"signature of 64 bytes", r.payment(method, path, func(d *draft) { d.payload.Payload.Signature = d.payload.Payload.Signature[:130] }), x402.ReasonSignature},
		{"wrapper cut off", r.payment(method, path, func(d *draft) { d.payload.Payload.Signature += wrapperMark }), x402.ReasonSignature},
		{"wallet of an unknown factory", r.payment(method, path, func(d *draft) {
			d.payload.Payload.Authorization.From = "0x" + strings.Repeat("e1", 20)
			d.payload.Payload.Signature = "0x" + word("fa") + word("60") + word("80") + word("00") + word("00") + wrapperMark
		}), x402.ReasonFactory},
		{"somebody else's account", r.payment(method, path, func(d *draft) { d.payload.Payload.Authorization.From = d.payload.Accepted.PayTo }), x402.ReasonSignature},
		{"no balance", r.payment(method, path, fromPoorAccount), x402.ReasonFunds},
	} {
		a := r.call(method, path, "", x402.HeaderSignature, row.header)
		wantStatus(t, a, 402, row.name)
		var terms x402.Required
		if err := json.Unmarshal(a.body, &terms); err != nil || terms.Error != row.reason || len(terms.Accepts) != 2 || terms.ErrorMessage == "" {
			t.Errorf("%s: reason %q, want %q: %s", row.name, terms.Error, row.reason, a.body)
		}
		if a.header.Get(x402.HeaderRequired) == "" {
			t.Errorf("%s: no PAYMENT-REQUIRED", row.name)
		}
	}
	r.wantReceived(0, "after the refusals")
	if n := settlements(t, r.data); n != 0 {
		t.Errorf("%d settlements", n)
	}
}

// fromPoorAccount pays from a fresh key without money.
func fromPoorAccount(d *draft) {
	key, err := parseKey(strings.Repeat("7e", 32))
	if err != nil {
		panic(err)
	}
	d.key, d.resign = key, true
	d.payload.Payload.Authorization.From = key.Address()
}

func TestOtherWaysToAskAreAnsweredClearly(t *testing.T) {
	r := start(t)
	wantStatus(t, r.call("GET", "/nowhere", ""), 404, "unknown path")
	a := r.call("DELETE", "/x402/verify-audit", "")
	wantStatus(t, a, 405, "other method")
	if !strings.Contains(a.header.Get("Allow"), "GET") {
		t.Errorf("Allow %q", a.header.Get("Allow"))
	}
	a = r.call("GET", "/x402/verify-audit", "a body", x402.HeaderSignature, r.payment("GET", "/x402/verify-audit"))
	wantStatus(t, a, 400, "a body where none belongs")
}

func TestChainUnreachableIs503AndTheSamePaymentWorksLater(t *testing.T) {
	chain := newChain(t)
	t.Setenv("RPC_URLS", chain.URL())
	r := start(t)
	header := r.payment("GET", "/x402/verify-audit")
	node := r.service.paid.Gate.Machine.Facilitator
	r.service.paid.Gate.Machine.Facilitator = unreachable(t, r)
	a := r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header)
	wantStatus(t, a, 503, "no node")
	if a.header.Get("Retry-After") == "" || a.json(t)["charged"] != nil || a.header.Get(x402.HeaderRequired) != "" {
		t.Errorf("%v %s", a.header, a.body)
	}
	wallets := r.payment("GET", "/x402/verify-audit", func(d *draft) { d.payload.Payload.Signature = "0x1234" })
	a = r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, wallets)
	wantStatus(t, a, 503, "a signature that only a contract wallet can judge")
	if a.json(t)["code"] != "payment_backend_unavailable" || a.header.Get(x402.HeaderRequired) != "" {
		t.Errorf("%v %s", a.header, a.body)
	}
	r.service.paid.Gate.Machine.Facilitator = node
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, wallets), 402, "the node is back, an invalid signature")
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", x402.HeaderSignature, header), 200, "the node is back")
}

// A service that asks for more time than a person would wait is believed at once.
func TestABuyerDoesNotSitThroughALongWait(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	b := &buyer{client: server.Client(), waited: func(string, time.Duration) { t.Error("it waits") }}
	a, err := b.redeem(t.Context(), order{method: "GET", url: server.URL}, "payment")
	if err != nil || a.status != http.StatusServiceUnavailable || asked != 1 {
		t.Errorf("asked %d times: %d, %v", asked, a.status, err)
	}
}
