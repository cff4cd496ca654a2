package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// signIn makes the header for a path as the development payer would; changes come
// before the signature.
func (r *running) signIn(path string, changes ...func(*x402.SignIn)) string {
	r.Helper()
	key, err := devPayer()
	if err != nil {
		r.Fatal(err)
	}
	return r.signInBy(key, path, changes...)
}

func (r *running) signInBy(key *evm.Key, path string, changes ...func(*x402.SignIn)) string {
	r.Helper()
	s := x402.SignIn{
		Domain: strings.TrimPrefix(r.url, "http://"), Address: key.Address(), URI: r.url + path, Version: "1", ChainID: "eip155:8453", Type: "eip191",
		Nonce: "0123456789abcdef", IssuedAt: time.Now().UTC().Format(time.RFC3339),
	}
	for _, change := range changes {
		change(&s)
	}
	if s.Signature == "" {
		var err error
		if s.Signature, err = key.SignText(s.Message()); err != nil {
			r.Fatal(err)
		}
	}
	header, err := x402.EncodeHeader(s)
	if err != nil {
		r.Fatal(err)
	}
	return header
}

// later makes the service believe that so much time has passed.
func (r *running) later(d time.Duration) { r.ahead.Store(int64(d)) }

// A verification is about the chain as it is now; yesterday's is no answer today.
func TestASignInAloneGivesNoOldVerification(t *testing.T) {
	r := start(t)
	const path = "/x402/verify-audit"
	payment := r.payment("GET", path)
	bought := r.call("GET", path, "", x402.HeaderSignature, payment)
	wantStatus(t, bought, 200, "purchase")
	r.later(24 * time.Hour)
	alone := r.call("GET", path, "", x402.HeaderSignIn, r.signIn(path))
	wantStatus(t, alone, 402, "a day later, without the payment")
	if !strings.Contains(string(alone.body), "moment of the request") {
		t.Errorf("it is not told why: %s", alone.body)
	}
	again := r.call("GET", path, "", x402.HeaderSignature, payment, x402.HeaderSignIn, r.signIn(path))
	wantStatus(t, again, 200, "a lost answer, with its payment")
	if !bytes.Equal(again.body, bought.body) {
		t.Error("another answer")
	}
}

func TestAPayerWhoSignsInGetsTheAnswerAgainAtAnyTime(t *testing.T) {
	r := start(t)
	const path = "/x402/playbook/mcp-hardening"
	payment := r.payment("GET", path)
	bought := r.call("GET", path, "", x402.HeaderSignature, payment)
	wantStatus(t, bought, 200, "purchase")
	r.later(24 * time.Hour)
	wantStatus(t, r.call("GET", path, "", x402.HeaderSignature, payment), 409, "a day later")
	for i := range 5 { // and as often as wanted
		for name, header := range map[string][]string{
			"with the payment": {x402.HeaderSignature, payment, x402.HeaderSignIn, r.signIn(path)},
			"alone":            {x402.HeaderSignIn, r.signIn(path)},
		} {
			again := r.call("GET", path, "", header...)
			wantStatus(t, again, 200, name)
			if !bytes.Equal(again.body, bought.body) || again.header.Get(x402.HeaderResponse) != bought.header.Get(x402.HeaderResponse) {
				t.Errorf("%s, time %d: another answer", name, i)
			}
		}
	}
	r.wantReceived(100_000, "one guide")
}

func TestASignInGivesNothingToAnybodyElse(t *testing.T) {
	r := start(t)
	const path = "/x402/playbook/mcp-hardening"
	payment := r.payment("GET", path)
	wantStatus(t, r.call("GET", path, "", x402.HeaderSignature, payment), 200, "purchase")
	r.later(time.Hour)
	stranger, err := evm.ParseKey(strings.Repeat("5a", 32))
	if err != nil {
		t.Fatal(err)
	}
	payer, err := devPayer()
	if err != nil {
		t.Fatal(err)
	}
	asPayer := func(s *x402.SignIn) { s.Address = payer.Address() }
	for name, c := range map[string]struct {
		header string
		says   string
	}{
		"a stranger":         {r.signInBy(stranger, path), "has not bought this request"},
		"somebody's name":    {r.signInBy(stranger, path, asPayer), "not signed by its address"},
		"another service":    {r.signIn(path, func(s *x402.SignIn) { s.Domain = "evil.example" }), "another domain"},
		"another resource":   {r.signIn("/x402/tip"), "another resource"},
		"another chain":      {r.signIn(path, func(s *x402.SignIn) { s.ChainID = "eip155:1" }), "chainId eip155:8453"},
		"six minutes old":    {r.signIn(path, func(s *x402.SignIn) { s.IssuedAt = time.Now().Add(-6 * time.Minute).Format(time.RFC3339) }), "last 5 minutes"},
		"from the future":    {r.signIn(path, func(s *x402.SignIn) { s.IssuedAt = time.Now().Add(time.Minute).Format(time.RFC3339) }), "last 5 minutes"},
		"expired":            {r.signIn(path, func(s *x402.SignIn) { s.ExpirationTime = time.Now().Add(-time.Second).Format(time.RFC3339) }), "has expired"},
		"not valid yet":      {r.signIn(path, func(s *x402.SignIn) { s.NotBefore = time.Now().Add(time.Minute).Format(time.RFC3339) }), "not valid yet"},
		"no sign-in":         {"e30=", "another resource"},
		"no base64":          {"?", "base64"},
		"a changed member":   {r.signIn(path, func(s *x402.SignIn) { s.Signature = "0x" + strings.Repeat("1b", 65) }), "not signed by its address"},
		"an empty signature": {r.signIn(path, func(s *x402.SignIn) { s.Signature = "0x" }), "not signed by its address"},
	} {
		alone := r.call("GET", path, "", x402.HeaderSignIn, c.header)
		wantStatus(t, alone, 402, name)
		if message := alone.json(t)["errorMessage"]; message == nil || !strings.Contains(message.(string), c.says) {
			t.Errorf("%s: %v, want %q", name, message, c.says)
		}
		paid := r.call("GET", path, "", x402.HeaderSignature, payment, x402.HeaderSignIn, c.header)
		want := 400
		if name == "a stranger" { // a good sign-in, which does not help here
			want = 409
		}
		wantStatus(t, paid, want, name+" with the payment")
	}
	wantStatus(t, r.call("GET", path+"?x=1", "", x402.HeaderSignIn, r.signIn(path)), 402, "another query")
	r.wantReceived(100_000, "one guide")
}

// A request with a new payment and a sign-in, by any address, buys.
func TestASignInBesideANewPaymentBuys(t *testing.T) {
	r := start(t)
	stranger, err := evm.ParseKey(strings.Repeat("5a", 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{r.signIn("/x402/tip"), r.signInBy(stranger, "/x402/tip")} {
		wantStatus(t, r.call("GET", "/x402/tip", "", x402.HeaderSignature, r.payment("GET", "/x402/tip"), x402.HeaderSignIn, header), 200, "purchase")
	}
	r.wantReceived(20_000, "two tips")
}

// While a purchase is under way a sign-in must not lead to a second payment.
func TestASignInDuringAPurchaseIsNeverAskedToPay(t *testing.T) {
	r := start(t)
	machine := r.service.paid.Gate.Machine
	works := machine.Facilitator
	machine.Facilitator = brokenSettlement{works}
	payment := r.payment("GET", "/x402/tip")
	wantStatus(t, r.call("GET", "/x402/tip", "", x402.HeaderSignature, payment), 503, "settlement fails")
	a := r.call("GET", "/x402/tip", "", x402.HeaderSignIn, r.signIn("/x402/tip"))
	wantStatus(t, a, 503, "sign-in meanwhile")
	if a.header.Get("Retry-After") == "" || a.header.Get(x402.HeaderRequired) != "" {
		t.Errorf("header %v", a.header)
	}
	machine.Facilitator = works
	wantStatus(t, r.call("GET", "/x402/tip", "", x402.HeaderSignature, payment), 200, "the same payment")
	wantStatus(t, r.call("GET", "/x402/tip", "", x402.HeaderSignIn, r.signIn("/x402/tip")), 200, "sign-in afterwards")
}

// The official client that signs in buys once and fetches from then on.
func TestOfficialClientSignsInInsteadOfPayingAgain(t *testing.T) {
	node := needNode(t)
	r := start(t)
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(sampleConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, purchase := range [][]string{{"GET", "/x402/tip?amount=0.03"}, {"POST", "/x402/audit-mcp", file}} {
		r.later(0)
		first := buyWith(t, node, r.url, "sign-in.mjs", purchase...)
		r.later(time.Hour)
		second := buyWith(t, node, r.url, "sign-in.mjs", purchase...)
		if first.Status != 200 || second.Status != 200 || first.Body != second.Body || first.Response != second.Response {
			t.Errorf("%v: %+v, then %+v", purchase, first, second)
		}
		if first.Payments != 1 || second.Payments != 0 {
			t.Errorf("%v: %d payments, then %d", purchase, first.Payments, second.Payments)
		}
	}
	r.wantReceived(30_000+50_000, "a tip and a lint")
}

// Our message and our recovery agree with the packages that wallets use.
func TestSignInMessagesAreThoseOfThePackages(t *testing.T) {
	node := needNode(t)
	key, err := devPayer()
	if err != nil {
		t.Fatal(err)
	}
	least := x402.SignIn{Domain: "shop.example", Address: key.Address(), URI: "https://shop.example/x402/tip", Version: "1", ChainID: "eip155:8453",
		Type: "eip191", Nonce: "0123456789abcdef", IssuedAt: "2026-11-21T14:00:00.000Z"}
	most := least
	most.Domain, most.URI = "localhost:8402", "http://localhost:8402/x402/tip?amount=0.05"
	most.Statement, most.RequestID = "Sign in to fetch what you bought.", "request-7"
	most.ExpirationTime, most.NotBefore = "2026-11-21T14:05:00.000Z", "2026-11-21T13:59:00.000Z"
	most.Resources = []string{"https://shop.example/a", "https://shop.example/b?c=d"}
	one := least
	one.Resources, one.Statement = most.Resources[:1], "One resource"
	cases := []x402.SignIn{least, most, one}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(node, filepath.FromSlash("../../testdata/clients/siwe.mjs"))
	command.Env, command.Stdin = append(os.Environ(), "PRIVATE_KEY="+devchain.PayerKey), bytes.NewReader(input)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var theirs []struct{ SIWE, Viem, Signature string }
	if err := json.Unmarshal(out, &theirs); err != nil || len(theirs) != len(cases) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, c := range cases {
		if ours := c.Message(); ours != theirs[i].SIWE || ours != theirs[i].Viem {
			t.Errorf("ours %q\nsiwe %q\nviem %q", ours, theirs[i].SIWE, theirs[i].Viem)
		}
		if err := (&evm.Chain{}).SignedText(context.Background(), c.Address, c.Message(), theirs[i].Signature); err != nil {
			t.Errorf("the package's signature: %v", err)
		}
	}
}
