package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
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
	Response struct {
		Success     bool
		Network     string
		Transaction string
	}
}

func buyWith(t *testing.T, node, url, script string, args ...string) bought {
	t.Helper()
	command := exec.Command(node, append([]string{filepath.Join("../../testdata/clients", script)}, args...)...)
	command.Env = append(os.Environ(), "BASE_URL="+url, "PRIVATE_KEY="+devchain.PayerKey)
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
