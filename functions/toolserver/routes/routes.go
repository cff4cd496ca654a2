// Package routes holds the plain HTTP handlers of the tool server, one file for each
// subject, and the table that binds every path to its handler.
//
// The handlers use only the small interfaces declared beside them; package server supplies
// the implementations. Package access decides which requests reach them.
package routes

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/access"
)

// About is what the server says about itself.
type About struct {
	Name, Version, Build string
	Base                 *url.URL // address that clients use
	NeedsToken           bool     // the server has an API token
	Try                  string   // path of the pages that try the products, "" without them
	Protocol             string   // revision of MCP that GET / and GET /health name
	Protocols            []string // all that are served, the newest first
	Tools                []*tool.Tool
	Resources            []Resource
}

// Resource is a text that clients of MCP can read, as GET / lists it.
type Resource struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// Tools are the tools without the payment gate: the routes of the server are free.
type Tools interface {
	// Run calls a tool by its name.
	Run(ctx context.Context, name string, call *tool.Call) tool.Result
}

// Secret is who may halt, end and decide.
type Secret interface {
	// Check is why a request may not use the kill switch, nil if it may. Source is the
	// transport of the request.
	Check(ctx context.Context, header http.Header, source string) *tool.Error
}

// Workspace is the project that is governed.
type Workspace interface {
	// Hide redacts the path of the workspace in a text.
	Hide(text string) string
}

// MCP is the Model Context Protocol, which answers three of the paths.
type MCP struct {
	Stateless http.Handler     // POST /mcp
	Open      http.HandlerFunc // GET /sse
	Message   http.HandlerFunc // POST /message
}

// Deps are what the routes work with.
type Deps struct {
	About      About
	MCP        MCP
	Tools      Tools
	Secret     Secret
	Switch     Switch
	Health     Health
	Trail      Trail
	Dispatches Dispatches
	Processes  Processes
	Approvals  Approvals
	Outcomes   Outcomes
	Workspace  Workspace
	Metadata   http.HandlerFunc // of the protected resource (RFC 9728)
	FreeMB     func() *int      // memory that an agent could use, nil if unknown
	Leaving    context.Context  // ends what else would go on for ever
}

// paths are all that the server answers, but for those of one dispatch.
var paths = slices.Concat(
	[]string{"/", "/health", "/kill", "/audit/verify", "/dispatches", "/processes", "/approvals", "/entries", "/outcomes"},
	[]string{"/mcp", "/sse", "/message"},
	access.MetadataPaths,
)

// Serves reports whether the server answers a path.
func Serves(name string) bool {
	isLog, _ := path.Match("/dispatches/*/log", name) // the patterns are valid
	isEnd, _ := path.Match("/dispatches/*/end", name)
	return isLog || isEnd || slices.Contains(paths, name)
}

// New binds every path and answers other methods with 405.
func New(d Deps) *http.ServeMux {
	mux := http.NewServeMux()
	allow := func(method, path string, handler http.HandlerFunc) {
		mux.HandleFunc(method+" "+path, handler)
		mux.HandleFunc(path, onlyAllows(method, method))
	}

	mux.Handle("/mcp", d.MCP.Stateless)
	allow("GET", "/sse", d.MCP.Open)
	allow("POST", "/message", d.MCP.Message)

	about := newRoot(d.About)
	allow("GET", "/{$}", about.get)

	health := newHealth(d.About, d.Health, d.Trail)
	allow("GET", "/health", health.get)

	kill := newKill(d.Secret, d.Tools, d.Switch)
	allow("POST", "/kill", kill.post)

	entries := entries{trail: d.Trail}
	allow("GET", "/entries", entries.get)

	outcomes := outcomes{journal: d.Outcomes}
	allow("GET", "/outcomes", outcomes.get)

	verification := verification{tools: d.Tools}
	allow("GET", "/audit/verify", verification.get)

	dispatches := newDispatches(d)
	allow("GET", "/dispatches", dispatches.list)
	allow("GET", logPattern, dispatches.log)
	allow("POST", endPattern, dispatches.end)

	processes := managedProcesses{d.Processes}
	allow("GET", "/processes", processes.get)

	approvals := newApprovals(d.Secret, d.Approvals)
	mux.HandleFunc("GET /approvals", approvals.get)
	mux.HandleFunc("POST /approvals", approvals.post)
	mux.HandleFunc("/approvals", onlyAllows("GET, POST", "GET and POST"))

	for _, path := range access.MetadataPaths {
		allow("GET", path, d.Metadata)
	}

	mux.HandleFunc("/", notFound)
	return mux
}

// onlyAllows answers the methods that a path does not have.
func onlyAllows(methods, inWords string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		refusal := &access.Refusal{
			Status:  http.StatusMethodNotAllowed,
			Code:    "method_not_allowed",
			Message: "This path answers " + inWords + " only.",
		}

		refusal.Write(w, r)
	}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	refusal := &access.Refusal{
		Status:  http.StatusNotFound,
		Code:    "not_found",
		Message: "No such path. GET / lists what there is.",
	}

	refusal.Write(w, r)
}
