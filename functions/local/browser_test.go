package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
)

// needChromium skips a test that needs a browser; in CI that is a failure.
func needChromium(t *testing.T) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("%v: make test installs chromium when it runs as root", err)
	case err != nil:
		t.Skipf("needs chromium: %v", err)
	}
	return chromium
}

// sight is what testdata/browser/page.mjs prints.
type sight struct {
	Errors, Foreign, Violations, Payments, Wallet, Controls []string
	Title, Text, Status, Problem, Result, Receipt           string
	Bought, Overflow                                        bool
	Files                                                   map[string]string
	AfterReload                                             struct {
		Problem  string
		Disabled bool
	}
}

// look opens a page in Chromium and plays a scenario. In every scenario the page must load
// nothing from other origins, violate no policy and log no error.
func (r *running) look(scenario, path string) sight {
	r.Helper()
	command := exec.Command(needNode(r.T), filepath.FromSlash("../../testdata/browser/page.mjs"), scenario, path)
	command.Env = append(os.Environ(), "BASE_URL="+r.url, "PRIVATE_KEY="+devchain.PayerKey, "CHROMIUM="+needChromium(r.T), "DOWNLOADS="+r.TempDir())
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		r.Fatalf("%s: %v\n%s", scenario, err, &complaints)
	}
	var s sight
	if err := json.Unmarshal(out, &s); err != nil {
		r.Fatalf("%s printed %q: %v", scenario, out, err)
	}
	if n := len(s.Errors) + len(s.Foreign) + len(s.Violations); n > 0 {
		r.Errorf("%s: errors %q, foreign requests %q, policy violations %q", scenario, s.Errors, s.Foreign, s.Violations)
	}
	return s
}

// startReal is a service that takes its chain for a real network, so that its page
// offers the browser's wallet.
func startReal(t *testing.T) *running {
	t.Helper()
	return startWith(t, t.TempDir(), os.LookupEnv, func(s *service) {
		s.paid.Gate.Site.Development = false
	})
}

func (s sight) want(t *testing.T, name, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q: %q", name, part, text)
		}
	}
}

// signatures counts how often the wallet was asked to sign.
func (s sight) signatures() int {
	count := 0
	for _, method := range s.Wallet {
		if method == "eth_signTypedData_v4" {
			count++
		}
	}
	return count
}

func TestAPersonBuysWithTheDevelopmentPayer(t *testing.T) {
	r := start(t)
	s := r.look("development", "/x402/playbook/mcp-hardening")
	s.want(t, "page", s.Text, "$0.10", r.service.config.PayTo, "eip155:8453", "60 seconds", "Paid by\n0x", "Audit entry\n")
	s.want(t, "title", s.Title, "0.10 USD")
	if !s.Bought || s.Status == "" || s.Problem != "" || len(s.Payments) != 1 {
		t.Fatalf("bought %v, status %q, problem %q, %d payments", s.Bought, s.Status, s.Problem, len(s.Payments))
	}
	if guide := s.Files["mcp-hardening.md"]; guide == "" || guide != s.Result {
		t.Errorf("saved %d bytes of the answer, shown are %d", len(guide), len(s.Result))
	}
	receipt := filepath.Join(t.TempDir(), "receipt.json")
	if err := os.WriteFile(receipt, []byte(s.Files["mcp-hardening.receipt.json"]), 0o600); err != nil {
		t.Fatal(err)
	}
	session(t, 0, "verify", "receipt", receipt)
	r.wantReceived(100_000, "one guide")
}

func TestAPersonBuysWithAWallet(t *testing.T) {
	r := startReal(t)
	s := r.look("wallet", "/x402/tip?amount=0.02")
	s.want(t, "answer", s.Result, `"dollars": "0.02"`)
	for _, control := range []string{"button Pay $0.02 with wallet", "button Pay with the development payer", "textbox Amount in dollars", "link Save the receipt"} {
		if !slices.Contains(s.Controls, control) {
			t.Errorf("no %s among %q", control, s.Controls)
		}
	}
	other := r.look("other chain", "/x402/tip?amount=0.02")
	if !other.Bought || !slices.Contains(other.Wallet, "wallet_switchEthereumChain") {
		t.Errorf("a wallet on another chain: bought %v, asked %q", other.Bought, other.Wallet)
	}
	r.wantReceived(40_000, "two tips")
}

// A wallet that is there is not even asked for its accounts.
func TestTheDevelopmentChainAsksNoWallet(t *testing.T) {
	r := start(t)
	s := r.look("dark", "/x402/tip") // with a wallet in the browser
	s.want(t, "page", s.Text, "play money", "Never sign with a real wallet")
	if slices.ContainsFunc(s.Controls, func(c string) bool { return strings.Contains(c, "with wallet") }) || len(s.Wallet) > 0 {
		t.Errorf("controls %q, the wallet was asked %q", s.Controls, s.Wallet)
	}
	if !slices.Contains(s.Controls, "button Pay with the development payer") {
		t.Errorf("controls %q", s.Controls)
	}
}

func TestWhoDeclinesIsNotCharged(t *testing.T) {
	r := startReal(t)
	for scenario, words := range map[string]string{"rejected": "You declined", "unknown chain": "does not know the network eip155:8453"} {
		s := r.look(scenario, "/x402/tip")
		s.want(t, scenario, s.Problem, words, "Nothing was charged")
		if len(s.Payments) > 0 || s.Bought {
			t.Errorf("%s: %d payments sent", scenario, len(s.Payments))
		}
	}
	r.wantReceived(0, "declined")
}

// While the outcome is unknown, also over a reload, the page asks again with the
// payment it has.
func TestThePageNeverSignsTwice(t *testing.T) {
	r := startReal(t)
	for scenario, sent := range map[string]int{"pending": 4, "reload": 3} {
		s := r.look(scenario, "/x402/tip")
		if !s.Bought || s.signatures() != 1 || len(s.Payments) < sent || len(slices.Compact(s.Payments)) != 1 {
			t.Errorf("%s: bought %v, %d signatures, %d payments sent", scenario, s.Bought, s.signatures(), len(s.Payments))
		}
		if scenario == "reload" && (!s.AfterReload.Disabled || !strings.Contains(s.AfterReload.Problem, "under way")) {
			t.Errorf("after the reload: %+v", s.AfterReload)
		}
	}
	r.wantReceived(20_000, "two tips")
}

func TestThePageIsReadableWithoutScriptsAndOnASmallScreen(t *testing.T) {
	r := start(t)
	plain := r.look("without scripts", "/x402/tip")
	plain.want(t, "page without scripts", plain.Text, "$0.01", "needs JavaScript", "curl -i", r.service.config.PayTo)
	if small := r.look("dark", "/x402/tip"); small.Overflow {
		t.Error("the page is wider than a small screen")
	}
	wrong := r.look("dark", "/x402/tip?amount=0")
	wrong.want(t, "page of a wrong amount", wrong.Text, "amount must be one dollar amount")
	if slices.ContainsFunc(wrong.Controls, func(c string) bool { return strings.HasPrefix(c, "button Pay") }) {
		t.Errorf("what cannot be bought is offered: %q", wrong.Controls)
	}
}
