// Package toolserver is the MCP tool server: the long-running service through
// which agents reach the governance layer.
//
// Two engines answer over one table of tools. POST /mcp is stateless (package
// dispatcher); GET /sse with POST /message keeps a session for each client
// (package sessions). A guard stands in front of every route.
package toolserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"governance.internal/functions/toolserver/dispatcher"
	"governance.internal/functions/toolserver/tool"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/shared/httpapi"
)

// What the server reports about itself.
const (
	Name    = "governance-tools"
	Version = "1.11.0" // of the contract
)

// minSecret is the length from which nobody guesses a secret.
const minSecret = 32

// Deps are what the server works with.
type Deps struct {
	BaseURL    string // address that clients use
	Token      string // GOV_API_TOKEN, "" on loopback only
	KillSecret string // KILL_SECRET, "" for no kill switch
	Now        func() time.Time
}

// Server is the tool server.
type Server struct {
	handler http.Handler
}

// protocolPaths answer in JSON-RPC, errors included.
var protocolPaths = []string{"/mcp", "/sse", "/message"}

// Paths are all that the server answers.
var Paths = append([]string{"/", "/health", "/kill", "/audit/verify", "/dispatches"}, protocolPaths...)

// New builds the server.
func New(d Deps) (*Server, error) {
	base, err := url.Parse(d.BaseURL)
	if err != nil || base.Host == "" {
		return nil, errors.New("BASE_URL must be the address that clients use")
	}
	if d.KillSecret != "" && len(d.KillSecret) < minSecret {
		return nil, fmt.Errorf("KILL_SECRET must have at least %d characters", minSecret)
	}
	if d.KillSecret == "" {
		slog.Warn("the kill switch is off: set KILL_SECRET to turn it on")
	}
	table := dispatcher.Table{Tools: tools.All(tools.Deps{}), Allow: func(dispatcher.Call, *tool.Tool) bool { return true }}
	capabilities, methods := dispatcher.Serve(table)
	engine := &dispatcher.Dispatcher{
		Server:       dispatcher.Server{Name: Name, Title: "Governance tools", Version: Version},
		Capabilities: capabilities, Methods: methods,
	}
	g := &guard{base: base, token: d.Token, secret: d.KillSecret,
		calls: newCallers(d.Now, callsPerSecond, callsBurst), wrong: newCallers(d.Now, refusedPerMinute/60.0, refusedPerMinute)}
	mux := http.NewServeMux()
	mux.Handle("/mcp", engine)
	return &Server{handler: httpapi.Middleware(g.protect(mux))}, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// CheckBind refuses to listen where others can reach the server without a token.
func CheckBind(addr net.Addr, token string) error {
	tcp, ok := addr.(*net.TCPAddr)
	if token == "" && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("set GOV_API_TOKEN (at least %d characters) to listen on %s, where others can reach the tool server", minSecret, addr)
	}
	if token != "" && len(token) < minSecret {
		return fmt.Errorf("GOV_API_TOKEN must have at least %d characters", minSecret)
	}
	return nil
}
