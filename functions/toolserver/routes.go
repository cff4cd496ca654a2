package toolserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/httpapi"
)

// routes binds every path and answers other methods with 405.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	allow := func(method, path string, handler http.HandlerFunc) {
		mux.HandleFunc(method+" "+path, handler)
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", method)
			(&refusal{
				status:  http.StatusMethodNotAllowed,
				code:    "method_not_allowed",
				message: "This path answers " + method + " only.",
			}).write(w, r)
		})
	}

	mux.Handle("/mcp", s.stateless)
	allow("GET", "/sse", s.sessions.Open)
	allow("POST", "/message", s.sessions.Message)
	allow("GET", "/health", s.getHealth)
	allow("GET", "/{$}", s.rootOrConsole())
	allow("GET", "/entries", s.getEntries)
	allow("POST", "/kill", s.postKill)

	allow("GET", "/audit/verify", s.getVerification)
	allow("GET", "/dispatches", s.getDispatches)
	allow("GET", logPattern, s.getLog)
	allow("POST", endPattern, s.postEnd)
	allow("GET", "/processes", s.getProcesses)
	mux.HandleFunc("GET /approvals", s.getApprovals)
	mux.HandleFunc("POST /approvals", s.postApprovals)

	mux.HandleFunc("/approvals", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, POST")
		(&refusal{
			status:  http.StatusMethodNotAllowed,
			code:    "method_not_allowed",
			message: "This path answers GET and POST only.",
		}).write(w, r)
	})

	for _, path := range metadataPaths {
		allow("GET", path, s.getMetadata)
	}

	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		(&refusal{
			status:  http.StatusNotFound,
			code:    "not_found",
			message: "No such path. GET / lists what there is.",
		}).write(w, r)
	})

	return mux
}

// run calls a tool by its name, for a route of the server.
func (s *Server) run(ctx context.Context, name string, call *tool.Call) tool.Result {
	for _, t := range s.free {
		if t.Name == name {
			return t.Run(ctx, call)
		}
	}

	return tool.Failure(&tool.Error{
		Code:    "not_found",
		Message: "This server does not offer " + name + ".",
	})
}

// answerTool answers with what a tool said. An error without a status is a 500.
func (s *Server) answerTool(w http.ResponseWriter, result tool.Result, statuses map[string]int) {
	status := http.StatusOK
	body := result.Structured
	if result.Err != nil {
		body, _ = json.Marshal(map[string]*tool.Error{"error": result.Err}) // of texts
		if status = statuses[result.Err.Code]; status == 0 {
			status = http.StatusInternalServerError
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="kill"`)
		}
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "10")
		}
	}

	w.Header().Set("Cache-Control", "no-store")
	httpapi.Response{
		Status: status,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   append(body, '\n'),
	}.Write(w)
}

// getVerification is GET /audit/verify: the tool, with its arguments as query.
func (s *Server) getVerification(w http.ResponseWriter, r *http.Request) {
	arguments, err := argumentsOf(r.URL.Query())
	if err != nil {
		writeJSON(
			w,
			http.StatusBadRequest,
			map[string]any{"error": map[string]string{
				"code":    "invalid_argument",
				"message": "The query cannot be read.",
			}},
		)

		return
	}

	result := s.run(
		r.Context(),
		"verify_audit_chain",
		&tool.Call{
			Arguments: arguments,
			Header:    r.Header,
			Transport: "http",
		},
	)
	s.answerTool(
		w,
		result,
		map[string]int{
			"invalid_argument": http.StatusBadRequest,
			"unavailable":      http.StatusServiceUnavailable,
			"timeout":          http.StatusServiceUnavailable,
		},
	)
}

// argumentsOf makes arguments of a query: whole numbers as such, the rest as text.
func argumentsOf(query url.Values) (json.RawMessage, error) {
	object := map[string]any{}
	for name, values := range query {
		object[name] = values[0]
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && len(values[0]) < 19 {
			object[name] = n
		}
	}
	return json.Marshal(object)
}

// Looks at the head of the chain for GET /health, which has no other limit: a flood
// must not make the load balancer believe that the task is dead.
const (
	looksPerSecond = 1
	looksBurst     = 5
)

// storeState is ok or unreadable, as of the last look.
func (s *Server) storeState(ctx context.Context) string {
	if s.looks.wait("") == 0 {
		_, err := s.deps.Audit.Head(ctx)
		s.readable.Store(err == nil)
	}

	if s.readable.Load() {
		return "ok"
	}
	return "unreadable"
}

// getHealth is GET /health, for load balancers: 503 only when this process takes no
// more work.
func (s *Server) getHealth(w http.ResponseWriter, r *http.Request) {
	status := "ok"
	code := http.StatusOK
	store := s.storeState(r.Context())
	chain := s.chainState()
	halt := s.halt.Halted()
	halted := halt != nil
	if store != "ok" || chain == "broken" || halted {
		status = "degraded"
	}

	if s.draining.Load() {
		status = "draining"
		code = http.StatusServiceUnavailable
	}

	writeJSON(w, code, map[string]any{
		"status":   status,
		"service":  Name,
		"version":  Version,
		"build":    s.deps.Build,
		"protocol": stateless.Fallback,
		"tools":    len(s.tools),
		"sessions": s.sessions.Count(),
		"checks":   map[string]any{"chain": chain, "store": store, "halt": halted},
		"halt":     publicHalt(halt),
	})
}

// haltState is what anybody may know of a halt; the audit trail has its reason.
type haltState struct {
	Since  time.Time `json:"since,omitzero"` // not known of a flag that cannot be read
	Scope  string    `json:"scope,omitempty"`
	Source string    `json:"source,omitempty"`
}

// publicHalt is nil if nothing is halted.
func publicHalt(halt *killswitch.Halt) *haltState {
	if halt == nil {
		return nil
	}
	return &haltState{
		Since:  halt.Since,
		Scope:  halt.Scope,
		Source: halt.Source,
	}
}

// getRoot is GET /: what the server is and what it offers.
func (s *Server) getRoot(w http.ResponseWriter, _ *http.Request) {
	base := strings.TrimRight(s.base.Path, "/")
	toolList := []map[string]string{}
	resourceList := []map[string]string{}

	for _, t := range s.tools {
		toolList = append(toolList, map[string]string{
			"name":        t.Name,
			"title":       t.Title,
			"toolset":     t.Toolset,
			"description": t.Description,
		})
	}

	for _, each := range s.resources {
		resourceList = append(resourceList, map[string]string{"uri": each.URI, "name": each.Name})
	}

	writeJSON(w, http.StatusOK, map[string]any{
		"name":                      Name,
		"version":                   Version,
		"build":                     s.deps.Build,
		"protocol":                  stateless.Fallback,
		"protocolVersion":           stateless.Fallback,
		"supportedProtocolVersions": stateless.Versions,
		"description":               "Governance tools for agents over the Model Context Protocol.",
		"endpoints": map[string]string{
			"sse":          base + "/sse",
			"message":      base + "/message",
			"http":         base + "/mcp",
			"health":       base + "/health",
			"kill":         base + "/kill",
			"audit_verify": base + "/audit/verify",
			"dispatches":   base + "/dispatches",
			"entries":      base + "/entries",
		},
		"tools":     toolList,
		"resources": resourceList,
		"links":     map[string]string{"openapi": base + "/openapi.json", "llms": base + "/llms.txt"},
	})
}
