package x402_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/memory"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

func site() catalog.Site {
	return catalog.Site{
		BaseURL: "https://shop.example", Network: "eip155:8453", Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		AssetName: "USD Coin", AssetVersion: "2", PayTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
	}
}

func signer(t testing.TB) *evm.Key {
	t.Helper()
	key, err := evm.ParseKey(strings.Repeat("22", 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func row(t testing.TB, operation string) catalog.Endpoint {
	t.Helper()
	for _, e := range catalog.Endpoints {
		if e.Operation == operation {
			return e
		}
	}
	t.Fatalf("no row %s", operation)
	return catalog.Endpoint{}
}

func termsOf(t testing.TB, operation, query string) x402.Terms {
	t.Helper()
	terms, err := x402.TermsFor(site(), row(t, operation), query)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// payload is a good version 2 payment for the terms, its signature unchecked.
func payload(terms x402.Terms) x402.Payload {
	accepted := terms.Requirements()
	return x402.Payload{X402Version: 2, Accepted: &accepted, Payload: x402.ExactPayload{
		Signature: "0x" + strings.Repeat("1b", 65),
		Authorization: &x402.Authorization{
			From: "0x1563915e194D8CfBA1943570603F7606A3115508", To: terms.Site.PayTo, Value: terms.Price.String(),
			ValidAfter: "0", ValidBefore: "1800000000", Nonce: "0x" + strings.Repeat("0A", 32),
		},
	}}
}

func toV1(p *x402.Payload) {
	p.X402Version, p.Accepted, p.Scheme, p.Network = 1, nil, "exact", "base"
}

func encode(t testing.TB, v any) string {
	t.Helper()
	header, err := x402.EncodeHeader(v)
	if err != nil {
		t.Fatal(err)
	}
	return header
}

func reason(err error) string {
	var invalid *payments.Invalid
	if errors.As(err, &invalid) {
		return invalid.Reason
	}
	if err != nil {
		return "not an Invalid: " + err.Error()
	}
	return ""
}

func TestPaymentHeadersAreReadInEveryBase64(t *testing.T) {
	want := payload(termsOf(t, "tip", ""))
	want.Resource = &x402.Resource{URL: "https://shop.example/x402/tip", Description: "?????~~~~~"} // gives + and /
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for len(data)%3 != 1 { // gives padding
		data = append(data, ' ')
	}
	standard := base64.StdEncoding.EncodeToString(data)
	if !strings.ContainsAny(standard, "+/") || !strings.HasSuffix(standard, "=") {
		t.Fatalf("%s does not tell the alphabets apart", standard)
	}
	for name, header := range map[string]string{
		"standard": standard, "standard unpadded": base64.RawStdEncoding.EncodeToString(data),
		"URL": base64.URLEncoding.EncodeToString(data), "URL unpadded": base64.RawURLEncoding.EncodeToString(data),
		"spaces around": " " + standard + "\t", "too much padding": standard + "==",
	} {
		if got, err := x402.ParsePayload(header); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
	if got := encode(t, "ÿþ?>"); got != base64.StdEncoding.EncodeToString([]byte(`"ÿþ?\u003e"`)) {
		t.Errorf("encoded as %s", got)
	}
}

func TestWhatIsNoPayloadIsRefused(t *testing.T) {
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	v2 := encode(t, payload(termsOf(t, "tip", "")))
	for name, tc := range map[string][2]string{
		"empty": {"", x402.ReasonPayload}, "not base64": {"{}", x402.ReasonPayload}, "not JSON": {b64("pay"), x402.ReasonPayload},
		"no object": {b64("[]"), x402.ReasonPayload}, "null": {b64("null"), x402.ReasonPayload}, "nothing in it": {b64("{}"), x402.ReasonPayload},
		"two documents": {b64("{}{}"), x402.ReasonPayload}, "two headers": {v2 + "," + v2, x402.ReasonPayload},
		"version 1 without network": {b64(`{"x402Version":1,"scheme":"exact"}`), x402.ReasonPayload},
		"version 3":                 {b64(`{"x402Version":3,"accepted":{}}`), x402.ReasonVersion},
		"no version":                {b64(`{"accepted":{}}`), x402.ReasonVersion},
		"number as text":            {b64(`{"x402Version":2,"accepted":{},"payload":{"authorization":{"value":5}}}`), x402.ReasonPayload},
		"too long":                  {strings.Repeat("A", x402.MaxHeader+1), x402.ReasonPayload},
	} {
		if _, err := x402.ParsePayload(tc[0]); reason(err) != tc[1] {
			t.Errorf("%s: %v, want %s", name, err, tc[1])
		}
	}
}

func TestTheShapeDecidesTheDialect(t *testing.T) {
	p := payload(termsOf(t, "tip", ""))
	if p.Dialect() != 2 {
		t.Error("accepted makes version 2")
	}
	toV1(&p)
	p.X402Version = 2 // as stock version 1 clients do
	if got, err := x402.ParsePayload(encode(t, p)); err != nil || got.Dialect() != 1 {
		t.Errorf("dialect %d (%v), want 1", got.Dialect(), err)
	}
}

// The same payload, however it was spelled, has one encoding.
func FuzzParsePayload(f *testing.F) {
	good := payload(termsOf(f, "verifyAudit", ""))
	f.Add(encode(f, good))
	good.Extensions = map[string]json.RawMessage{"payment-identifier": json.RawMessage(`{ "info": {"id":"<a>"} }`)}
	f.Add(encode(f, good))
	toV1(&good)
	f.Add(encode(f, good))
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`{"x402Version":2,"ACCEPTED":{"extra":{"name":"\ud800"}},"extensions":{"x":null}}`)))
	f.Add("e30=")
	f.Fuzz(func(t *testing.T, header string) {
		p, err := x402.ParsePayload(header)
		if err != nil {
			if reason(err) != x402.ReasonPayload && reason(err) != x402.ReasonVersion {
				t.Fatalf("error %v", err)
			}
			return
		}
		first := encode(t, p)
		if len(first) > x402.MaxHeader {
			return // escapes made it longer than what is read
		}
		again, err := x402.ParsePayload(first)
		if err != nil || again.Dialect() != p.Dialect() || !reflect.DeepEqual(again.Payload, p.Payload) || !reflect.DeepEqual(again.Accepted, p.Accepted) {
			t.Fatalf("%+v\nbecame %+v (%v)", p, again, err)
		}
		if second := encode(t, again); second != first {
			t.Fatalf("encoded as %s, then as %s", first, second)
		}
		_, _ = termsOf(t, "verifyAudit", "").Match(p) // must not panic
	})
}

func TestMatchAcceptsExactlyTheTerms(t *testing.T) {
	auth := func(change func(*x402.Authorization)) func(*x402.Payload) {
		return func(p *x402.Payload) { change(p.Payload.Authorization) }
	}
	accepted := func(change func(*x402.Requirements)) func(*x402.Payload) {
		return func(p *x402.Payload) { change(p.Accepted) }
	}
	both := func(a, b func(*x402.Payload)) func(*x402.Payload) {
		return func(p *x402.Payload) { a(p); b(p) }
	}
	for name, tc := range map[string]struct {
		change func(*x402.Payload)
		want   string
	}{
		"as offered":               {func(*x402.Payload) {}, ""},
		"version 1":                {toV1, ""},
		"version 1 with CAIP-2":    {both(toV1, func(p *x402.Payload) { p.Network = "eip155:8453" }), ""},
		"asset in lower case":      {accepted(func(r *x402.Requirements) { r.Asset = strings.ToLower(r.Asset) }), ""},
		"payTo in lower case":      {accepted(func(r *x402.Requirements) { r.PayTo = strings.ToLower(r.PayTo) }), ""},
		"more extra":               {accepted(func(r *x402.Requirements) { r.Extra["assetTransferMethod"] = "eip3009" }), ""},
		"the entry's texts absent": {accepted(func(r *x402.Requirements) { r.Resource, r.Description, r.MimeType = "", "", "" }), ""},
		"leading zeros":            {auth(func(a *x402.Authorization) { a.Value = "0005000" }), ""},
		"resource named":           {func(p *x402.Payload) { p.Resource = &x402.Resource{URL: "https://shop.example/x402/verify-audit"} }, ""},
		"resource without URL":     {func(p *x402.Payload) { p.Resource = &x402.Resource{} }, ""},

		"other scheme":             {accepted(func(r *x402.Requirements) { r.Scheme = "upto" }), x402.ReasonScheme},
		"other scheme, version 1":  {both(toV1, func(p *x402.Payload) { p.Scheme = "upto" }), x402.ReasonScheme},
		"other network":            {accepted(func(r *x402.Requirements) { r.Network = "eip155:1" }), x402.ReasonNetwork},
		"name as network":          {accepted(func(r *x402.Requirements) { r.Network = "base" }), x402.ReasonNetwork},
		"other network, version 1": {both(toV1, func(p *x402.Payload) { p.Network = "base-sepolia" }), x402.ReasonNetwork},
		"other resource":           {func(p *x402.Payload) { p.Resource = &x402.Resource{URL: "https://shop.example/x402/tip"} }, x402.ReasonRequirements},
		"other asset":              {accepted(func(r *x402.Requirements) { r.Asset = r.PayTo }), x402.ReasonRequirements},
		"other payTo":              {accepted(func(r *x402.Requirements) { r.PayTo = r.Asset }), x402.ReasonRequirements},
		"other amount":             {accepted(func(r *x402.Requirements) { r.Amount = "4999" }), x402.ReasonRequirements},
		"other timeout":            {accepted(func(r *x402.Requirements) { r.MaxTimeoutSeconds = 61 }), x402.ReasonRequirements},
		"other domain name":        {accepted(func(r *x402.Requirements) { r.Extra["name"] = "USDC" }), x402.ReasonRequirements},
		"no domain version":        {accepted(func(r *x402.Requirements) { delete(r.Extra, "version") }), x402.ReasonRequirements},
		"no authorization":         {func(p *x402.Payload) { p.Payload.Authorization = nil }, x402.ReasonPayloadType},
		"pays somebody else":       {auth(func(a *x402.Authorization) { a.To = a.From }), x402.ReasonRecipient},
		"pays less":                {auth(func(a *x402.Authorization) { a.Value = "4999" }), x402.ReasonValue},
		"pays more":                {auth(func(a *x402.Authorization) { a.Value = "5001" }), x402.ReasonValue},
		"pays more, version 1":     {both(toV1, auth(func(a *x402.Authorization) { a.Value = "5001" })), x402.ReasonValueV1},
		"pays nothing":             {auth(func(a *x402.Authorization) { a.Value = "0" }), x402.ReasonValue},
		"value beyond 64 bits":     {auth(func(a *x402.Authorization) { a.Value = strings.Repeat("9", 78) }), x402.ReasonValue},
		"value in hex":             {auth(func(a *x402.Authorization) { a.Value = "0x1388" }), x402.ReasonPayload},
		"value with a sign":        {auth(func(a *x402.Authorization) { a.Value = "+5000" }), x402.ReasonPayload},
		"value with a newline":     {auth(func(a *x402.Authorization) { a.Value = "5000\n" }), x402.ReasonPayload},
		"no from":                  {auth(func(a *x402.Authorization) { a.From = "" }), x402.ReasonPayload},
		"short to":                 {auth(func(a *x402.Authorization) { a.To = a.To[:41] }), x402.ReasonPayload},
		"short nonce":              {auth(func(a *x402.Authorization) { a.Nonce = a.Nonce[:65] }), x402.ReasonPayload},
		"no signature":             {func(p *x402.Payload) { p.Payload.Signature = "" }, x402.ReasonPayload},
		"odd signature":            {func(p *x402.Payload) { p.Payload.Signature = "0x123" }, x402.ReasonPayload},
		"validAfter beyond dates":  {auth(func(a *x402.Authorization) { a.ValidAfter = "9223372036854775808" }), x402.ReasonValidAfter},
		"validBefore beyond dates": {auth(func(a *x402.Authorization) { a.ValidBefore = "9223372036854775808" }), x402.ReasonValidBefore},
	} {
		terms := termsOf(t, "verifyAudit", "")
		p := payload(terms)
		tc.change(&p)
		got, err := terms.Match(p)
		if reason(err) != tc.want {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		want := payments.Payment{
			Network: "eip155:8453", Asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", PayTo: "0x209693bc6afc0c5328ba36faf03c514ef312287c",
			Payer: "0x1563915e194d8cfba1943570603f7606a3115508", Amount: 5000, ValidBefore: 1_800_000_000,
			Nonce: "0x" + strings.Repeat("0a", 32), Signature: "0x" + strings.Repeat("1b", 65),
		}
		if tc.want == "" && got != want {
			t.Errorf("%s: payment %+v", name, got)
		}
	}
}

func TestTermsFollowThePriceAndTheChosenAmount(t *testing.T) {
	for _, tc := range []struct {
		operation, query, amount, resource string
		fails                              bool
	}{
		{"verifyAudit", "", "5000", "/x402/verify-audit", false},
		{"verifyAudit", "amount=7", "5000", "/x402/verify-audit", false}, // only a variable price listens
		{"tip", "", "10000", "/x402/tip", false},
		{"tip", "other=1", "10000", "/x402/tip", false},
		{"tip", "amount=0.01", "10000", "/x402/tip?amount=0.01", false},
		{"tip", "amount=0.010001", "10001", "/x402/tip?amount=0.010001", false},
		{"tip", "amount=1000", "1000000000", "/x402/tip?amount=1000", false},
		{"tip", "amount=1000.000001", "10000", "/x402/tip", true},
		{"tip", "amount=0.009999", "10000", "/x402/tip", true},
		{"tip", "amount=", "10000", "/x402/tip", true},
		{"tip", "amount=-1", "10000", "/x402/tip", true},
		{"tip", "amount=1e2", "10000", "/x402/tip", true},
		{"tip", "amount=0.05&amount=0.06", "10000", "/x402/tip", true},
		{"tip", "amount=5;x", "10000", "/x402/tip", true},
		{"tip", "amount=%zz", "10000", "/x402/tip", true},
	} {
		terms, err := x402.TermsFor(site(), row(t, tc.operation), tc.query)
		if got := terms.Requirements().Amount; got != tc.amount || terms.Resource != "https://shop.example"+tc.resource || (err != nil) != tc.fails {
			t.Errorf("%s?%s: %s for %s (%v)", tc.operation, tc.query, got, terms.Resource, err)
		}
	}
}

func TestRequestDigestIsTheOneABuyerComputes(t *testing.T) {
	u, err := url.Parse("https://shop.example/x402/tip?amount=0.05&x=%20")
	if err != nil {
		t.Fatal(err)
	}
	empty := x402.BodyDigest(nil)
	if empty != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("digest of no body is %s", empty)
	}
	// printf 'GET\n/x402/tip\namount=0.05&x=%%20\n<digest>\n50000\n' | sha256sum
	const golden = "0x5abcd631a78622353e98a7dfcf826635804121e9da55382e920357b2d1a7bc23"
	if got := x402.RequestDigest("GET", u, empty, 50_000); got != golden {
		t.Errorf("request digest %s, want %s", got, golden)
	}
	for name, other := range map[string]string{
		"method": x402.RequestDigest("POST", u, empty, 50_000), "body": x402.RequestDigest("GET", u, x402.BodyDigest([]byte("x")), 50_000),
		"amount": x402.RequestDigest("GET", u, empty, 50_001), "query": x402.RequestDigest("GET", &url.URL{Path: u.Path}, empty, 50_000),
		"path": x402.RequestDigest("GET", &url.URL{Path: "/", RawQuery: u.RawQuery}, empty, 50_000),
	} {
		if other == golden {
			t.Errorf("the %s is not part of the digest", name)
		}
	}
}

// challenge asks the gate of a function and returns the PAYMENT-REQUIRED header.
func challenge(t *testing.T, base string, e catalog.Endpoint, query, payment, signIn string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	where := site()
	where.BaseURL = base
	gate := &x402.Gate{Site: where, Signer: signer(t), Now: time.Now, Accounts: &evm.Chain{}, Machine: &payments.Machine{Store: memory.New()}}
	r := httptest.NewRequest(e.Method, e.Path+query, nil)
	if payment != "" {
		r.Header.Set(x402.HeaderSignature, payment)
	}
	if signIn != "" {
		r.Header.Set(x402.HeaderSignIn, signIn)
	}
	w := httptest.NewRecorder()
	gate.Sell(e.Function, nil).ServeHTTP(w, r)
	if w.Code != http.StatusPaymentRequired {
		t.Fatalf("%s%s: status %d %s", e.Path, query, w.Code, w.Body)
	}
	return w, w.Header().Get(x402.HeaderRequired)
}

func TestTermsFitIntoAHeaderForEveryRow(t *testing.T) {
	base := "https://" + strings.Repeat("h", 72)
	longest := 0
	for _, e := range catalog.Endpoints {
		if !e.Paid() {
			continue
		}
		where := site()
		where.BaseURL = base
		terms := x402.Terms{Site: where, Endpoint: e, Price: e.Price, Resource: base + e.Path}
		wrong := payload(terms)
		wrong.Resource = &x402.Resource{URL: "https://elsewhere.example"}
		query := ""
		if e.Variable {
			query = "?amount=1000.000000"
		}
		for _, c := range []struct{ payment, signIn string }{{}, {"malformed", ""}, {encode(t, wrong), ""}, {"", encode(t, x402.SignIn{})}} {
			w, header := challenge(t, base, e, query, c.payment, c.signIn)
			if n := len(header); n == 0 || n > x402.MaxRequired {
				t.Errorf("%s: the header has %d characters, limit %d", e.Path, n, x402.MaxRequired)
			}
			longest = max(longest, len(header))
			decoded, err := base64.StdEncoding.DecodeString(header)
			var compact bytes.Buffer
			if err := errors.Join(err, json.Compact(&compact, w.Body.Bytes())); err != nil || compact.String() != string(decoded) {
				t.Errorf("%s: header and body differ (%v)", e.Path, err)
			}
		}
	}
	t.Logf("the longest has %d characters", longest)
}

// constants are the string constants of a file whose names begin with Reason.
func constants(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if literal, ok := spec.Values[i].(*ast.BasicLit); ok && strings.HasPrefix(name.Name, "Reason") {
				found[name.Name], _ = strconv.Unquote(literal.Value)
			}
		}
		return true
	})
	return found
}

func TestReasonsAreTheWordsOfTheSpecificationOrOfThePackages(t *testing.T) {
	specification := []string{ // core specification v2, section 9
		"insufficient_funds", "invalid_exact_evm_payload_authorization_valid_after", "invalid_exact_evm_payload_authorization_valid_before",
		"invalid_exact_evm_payload_authorization_value_mismatch", "invalid_exact_evm_payload_authorization_value",
		"invalid_exact_evm_payload_signature", "invalid_exact_evm_payload_recipient_mismatch", "invalid_network", "invalid_payload",
		"invalid_payment_requirements", "invalid_scheme", "unsupported_scheme", "invalid_x402_version", "invalid_transaction_state",
		"unexpected_verify_error", "unexpected_settle_error",
	}
	shipped := []string{ // packages 2.27.0, where the specification has no word
		"invalid_exact_evm_nonce_already_used", "invalid_exact_evm_transaction_simulation_failed", "unsupported_payload_type", "settlement_pending",
		"eip6492_factory_not_allowed", "smart_wallet_deployment_failed",
		"invalid_permit2_signature", "invalid_permit2_spender", "invalid_permit2_recipient_mismatch", "permit2_token_mismatch", "permit2_amount_mismatch",
		"permit2_deadline_expired", "permit2_not_yet_valid", "permit2_allowance_required", "permit2_proxy_not_deployed",
	}
	known := map[string]bool{}
	for _, word := range append(specification, shipped...) {
		known[word] = true
	}
	ours, names := constants(t, "reason.go"), map[string]string{}
	if len(ours) != 28 {
		t.Errorf("%d reasons, want 28: %v", len(ours), ours)
	}
	for name, word := range ours {
		if !known[word] {
			t.Errorf("%s = %s is no word of the field", name, word)
		}
		if names[word] != "" {
			t.Errorf("%s and %s are both %s", name, names[word], word)
		}
		names[word] = name
	}
	for _, word := range shipped {
		if names[word] == "" {
			t.Errorf("no constant for %s", word)
		}
	}
	if payments.ReasonNonceUsed != x402.ReasonNonceUsed || payments.ReasonExpired != x402.ReasonValidBefore ||
		payments.ReasonFunds != x402.ReasonFunds || payments.ReasonContract != x402.ReasonPayloadType {
		t.Error("package payments uses other words")
	}
}
