// Package toolserver is the MCP tool server: the long-running service through
// which agents reach the governance layer.
//
// Two engines answer over one table of tools. POST /mcp is stateless (package
// dispatcher); GET /sse with POST /message keeps a session for each client
// (package sessions). A guard stands in front of every route.
package toolserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/resources"
	"governance.internal/functions/toolserver/mcp/sessions"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tally"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/access/oauth"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/cluster"
	"governance.internal/functions/toolserver/work/descriptors"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/managed"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/audit"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/telemetry"
	"governance.internal/shared/x402"
)

// What the server reports about itself.
const (
	Name         = "governance-tools"
	Version      = "1.11.0" // of the contract
	instructions = "Governance tools for agents. Begin with get_framework. Call preflight_check before each change of a file and before each command. Check the audit chain with verify_audit_chain and client configurations with lint_mcp_config."
)

// minSecret is the length from which nobody guesses a secret.
const minSecret = 32

// flushInterval is how often the kill switch looks at what the other tasks decided,
// and tries the audit entries again that the trail could not take.
const flushInterval = 2 * time.Second

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
	OAuth      *oauth.Resource     // whose access tokens are good, nil for nobody's
	Model      agent.Provider      // that our own agent asks; the zero value for no such agent
	Agent      []string            // the command line that is this agent
	Hook       []string            // the command line of the hook, for agents of others; nil for none
	Telemetry  *telemetry.Recorder // nil if no collector is named
	Watch      time.Duration       // between two comparisons of the governed files, 0 for half a minute
	Cloud      Cloud               // providers of processes that run elsewhere; nil for none

	// Connections are how many there may be at once, 0 for [connections.Usual].
	Connections int
}

// Server is the tool server.
type Server struct {
	deps       Deps
	base       *url.URL
	halt       *killswitch.Switch
	workspace  *workspace.Workspace
	violations *violations.Log
	wrongKills *callers
	lift       *tool.Tool
	decider    *tool.Tool   // of approvals, for a person
	tools      []*tool.Tool // as clients call them
	free       []*tool.Tool // the same for the server's own routes, which sell nothing
	resources  []stateless.Resource
	stateless  *stateless.Engine
	dispatches *dispatch.Dispatcher
	supervisor *managed.Supervisor
	managed    *managed.Set
	sessions   *sessions.Hub
	handler    http.Handler

	calls    atomic.Uint64
	chain    atomic.Pointer[bool] // result of the last verification
	verifies chan struct{}        // has room for the verifications that may run
	looks    *callers             // at the store, by GET /health
	readable atomic.Bool          // what the last look found
	draining atomic.Bool
	follows  chan struct{} // has room for the logs that may be followed
	leaving  context.Context
	leave    context.CancelFunc // ends what else would go on for ever
	stop     func()

	mu      sync.Mutex
	servers map[string]*mcp.Server // of sessions, by filter
}

// protocolPaths answer in JSON-RPC, errors included.
var protocolPaths = []string{"/mcp", "/sse", "/message"}

// paths are all that the server answers, but for those of one dispatch.
var paths = append([]string{"/", "/health", "/kill", "/audit/verify", "/dispatches", "/processes", "/approvals", "/entries"}, append(protocolPaths, metadataPaths...)...)

// Serves says whether the server answers a path.
func Serves(path string) bool {
	return slices.Contains(paths, path) || isOfDispatch(path)
}

// New builds the server. Close ends it.
func New(d Deps) (*Server, error) {
	base, err := url.Parse(d.BaseURL)
	if err != nil || base.Host == "" {
		return nil, errors.New("BASE_URL must be the address that clients use")
	}
	if d.KillSecret != "" && len(d.KillSecret) < minSecret {
		return nil, fmt.Errorf("KILL_SECRET must have at least %d characters", minSecret)
	}
	if d.Toolsets == nil {
		d.Toolsets = tools.Default
	}

	offered, err := newFilter(d.Toolsets, d.ReadOnly)
	if err != nil {
		return nil, fmt.Errorf("GOV_TOOLSETS: %w", err)
	}
	if d.KillSecret == "" {
		slog.Warn("the kill switch is off: set KILL_SECRET to turn it on")
	}
	if err := processes.Conceal(); err != nil {
		return nil, fmt.Errorf("the secrets of the server cannot be concealed from agents: %w", err)
	}

	descriptors.Hold()
	governed, err := workspace.Open(d.Workspace, d.DataDir)
	if err != nil {
		return nil, fmt.Errorf("WORKSPACE: %w", err)
	}

	s := &Server{
		deps:      d,
		base:      base,
		workspace: governed,
		violations: &violations.Log{
			Trail:     d.Audit,
			Workspace: governed,
			Now:       d.Now,
			Random:    d.Random,
		},
		wrongKills: newCallers(d.Now, wrongKillsPerSecond, wrongKillsBurst),
		servers:    map[string]*mcp.Server{},
		verifies:   make(chan struct{}, maxVerifications),
		looks:      newCallers(d.Now, looksPerSecond, looksBurst),
		follows:    make(chan struct{}, maxFollows),
	}
	s.violations.Approved = s.approvals().Holds
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.halt = killswitch.Open(d.DataDir, d.Halt, d.Audit, d.Now, d.Random, s.stops())
	if err := s.openManaged(); err != nil {
		return nil, fmt.Errorf("managed processes: %w", err)
	}

	if err := s.openDispatcher(); err != nil {
		return nil, fmt.Errorf("dispatches: %w", err)
	}
	for _, t := range tools.All(s.toolDeps(), offered.allows) {
		t = s.discreet(s.fenced(t))
		s.free = append(s.free, observed(t, &s.calls, d))
		s.tools = append(s.tools, observed(sold(t, d.Gate), &s.calls, d))
	}

	s.lift, s.decider = s.newLift(), s.newDecide()
	s.resources = resources.All(s.has)
	about := stateless.Server{
		Name:    Name,
		Title:   "Governance tools",
		Version: Version,
	}

	capabilities, methods := stateless.Serve(stateless.Table{
		Tools:     s.tools,
		Resources: s.resources,
		Filter:    filterCall,
	})
	s.stateless = &stateless.Engine{
		Server:       about,
		Instructions: instructions,
		Capabilities: capabilities,
		Methods:      methods,
	}
	s.sessions = sessions.New(strings.TrimRight(base.Path, "/")+"/message", d.Random, s.sessionServer)
	s.sessions.AnswerBy(s.stateless.Own)

	if d.Tasks != nil {
		s.sessions.Share(d.Tasks)
	}

	routes := s.routes()
	s.handler = d.Telemetry.Wrap(telemetry.Handler(routes, httpapi.Middleware(s.newGuard().protect(routes))))
	s.keepFlushing()
	return s, nil
}

func (s *Server) newGuard() *guard {
	return &guard{
		base:   s.base,
		token:  s.deps.Token,
		secret: s.deps.KillSecret,
		calls:  newCallers(s.deps.Now, callsPerSecond, callsBurst),
		wrong: newCallers(
			s.deps.Now,
			refusedPerMinute/60.0,
			refusedPerMinute,
		),
		tasks: s.deps.Tasks,
		oauth: s.deps.OAuth,
	}
}

func (s *Server) toolDeps() tools.Deps {
	gate := &preflight.Gate{
		Workspace: s.workspace,
		Log:       s.violations,
		Approvals: s.approvals(),
		Halted:    s.halted,
	}
	enforcing := *gate // for tools that make the change themselves
	enforcing.Enforces = true
	enforcing.Halted = nil // a halted agent may still hand over

	count := tally.New(s.deps.Audit, framework.ViolationTypes()...).Since
	return tools.Deps{
		System: core.System{
			Name:         Name,
			Version:      Version,
			Build:        s.deps.Build,
			Started:      s.deps.Now(),
			Now:          s.deps.Now,
			Store:        s.deps.Audit,
			Count:        count,
			Calls:        s.calls.Load,
			Governed:     s.governed,
			Capabilities: s.capabilities,
		},
		Machine: ops.Machine{
			Host:      s.deps.Host,
			DataDir:   s.deps.DataDir,
			Now:       s.deps.Now,
			Halted:    s.halt.Halted,
			Verify:    s.verify,
			Running:   s.running,
			Processes: s.managed.States,
		},
		Verify: s.verify,
		Kill:   s.kill,
		About:  s.aboutWorkspace,
		Rules:  s.rules,
		Shelf:  ops.Shelf{Workspace: s.workspace, Proc: procOf(s.deps.Host)},
		Desk: session.Desk{
			Workspace: s.workspace,
			Log:       s.violations,
			Gate:      &enforcing,
			Running:   s.running,
			Now:       s.deps.Now,
		},
		Gate: gate,
		Dock: ops.Dock{
			Workspace: s.workspace,
			Host:      s.deps.Host,
			States:    s.managed.States,
		},
		Till: ops.Till{
			Workspace: s.workspace,
			Data:      os.DirFS(s.deps.DataDir),
			Now:       s.deps.Now,
		},

		Dispatcher: s.dispatches,
	}
}

// running counts the dispatches.
func (s *Server) running() (int, error) {
	active, _, err := s.dispatches.List(0)
	return len(active), err
}

func (s *Server) has(name string) bool {
	for _, t := range s.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// maxVerifications may run at once: each reads the whole chain.
const maxVerifications = 2

// verify verifies the chain and remembers the result for GET /health.
func (s *Server) verify(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
	select {
	case s.verifies <- struct{}{}:
		defer func() { <-s.verifies }()
	case <-ctx.Done():
		return audit.Report{}, ctx.Err()
	}

	report, err := s.deps.Verify(ctx, further...)
	if err == nil && len(further) == 0 {
		s.chain.Store(&report.Valid)
	}
	return report, err
}

func (s *Server) chainState() string {
	switch valid := s.chain.Load(); {
	case valid == nil:
		return "not_checked"
	case *valid:
		return "valid"
	}
	return "broken"
}

func filterCall(c stateless.Call) (func(*tool.Tool) bool, error) {
	f, err := filterOf(c.Header, c.Query)
	return f.allows, err
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
}
