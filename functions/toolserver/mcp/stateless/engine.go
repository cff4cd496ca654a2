// Package stateless answers the messages of the Model Context Protocol without sessions:
// one message in, one answer out, from any process.
//
// It serves both eras of the protocol at once. A modern message (2026-07-28)
// carries its protocol version and capabilities in _meta; a legacy message (from
// 2024-11-05) may begin with initialize, but every other method works without it.
//
// The engine handles JSON-RPC, versions, headers and streams. The methods are a table:
// [Serve] makes the one for tools and resources.
package stateless

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"governance.internal/functions/toolserver/mcp/rpc"
)

// Server is what the server says about itself.
type Server struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// Engine answers messages. It is safe for concurrent use.
type Engine struct {
	Server       Server
	Instructions string
	Capabilities map[string]any
	Methods      map[string]Method

	keepAlive time.Duration // between comments on a stream; 0 for the usual
}

// Method is one row of the table of methods.
type Method struct {
	// Run answers with an object, which is complete unless it has a method ResultType
	// that says otherwise. An *[rpc.Error] is sent as it is; every other error is logged
	// and sent as an internal error.
	Run func(context.Context, *Request) (any, error)
	// Name is the parameter that the header Mcp-Name repeats, "" for none.
	Name string
	// InSession says that a session's own engine runs the call, because it can be
	// cancelled there and tell its progress; nil means that it never does.
	InSession func(*Request) bool
	// Cached says for how long a modern client may keep the answer, in milliseconds;
	// negative means that the answer carries nothing about that.
	Cached int
}

// NotCached marks the methods whose answers must not be cached.
const NotCached = -1

// Call is a message as it came in.
type Call struct {
	Body      []byte
	Header    http.Header // nil when there are none, over stdio
	Query     url.Values
	Transport string
	// Notify sends a message ahead of the answer; nil if the transport cannot.
	Notify func(message []byte)
}

// Reply is the answer. A notification has none: its body is nil.
type Reply struct {
	Status int
	Body   []byte
}

// Request is a message whose envelope is in order.
type Request struct {
	Call    Call
	Method  string
	Version string // of the protocol
	params  members
	meta    members

	mu       sync.Mutex
	progress int // last told, plus one
}

// Param is a member of the parameters as JSON, nil if it is not there.
func (r *Request) Param(name string) json.RawMessage {
	return r.params.get(name)
}

// Text is a parameter that is a string.
func (r *Request) Text(name string) (string, bool) {
	return stringOf(r.params.get(name))
}

// Meta is a member of _meta.
func (r *Request) Meta(name string) json.RawMessage {
	return r.meta.get(name)
}

// Handle answers one message.
func (e *Engine) Handle(ctx context.Context, call Call) Reply {
	m, problem := parse(call.Body)
	if problem != nil {
		return Reply{problem.Status, problem.Body(m.id)}
	}
	if m.method == "" {
		return Reply{Status: http.StatusAccepted} // nothing was asked of the client
	}

	version, problem := e.era(m, call.Header)
	if problem != nil {
		return Reply{problem.Status, problem.Body(m.id)}
	}
	if m.id == nil {
		return Reply{Status: http.StatusAccepted}
	}

	body, problem := e.run(
		ctx,
		m,
		&Request{
			Call:    call,
			Method:  m.method,
			Version: version,
			params:  m.params,
			meta:    m.meta,
		},
	)
	if problem != nil {
		return Reply{problem.Status, problem.Body(m.id)}
	}

	return Reply{http.StatusOK, body}
}

// Own answers a message of a session or of stdio, which have another engine, so that every
// client gets the same answer to the same request. Ours is false for messages that the
// other engine must handle: the handshake, notifications and calls of tools.
func (e *Engine) Own(call Call) (answer func(context.Context) []byte, ours bool) {
	m, problem := parse(call.Body)
	named := m.meta.get(metaVersion) != nil // of a revision that has no sessions
	if problem != nil ||
		m.method == "" ||
		m.id == nil ||
		named ||
		slices.Contains(handshake, m.method) {
		return nil, false
	}

	r := &Request{
		Call:    call,
		Method:  m.method,
		Version: Fallback,
		params:  m.params,
		meta:    m.meta,
	}
	if method, ok := e.Methods[m.method]; ok &&
		method.InSession != nil &&
		method.InSession(r) {
		return nil, false
	}

	return func(ctx context.Context) []byte {
		body, problem := e.run(ctx, m, r)
		if problem != nil {
			return problem.Body(m.id)
		}
		return body
	}, true
}

// handshake are the methods by which a session is opened and kept.
var handshake = []string{"initialize", "ping"}

func (e *Engine) run(ctx context.Context, m message, r *Request) ([]byte, *rpc.Error) {
	method, ok := e.method(r)
	if !ok {
		problem := &rpc.Error{
			Status:  http.StatusOK,
			Code:    rpc.CodeMethodNotFound,
			Message: "There is no method " + strconv.QuoteToASCII(bounded(r.Method)) + ".",
		}

		if r.Version == Modern {
			problem.Status = http.StatusNotFound
		}
		return nil, problem
	}

	result, err := method.Run(ctx, r)
	if err == nil {
		var body []byte
		if body, err = e.answer(m.id, r, method, result); err == nil {
			return body, nil
		}
	}

	var problem *rpc.Error
	if errors.As(err, &problem) {
		return nil, problem
	}

	slog.ErrorContext(ctx, "method failed", "method", bounded(r.Method), "error", err.Error())
	return nil, &rpc.Error{
		Status:  http.StatusInternalServerError,
		Code:    rpc.CodeInternal,
		Message: "Something failed on our side. Try again.",
	}
}

// method finds what both eras have, and what only one has.
func (e *Engine) method(r *Request) (Method, bool) {
	if method, ok := e.Methods[r.Method]; ok {
		return method, true
	}
	switch {
	case r.Version == Modern && r.Method == "server/discover":
		return Method{Run: e.discover, Cached: listTTL}, true
	case r.Version != Modern && r.Method == "initialize":
		return Method{Run: e.initialize, Cached: NotCached}, true
	case r.Version != Modern && r.Method == "ping":
		return Method{
			Run: func(context.Context, *Request) (any, error) {
				return struct{}{}, nil
			},
			Cached: NotCached,
		}, true
	}

	return Method{}, false
}

func (e *Engine) initialize(_ context.Context, r *Request) (any, error) {
	asked, _ := r.Text("protocolVersion")
	return struct {
		Version      string         `json:"protocolVersion"`
		Capabilities map[string]any `json:"capabilities"`
		Server       Server         `json:"serverInfo"`
		Instructions string         `json:"instructions,omitempty"`
	}{Negotiate(asked), e.Capabilities, e.Server, e.Instructions}, nil
}

func (e *Engine) discover(context.Context, *Request) (any, error) {
	return struct {
		Versions     []string       `json:"supportedVersions"`
		Capabilities map[string]any `json:"capabilities"`
		Instructions string         `json:"instructions,omitempty"`
	}{Versions, e.Capabilities, e.Instructions}, nil
}

// answer puts a result into its envelope. A modern result has its type, the name of the
// server and the cache lifetime.
func (e *Engine) answer(id json.RawMessage, r *Request, method Method, result any) ([]byte, error) {
	object, err := marshal(result)
	if err != nil {
		return nil, err
	}

	body := make([]byte, 0, len(object)+len(id)+256)
	body = append(append(append(body, `{"jsonrpc":"2.0","id":`...), id...), `,"result":{`...)
	meta, err := e.meta(r, result)
	if err != nil {
		return nil, err
	}

	if r.Version == Modern {
		kind := "complete"
		if other, ok := result.(interface{ ResultType() string }); ok {
			kind = other.ResultType() // input_required: the client answers first (multi round-trip requests)
		}
		body = append(append(append(body, `"resultType":"`...), kind...), `",`...)
		if method.Cached >= 0 {
			body = append(strconv.AppendInt(append(body, `"ttlMs":`...), int64(method.Cached), 10), `,"cacheScope":"private",`...)
		}
	}

	if meta != nil {
		body = append(append(body, `"_meta":`...), meta...)
		if len(object) > 2 {
			body = append(body, ',')
		}
	}

	return append(append(body, object[1:]...), '}'), nil
}

func marshal(result any) ([]byte, error) {
	if own, ok := result.(interface {
		AppendJSON([]byte) ([]byte, error)
	}); ok {
		return own.AppendJSON(nil)
	}
	return json.Marshal(result)
}

// meta returns _meta of a result: its own members and, for modern clients, the name of the
// server. It is nil if empty.
func (e *Engine) meta(r *Request, result any) ([]byte, error) {
	var members map[string]any
	if own, ok := result.(interface{ ResultMeta() map[string]any }); ok {
		members = own.ResultMeta()
	}
	if r.Version != Modern && len(members) == 0 {
		return nil, nil
	}

	all := map[string]any{}
	maps.Copy(all, members)
	if r.Version == Modern {
		all[metaServer] = e.Server
	}
	return json.Marshal(all)
}

// Progress sends the progress of the work to a client that asked for it, if the transport
// can. It skips values that do not grow.
func (r *Request) Progress(done, total int, text string) {
	token := r.meta.get(metaProgress)
	if r.Call.Notify == nil || isNull(token) || !isID(token) {
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if done < r.progress {
		return
	}
	r.progress = done + 1
	type params struct {
		Token   json.RawMessage `json:"progressToken"`
		Done    int             `json:"progress"`
		Total   int             `json:"total,omitempty"`
		Message string          `json:"message,omitempty"`
	}

	notification, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", "notifications/progress", params{token, done, total, text}})
	if err == nil {
		r.Call.Notify(notification)
	}
}

// bounded cuts foreign text for messages and logs.
func bounded(text string) string {
	if len(text) > 64 {
		return text[:64]
	}
	return text
}
