// Package server composes the MCP tool server: the long-running service through which
// agents reach the governance layer.
//
// The architecture is in ../README.md. Two engines answer over one table of tools: POST /mcp
// is stateless (mcp/stateless); GET /sse with POST /message keeps a session for each client
// (mcp/sessions). The checks of routes/access apply to every route.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/mcp/resources"
	"governance.internal/functions/toolserver/mcp/sessions"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes"
	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/routes/access/oauth"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/paid"
	"governance.internal/functions/toolserver/work/cluster"
	"governance.internal/functions/toolserver/work/descriptors"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/telemetry"
	"governance.internal/shared/x402"
)

// The identity that the server reports.
const (
	Name         = "governance-tools"
	Version      = "1.11.0" // of the contract
	instructions = "Governance tools for agents. Begin with get_framework. Call preflight_check before each change of a file and before each command. Check the audit chain with verify_audit_chain and client configurations with lint_mcp_config."
)

// Deps are what the server works with.
type Deps struct {
	BaseURL    string   // address that clients use
	Token      string   // GOV_API_TOKEN, "" on loopback only
	KillSecret string   // KILL_SECRET, "" for no kill switch
	Toolsets   []string // that are offered, nil for all
	ReadOnly   bool
	Build      string // version of this program
	DataDir    string
	Workspace  string // folder of the project that is governed
	Audit      audit.Store
	Gate       *x402.Gate // sells tools; nil if all are free
	Verify     func(context.Context, ...audit.Anchor) (audit.Report, error)
	Host       host.Reader
	Now        func() time.Time
	Random     io.Reader
	Tasks      *cluster.Node       // this task among others; nil if it is alone
	Halt       killswitch.Flag     // that the tasks share; nil if this one is alone
	Slots      dispatch.Slots      // for agents, that the tasks share; nil if this one is alone
	OAuth      *oauth.Resource     // whose access tokens are accepted; nil to accept none
	Model      agent.Provider      // that our own agent asks; the zero value for no such agent
	Agent      []string            // the command line that is this agent
	Fence      string              // the program that becomes the first process of a fence; "" for none
	Hook       []string            // the command line of the hook, for agents of others; nil for none
	Telemetry  *telemetry.Recorder // nil if no collector is named
	Watch      time.Duration       // between two comparisons of the governed files, 0 for half a minute
	Cloud      Cloud               // providers of processes that run elsewhere; nil for none

	// Products are where the paid tools buy.
	Products paid.Products

	// Try is the path of the pages on which a person tries the products, "" without them.
	Try string

	// Connections is the maximum number of connections, 0 for [connections.Usual].
	Connections int
}

// Server is the tool server.
type Server struct {
	deps     Deps
	governed *governed
	work     *work
	halt     *killswitch.Switch
	chain    *chain
	sold     toolTable // as clients call the tools
	free     toolTable // as the server's own routes call them
	engine   *stateless.Engine
	servers  *sessions.Servers
	sessions *sessions.Hub
	handler  http.Handler

	calls      atomic.Uint64
	draining   atomic.Bool
	leaving    context.Context
	leave      context.CancelFunc // ends what else would go on for ever
	background *background
}

// New builds the server. Close ends it.
func New(d Deps) (*Server, error) {
	base, offered, err := checkDeps(&d)
	if err != nil {
		return nil, err
	}

	if err := processes.Conceal(); err != nil {
		return nil, fmt.Errorf("the secrets of the server cannot be concealed from agents: %w", err)
	}
	descriptors.Hold()

	s := &Server{deps: d}
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.chain = newChain(d.Verify)

	if s.governed, err = openGoverned(d); err != nil {
		return nil, fmt.Errorf("WORKSPACE: %w", err)
	}

	s.work = &work{deps: d, workspace: s.governed.workspace}
	s.halt = killswitch.Open(d.DataDir, d.Halt, d.Audit, d.Now, d.Random, s.work.stops())
	if err := s.work.open(s.halt); err != nil {
		return nil, err
	}

	secret := access.NewKillSecret(d.KillSecret, d.Now, s.halt.Refused)
	s.makeTools(offered, secret)
	s.makeProtocol(base)
	s.makeHandler(base, secret)
	s.background = keepRunning(s.halt, s.governed, s.work)
	return s, nil
}

// checkDeps validates the settings and fills in the defaults.
func checkDeps(d *Deps) (base *url.URL, offered middleware.Filter, err error) {
	base, err = url.Parse(d.BaseURL)
	if err != nil || base.Host == "" {
		return nil, offered, errors.New("BASE_URL must be the address that clients use")
	}

	if d.KillSecret != "" && len(d.KillSecret) < access.MinSecret {
		return nil, offered, fmt.Errorf("KILL_SECRET must have at least %d characters", access.MinSecret)
	}

	if d.Toolsets == nil {
		d.Toolsets = tools.Default
	}
	offered, err = middleware.NewFilter(tools.Toolsets, d.Toolsets, d.ReadOnly)
	if err != nil {
		return nil, offered, fmt.Errorf("GOV_TOOLSETS: %w", err)
	}

	if d.KillSecret == "" {
		slog.Warn("the kill switch is off: set KILL_SECRET to turn it on")
	}
	return base, offered, nil
}

// makeTools decorates the tools. Package middleware explains the order.
func (s *Server) makeTools(offered middleware.Filter, secret *access.KillSecret) {
	observe := middleware.Observe(middleware.Observer{
		Count:     func() { s.calls.Add(1) },
		Now:       s.deps.Now,
		Telemetry: s.deps.Telemetry,
	})
	sell := middleware.Sell(s.deps.Gate)
	redact := middleware.Redact(s.governed.hide)
	fence := middleware.Fence(func(ctx context.Context) (bool, error) {
		halt, err := s.halt.Check(ctx)
		return halt != nil, err
	})

	for _, t := range tools.All(s.toolDeps(secret), offered.Allows) {
		s.sold = append(s.sold, middleware.Wrap(t, observe, sell, redact, fence))
		s.free = append(s.free, middleware.Wrap(t, observe, redact, fence))
	}
}

// makeProtocol sets up both engines over the tools.
func (s *Server) makeProtocol(base *url.URL) {
	about := stateless.Server{
		Name:    Name,
		Title:   "Governance tools",
		Version: Version,
	}
	table := stateless.Table{
		Tools:     s.sold,
		Resources: resources.All(s.sold.has),
		Filter: func(c stateless.Call) (func(*tool.Tool) bool, error) {
			chosen, err := middleware.FilterOf(tools.Toolsets, c.Header, c.Query)
			return chosen.Allows, err
		},
	}

	capabilities, methods := stateless.Serve(table)
	s.engine = &stateless.Engine{
		Server:       about,
		Instructions: instructions,
		Capabilities: capabilities,
		Methods:      methods,
	}

	s.servers = &sessions.Servers{
		About:        about,
		Instructions: instructions,
		Table:        table,
		Toolsets:     tools.Toolsets,
	}
	endpoint := strings.TrimRight(base.Path, "/") + "/message"
	s.sessions = sessions.New(endpoint, s.deps.Random, s.servers.ForRequest)
	s.sessions.AnswerBy(s.engine.Own)

	if s.deps.Tasks != nil {
		s.sessions.Share(s.deps.Tasks)
	}
}

// makeHandler binds the routes and adds the access checks.
func (s *Server) makeHandler(base *url.URL, secret *access.KillSecret) {
	options := access.Options{
		Base:       base,
		Token:      s.deps.Token,
		KillSecret: s.deps.KillSecret,
		OAuth:      s.deps.OAuth,
		Now:        s.deps.Now,
	}
	if s.deps.Tasks != nil {
		options.Tasks = s.deps.Tasks
	}
	control := access.New(options)

	mux := routes.New(routes.Deps{
		About: s.about(base),
		MCP: routes.MCP{
			Stateless: s.engine,
			Open:      s.sessions.Open,
			Message:   s.sessions.Message,
		},
		Tools:      s.free,
		Secret:     secret,
		Switch:     s.halt,
		Health:     health{s},
		Trail:      s.deps.Audit,
		Dispatches: s.work.dispatches,
		Processes:  s.work.managed,
		Approvals:  s.governed.approvals,
		Outcomes:   s.governed.journal(),
		Workspace:  s.governed.workspace,
		Metadata:   control.GetMetadata,
		FreeMB:     s.work.freeMB,
		Leaving:    s.leaving,
	})

	checked := httpapi.Middleware(control.Protect(mux))
	s.handler = s.deps.Telemetry.Wrap(telemetry.Handler(mux, checked))
}

func (s *Server) about(base *url.URL) routes.About {
	about := routes.About{
		Name:       Name,
		Version:    Version,
		Build:      s.deps.Build,
		Base:       base,
		NeedsToken: s.deps.Token != "",
		Try:        s.deps.Try,
		Protocol:   stateless.Fallback,
		Protocols:  stateless.Versions,
		Tools:      s.sold.listed(),
	}

	for _, each := range s.servers.Table.Resources {
		about.Resources = append(about.Resources, routes.Resource{URI: each.URI, Name: each.Name})
	}
	return about
}

// health is the state of the server for GET /health.
type health struct{ *Server }

func (h health) Halted() *killswitch.Halt { return h.halt.Halted() }
func (h health) Draining() bool           { return h.draining.Load() }
func (h health) Sessions() int            { return h.sessions.Count() }
func (h health) Chain() string            { return h.chain.state() }
func (h health) Now() time.Time           { return h.deps.Now() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
}

// Serves reports whether the server answers a path.
func Serves(path string) bool {
	return routes.Serves(path)
}
