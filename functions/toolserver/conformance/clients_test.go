package conformance

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/sessions"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/audit/memory"
)

// product runs the tool server itself.
func product(t *testing.T) string {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Deps{
		BaseURL: "http://" + front.Listener.Addr().String(), DataDir: t.TempDir(), Workspace: t.TempDir(), Audit: store, Now: time.Now, Random: rand.Reader, Build: "test",
		Verify: (&auditor.Auditor{Store: store, Notes: store, Chain: "governance", Now: time.Now}).Report,
		Host:   host.Reader{Files: os.DirFS("/"), Disk: host.DiskSpace, Sleep: host.Sleep, Cores: host.Cores()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	front.Config.Handler = s
	front.Start()
	return front.URL
}

// slow runs the fixture, which reports progress, over both transports.
func slow(t *testing.T) string {
	t.Helper()
	table := stateless.Table{Tools: fixtureTools()}
	hub := sessions.New("/message", rand.Reader, func(*http.Request) (*mcp.Server, error) {
		return sessions.Server(stateless.Server{Name: "fixture", Version: "1"}, "", table, "sse"), nil
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", fixtureServer())
	mux.HandleFunc("GET /sse", hub.Open)
	mux.HandleFunc("POST /message", hub.Message)
	front := httptest.NewServer(mux)
	t.Cleanup(func() { hub.Drain(context.Background()); front.Close() })
	return front.URL
}

type seen struct {
	Tools  []string
	Result struct {
		IsError    bool
		Structured json.RawMessage `json:"structuredContent"`
	}
	Progress int
}

func ask(t *testing.T, node string, args ...string) seen {
	t.Helper()
	command := exec.Command(node, append([]string{"../../../testdata/clients/mcp.mjs"}, args...)...)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &complaints)
	}
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v printed %q", args, out)
	}
	return s
}

func TestTheOfficialTypeScriptClientsListCallAndSeeProgress(t *testing.T) {
	node := node22(t)
	real, fixture := product(t), slow(t)
	for _, client := range []string{"v1", "v2", "v2-auto"} {
		for transport, path := range map[string]string{"sse": "/sse", "http": "/mcp"} {
			s := ask(t, node, client, transport, real+path, "lint_mcp_config", `{"config":{"command":"npx","args":["x"]}}`)
			if !slices.Contains(s.Tools, "lint_mcp_config") || s.Result.IsError || !strings.Contains(string(s.Result.Structured), `"score"`) {
				t.Errorf("%s over %s: %+v", client, transport, s)
			}
			for range 5 { // a client that is slow drops what came in one piece with the result
				if s = ask(t, node, client, transport, fixture+path, "test_tool_with_progress", `{}`); s.Progress == 3 {
					break
				}
			}
			if s.Progress != 3 || s.Result.IsError {
				t.Errorf("%s over %s: told of progress %d times of 3", client, transport, s.Progress)
			}
		}
	}
}

func TestInspectorListsAndCalls(t *testing.T) {
	node := node22(t)
	script, err := filepath.Abs(filepath.Join(modules, ".bin", "mcp-inspector"))
	if err != nil {
		t.Fatal(err)
	}
	url := product(t)
	for transport, path := range map[string]string{"sse": "/sse", "http": "/mcp"} {
		for method, want := range map[string][]string{
			"tools/list": {"--strict"}, "tools/call": {"--tool-name", "verify_audit_chain", "--tool-args-json", "{}"},
		} {
			command := exec.Command(node, append([]string{script, "--cli", url + path, "--transport", transport, "--method", method}, want...)...)
			command.Dir = t.TempDir()
			command.Env = append(os.Environ(), "HOME="+command.Dir, "MCP_CATALOG_PATH="+filepath.Join(command.Dir, "catalog.json"))
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), map[string]string{"tools/list": "lint_mcp_config", "tools/call": "broken_at"}[method]) {
				t.Errorf("%s over %s: %v\n%s", method, transport, err, out)
			}
		}
	}
}
