package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"governance.internal/shared/lint"
	"governance.internal/shared/x402"
)

func TestWrongUsageExitsWithStatus2(t *testing.T) {
	for args, want := range map[string]string{
		"fly":       "unknown command",
		"serve now": "takes no argument",
		"serve -workspace nowhere -addr 127.0.0.1:0": "is not a directory",
		"pay GET":                          "needs a method and a path",
		"pay GET x402/tip":                 "neither a path",
		"pay POST /x402/audit-mcp -d nope": "no such file",
		"pay GET /x402/tip -base https://example.com": "on this machine only",
		"lint -format xml a.json":                     "table, json or sarif",
		"verify":                                      "verify what?",
		"verify receipt":                              "needs the file",
		"verify chain -expect-head x a":               "SEQ:HASH",
		"verify chain -expect-head 0 a":               "names no entry",
		"verify consistency a -vkey x":                "the earlier one first",
		"verify import -vkey x":                       "needs the file",
		"invoke nothing event.json":                   "needs a function",
	} {
		wantWrongUsage(t, args, want)
	}
}

// wantWrongUsage runs a command line that is refused as wrong usage with a message.
func wantWrongUsage(t *testing.T, line, want string) {
	t.Helper()
	_, notes := session(t, 2, strings.Fields(line)...)
	if !strings.Contains(notes, want) {
		t.Errorf("governance %s says %q, want %q in it", line, notes, want)
	}
}

func TestUnreadableChainAndReceiptAreStatus3(t *testing.T) {
	session(t, 3, "verify", "chain", "nowhere.jsonl")
	session(t, 3, "verify", "receipt", "nowhere.json")
	session(t, 3, "verify", "receipt", "cli_test.go")
}

func TestAMissingServiceIsExplained(t *testing.T) {
	_, notes := session(t, 1, "pay", "GET", "/x402/verify-audit", "-base", "http://127.0.0.1:1", "-y")
	if !strings.Contains(notes, "make run") {
		t.Errorf("notes %q", notes)
	}
}

func TestPersonIsAskedBeforePaying(t *testing.T) {
	r := start(t)
	for answer, status := range map[string]int{"n\n": 1, "\n": 1, "": 1, "y\n": 0} {
		var out, notes strings.Builder
		got := run(t.Context(), terminal{strings.NewReader(answer), &out, &notes, true},
			[]string{"pay", "GET", "/x402/verify-audit", "-base", r.url, "-data", r.data})
		if got != status || !strings.Contains(notes.String(), "price 0.005 USD") {
			t.Errorf("answer %q: status %d, want %d: %s", answer, got, status, notes.String())
		}
	}
	r.wantReceived(5000, "one yes")
}

func TestFreePathCostsNothing(t *testing.T) {
	r := start(t)
	out, notes := session(t, 0, "pay", "GET", "/x402/products", "-base", r.url)
	if !strings.Contains(out, "auditMCP") || !strings.Contains(notes, "nothing was paid") {
		t.Errorf("%s %s", out, notes)
	}
}

func TestLintCommandLine(t *testing.T) {
	dir := t.TempDir()
	bad, good, broken := filepath.Join(dir, "bad.json"), filepath.Join(dir, "good.json"), filepath.Join(dir, "broken.json")
	for file, text := range map[string]string{bad: sampleConfig, good: `{"mcpServers":{}}`, broken: "{"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	table, _ := session(t, 1, "lint", bad)
	if !strings.Contains(table, "MCP005") {
		t.Errorf("table %s", table)
	}
	session(t, 0, "lint", good)
	session(t, 2, "lint", good, broken)

	r := start(t)
	endpoint := r.call("POST", "/x402/audit-mcp", sampleConfig, "PAYMENT-SIGNATURE", r.payment("POST", "/x402/audit-mcp"))
	printed, _ := session(t, 1, "lint", "-format", "json", bad)
	var local, paid lint.Result
	if err := errors.Join(json.Unmarshal([]byte(printed), &local), json.Unmarshal(endpoint.body, &paid)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(local, paid) {
		t.Errorf("command line %s\nendpoint %s", printed, endpoint.body)
	}
	sarif, _ := session(t, 1, "lint", bad, good, "-format", "sarif")
	var log struct {
		Version string
		Runs    []struct{ Results []any }
	}
	if err := json.Unmarshal([]byte(sarif), &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Errorf("SARIF %s (%v)", sarif, err)
	}
}

func TestVerifyChainKnowsAnEarlierHead(t *testing.T) {
	r := start(t)
	chain := filepath.Join(r.data, "governance.jsonl")
	out, _ := session(t, 0, "verify", "chain", chain)
	_, head, _ := strings.Cut(out, "\nhead ")
	head, _, _ = strings.Cut(head, "\n")
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", "PAYMENT-SIGNATURE", r.payment("GET", "/x402/verify-audit")), 200, "grow")
	session(t, 0, "verify", "chain", chain, "-expect-head", head)
	text, err := os.ReadFile(chain)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.jsonl")
	first := text[:strings.IndexByte(string(text), '\n')+1]
	if err := os.WriteFile(cut, first, 0o600); err != nil {
		t.Fatal(err)
	}
	session(t, 0, "verify", "chain", cut)
	out, _ = session(t, 1, "verify", "chain", cut, "-expect-head", head)
	if !strings.Contains(out, "BROKEN") || !strings.Contains(out, "truncated") {
		t.Errorf("%s", out)
	}
}

// The service does not go on with a chain that is not the one it left.
func TestServiceRefusesAChainThatIsNotItsOwn(t *testing.T) {
	data := t.TempDir()
	t.Run("buys", func(t *testing.T) {
		r := startIn(t, data)
		for range 3 {
			wantStatus(t, r.call("GET", "/x402/verify-audit", "", "PAYMENT-SIGNATURE", r.payment("GET", "/x402/verify-audit")), 200, "buy")
		}
	})
	chain := filepath.Join(data, "governance.jsonl")
	good, err := os.ReadFile(chain)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	for name, damaged := range map[string]string{
		"deleted":   "",
		"cut":       strings.Join(lines[:3], ""),
		"edited":    strings.Replace(string(good), `"amount":5000`, `"amount":5001`, 1),
		"exchanged": strings.Join(lines[:1], ""),
	} {
		if err := os.WriteFile(chain, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if damaged == "" {
			if err := os.Remove(chain); err != nil {
				t.Fatal(err)
			}
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, err = open(t.Context(), options{data: data, workspace: ".", environment: os.LookupEnv}, listener)
		if err == nil || !strings.Contains(err.Error(), "is not as this service left it") {
			t.Errorf("%s: %v", name, err)
		}
		_ = listener.Close()
	}
	if err := os.WriteFile(chain, good, 0o600); err != nil {
		t.Fatal(err)
	}
	startIn(t, data)
}

func TestForeignChainStopsTheStart(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&request)
		result := `"0x1"`
		switch request.Method {
		case "eth_getBlockByNumber":
			result = "null"
		case "web3_clientVersion":
			result = `"governance-devchain/1"`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
	}))
	defer node.Close()
	t.Setenv("RPC_URLS", node.URL)
	_, notes := session(t, 1, "serve", "-addr", "127.0.0.1:0", "-data", t.TempDir())
	if !strings.Contains(notes, "RPC_URLS") {
		t.Errorf("%s", notes)
	}
}

func TestBuyerRefusesAnInsaneOffer(t *testing.T) {
	for name, change := range map[string]func(*x402.Requirements){
		"negative amount": func(r *x402.Requirements) { r.Amount = "-5" },
		"no amount":       func(r *x402.Requirements) { r.Amount = "" },
		"huge amount":     func(r *x402.Requirements) { r.Amount = "99999999999999999999999" },
		"endless window":  func(r *x402.Requirements) { r.MaxTimeoutSeconds = 2_000_000_000 },
	} {
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("PAYMENT-SIGNATURE") != "" {
				t.Errorf("%s: a payment was signed", name)
			}
			offer := x402.Requirements{Scheme: "exact", Network: knownNetwork, Amount: "5000", Asset: knownAsset, PayTo: knownAsset,
				MaxTimeoutSeconds: 60, Extra: map[string]any{"name": "USD Coin", "version": "2"}}
			change(&offer)
			header, _ := x402.EncodeHeader(x402.Required{X402Version: 2, Accepts: []x402.Requirements{offer}})
			w.Header().Set(x402.HeaderRequired, header)
			w.WriteHeader(402)
		}))
		session(t, 1, "pay", "GET", "/", "-base", shop.URL, "-y", "-data", t.TempDir())
		shop.Close()
	}
}

func TestHeadIsNeverCharged(t *testing.T) {
	r := start(t)
	header := r.payment("GET", "/x402/verify-audit")
	wantStatus(t, r.call("HEAD", "/x402/verify-audit", "", "PAYMENT-SIGNATURE", header), 402, "HEAD")
	r.wantReceived(0, "HEAD")
	wantStatus(t, r.call("GET", "/x402/verify-audit", "", "PAYMENT-SIGNATURE", header), 200, "GET")
}

func TestUncleanPathsAreNotRedirected(t *testing.T) {
	r := start(t)
	for _, path := range []string{"//x402/tip", "/x402/../x402/tip", "/x402/tip/"} {
		a := r.call("GET", path, "")
		wantStatus(t, a, 404, path)
	}
}
