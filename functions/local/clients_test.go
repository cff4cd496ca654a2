package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/catalog"
	"governance.internal/shared/guides"
)

// npmModules is where `make test` installs the pinned npm packages.
const npmModules = "../../testdata/node_modules"

// needNode skips a test that needs the npm packages; in CI that is a failure.
func needNode(t testing.TB) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(npmModules)
	}
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("%v: make test installs the npm packages", err)
	case err != nil:
		t.Skipf("needs node and npm ci in testdata: %v", err)
	}
	return node
}

// bought is what the client scripts print.
type bought struct {
	Status   int
	Body     string
	Payments int // sent, where the script counts them
	Response struct {
		Success     bool
		Network     string
		Transaction string
		Payer       string
	}
	Payer         string
	Before, After int // size of the payer's code
}

func buyWith(t *testing.T, node, url, script string, args ...string) bought {
	t.Helper()
	return buyUnder(t, nil, node, url, script, args...)
}

func buyUnder(t *testing.T, environment []string, node, url, script string, args ...string) bought {
	t.Helper()
	command := exec.Command(node, append([]string{filepath.Join("../../testdata/clients", script)}, args...)...)
	command.Env = append(append(os.Environ(), "BASE_URL="+url, "PRIVATE_KEY="+devchain.PayerKey), environment...)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, &complaints)
	}
	var b bought
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("%s printed %q: %v", script, out, err)
	}
	return b
}

// The official clients of both versions buy a lint, a verification and a tip.
func TestOfficialClientsBuy(t *testing.T) {
	node := needNode(t)
	r := start(t)
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(sampleConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for script, network := range map[string]string{
		"buy-v2.mjs": "eip155:8453", "buy-axios.mjs": "eip155:8453", "buy-v1.mjs": "base",
	} {
		for _, purchase := range []struct {
			args []string
			want string
		}{
			{[]string{"POST", "/x402/audit-mcp", file}, `"score": 59`},
			{[]string{"GET", "/x402/verify-audit"}, `"valid": true`},
			{[]string{"GET", "/x402/tip?amount=0.02"}, `"dollars": "0.02"`},
		} {
			b := buyWith(t, node, r.url, script, purchase.args...)
			if b.Status != 200 || !strings.Contains(b.Body, purchase.want) {
				t.Errorf("%s %v: %d %s", script, purchase.args, b.Status, b.Body)
			}
			if !b.Response.Success || b.Response.Network != network || len(b.Response.Transaction) != 66 {
				t.Errorf("%s %v: response %+v", script, purchase.args, b.Response)
			}
		}
	}
	r.wantReceived(3*(50_000+5_000+20_000), "nine purchases")
}

// The official client pays by Permit2 once the buyer approved it. Before that the
// response names the approval that is missing.
func TestOfficialClientBuysByPermit2(t *testing.T) {
	node := needNode(t)
	r := start(t)
	before := buyWith(t, node, r.url, "buy-permit2.mjs", "GET", "/x402/verify-audit")
	if before.Status != 402 || !strings.Contains(before.Body, "permit2_allowance_required") || !strings.Contains(before.Body, "approve("+devchain.Permit2.Hex()) {
		t.Errorf("without approval: %d %s", before.Status, before.Body)
	}
	rpc := []string{"RPC_URL=" + r.service.devchain.URL()}
	b := buyUnder(t, rpc, node, r.url, "buy-permit2.mjs", "GET", "/x402/verify-audit")
	if b.Status != 200 || !strings.Contains(b.Body, `"valid": true`) || !b.Response.Success || len(b.Response.Transaction) != 66 {
		t.Errorf("%d %s %+v", b.Status, b.Body, b.Response)
	}
	r.wantReceived(5000, "one purchase")
}

// A contract wallet pays before and after it is deployed, and an account that
// delegates pays with its key.
func TestOfficialClientBuysFromAWallet(t *testing.T) {
	node := needNode(t)
	r := start(t)
	environment := []string{"RPC_URL=" + r.service.devchain.URL(), "FACTORY=" + devchain.WalletFactory.Hex()}
	for kind, deployedFirst := range map[string]bool{"contract": false, "delegated": true} {
		before := r.received().Int64()
		b := buyUnder(t, environment, node, r.url, "buy-wallet.mjs", "GET", "/x402/verify-audit", kind)
		if b.Status != 200 || !b.Response.Success || !strings.EqualFold(b.Response.Payer, b.Payer) {
			t.Errorf("%s: %d %s %+v", kind, b.Status, b.Body, b.Response)
		}
		if b.After == 0 || deployedFirst != (b.Before > 0) {
			t.Errorf("%s: code of %d bytes before, %d after", kind, b.Before, b.After)
		}
		if got := r.received().Int64() - before; got != 2*5000 {
			t.Errorf("%s: %d units from two purchases", kind, got)
		}
	}
}

// The buyer's script of the guide works against this service as printed.
func TestExampleOfTheGuideBuys(t *testing.T) {
	node := needNode(t)
	r := start(t)
	text, ok := guides.Full("x402-integration")
	_, block, found := strings.Cut(text, "```js title=buy.mjs\n")
	code, _, ended := strings.Cut(block, "\n```")
	if !ok || !found || !ended {
		t.Fatal("the guide has no block buy.mjs")
	}
	// Node finds the packages beside the script.
	modules, err := filepath.Abs(npmModules)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "buy.mjs")
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(node, script)
	command.Env = append(os.Environ(), "BASE_URL="+r.url, "PRIVATE_KEY="+devchain.PayerKey)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := settlements(t, r.data); n != 1 {
		t.Errorf("%d settlements", n)
	}
}

// The official directory client lists every product, and its validation accepts
// what the listing and the terms say about each.
func TestOfficialDirectoryReadsTheListingAndTheTerms(t *testing.T) {
	node := needNode(t)
	r := start(t)
	command := exec.Command(node, filepath.FromSlash("../../testdata/clients/directory.mjs"))
	var paid []string
	for _, e := range catalog.Endpoints {
		if e.Paid() {
			paid = append(paid, r.url+e.Path)
			command.Args = append(command.Args, e.Method, e.Path)
		}
	}
	command.Env = append(os.Environ(), "BASE_URL="+r.url)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var read struct {
		Listing, Filtered catalog.Listing
		Terms             map[string][]string
	}
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	for i, item := range read.Listing.Items {
		if i >= len(paid) || item.Resource != paid[i] {
			t.Errorf("listed %s", item.Resource)
		}
	}
	if len(read.Listing.Items) != len(paid) || len(read.Filtered.Items) != 0 || len(read.Terms) != len(paid) {
		t.Errorf("%d listed, %d on another network, %d terms read of %d", len(read.Listing.Items), len(read.Filtered.Items), len(read.Terms), len(paid))
	}
	for path, problems := range read.Terms {
		if len(problems) > 0 {
			t.Errorf("%s: %q", path, problems)
		}
	}
}
