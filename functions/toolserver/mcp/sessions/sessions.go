// Package sessions serves the transport of MCP 2024-11-05: GET /sse opens a stream
// of events and POST /message sends messages to its session. The session itself is
// that of the official SDK; the stream, its limits and its end are ours.
package sessions

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/functions/toolserver/mcp/eventstream"
	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/stateless"
)

// Limits of the sessions of one process.
const (
	maxSessions = 10_000
	maxWaiting  = 64 // messages of one session that are not answered yet
)

// Hub keeps the open sessions.
type Hub struct {
	endpoint string // path that messages are posted to, with the prefix of the service
	server   func(*http.Request) (*mcp.Server, error)
	random   io.Reader
	interval time.Duration
	others   Others
	own      Own

	mu       sync.Mutex
	sessions map[string]*session
	draining bool
	idle     *sync.Cond // broadcast when a session ends or a call was answered
}

// Others are the tasks beside this one.
type Others interface {
	// SessionID makes the id of a session of this task from a random text.
	SessionID(random string) string
	// Forward sends a message to the task that owns its session and writes the answer;
	// it returns false, and writes nothing, if there is none.
	Forward(w http.ResponseWriter, r *http.Request, id string) bool
}

// Share makes the hub one of several, which hand each other the messages of their
// sessions. Call it before the first session is opened.
func (h *Hub) Share(others Others) { h.others = others }

// Own answers a message without the SDK; ours is false if the SDK must answer it.
type Own func(stateless.Call) (answer func(context.Context) []byte, ours bool)

// AnswerBy lets another engine answer what it can. Call it before the first session is
// opened.
func (h *Hub) AnswerBy(own Own) { h.own = own }

// New makes a hub. Clients post to the path endpoint. The request that opens a session
// chooses its server.
func New(endpoint string, random io.Reader, server func(*http.Request) (*mcp.Server, error)) *Hub {
	h := &Hub{
		endpoint: endpoint,
		server:   server,
		random:   random,
		interval: eventstream.Interval,
		sessions: map[string]*session{},
	}
	h.idle = sync.NewCond(&h.mu)
	return h
}

// Count is the number of open sessions.
func (h *Hub) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// Open answers GET /sse until the client disconnects or the session ends.
func (h *Hub) Open(w http.ResponseWriter, r *http.Request) {
	chosen, err := h.server(r)
	if err != nil {
		rpc.Refuse(w, &rpc.Error{
			Status:  http.StatusBadRequest,
			Code:    rpc.CodeInvalidRequest,
			Message: err.Error(),
		})
		return
	}

	s := &session{
		hub:      h,
		stream:   eventstream.New(w),
		incoming: make(chan jsonrpc.Message, maxWaiting),
		waiting:  map[jsonrpc.ID]bool{},
		done:     make(chan struct{}),
		owner:    caller.Of(r.Context()),
		opened: stateless.Call{
			Header:    r.Header,
			Query:     r.URL.Query(),
			Transport: "sse",
		},
		ctx: r.Context(),
	}
	if problem := h.add(s); problem != nil {
		w.Header().Set("Retry-After", "5")
		rpc.Refuse(w, problem)
		return
	}
	defer h.remove(s)

	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // the read deadline of a request does not apply to a session
	defer s.stream.End()

	server, err := chosen.Connect(r.Context(), s, nil)
	if err != nil {
		slog.WarnContext(r.Context(), "session not opened", "error", err.Error())
		return
	}
	defer server.Close() // waits for the running calls
	defer s.end()        // ends them, since the client is gone

	ticker := time.NewTicker(h.interval)
	defer ticker.Stop()

	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		case <-ticker.C:
			if s.stream.Comment() != nil {
				return
			}
		}
	}
}

// add gives the session its id: 128 random bits, the only key to it.
func (h *Hub) add(s *session) *rpc.Error {
	var raw [16]byte
	if _, err := io.ReadFull(h.random, raw[:]); err != nil {
		return unavailable("No session can be opened right now.")
	}

	s.id = base64.RawURLEncoding.EncodeToString(raw[:])
	if h.others != nil {
		s.id = h.others.SessionID(s.id)
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	if h.draining || len(h.sessions) >= maxSessions {
		return unavailable("The server takes no more sessions right now. Try again, or use POST /mcp, which needs none.")
	}
	h.sessions[s.id] = s
	return nil
}

func unavailable(message string) *rpc.Error {
	return &rpc.Error{
		Status:  http.StatusServiceUnavailable,
		Code:    rpc.CodeRefused,
		Message: message,
	}
}

func (h *Hub) remove(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s.id)
	h.idle.Broadcast()
}

// Message answers POST /message?sessionId=ID. The answer to the message itself
// comes on the stream.
func (h *Hub) Message(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("sessionId")
	h.mu.Lock()
	s := h.sessions[id]
	h.mu.Unlock()
	if s == nil && h.others != nil && h.others.Forward(w, r, id) {
		return
	}

	if s == nil ||
		!s.mayUse(caller.Of(r.Context())) { // another caller gets the same answer as for a guessed id
		rpc.Refuse(w, &rpc.Error{
			Status:  http.StatusNotFound,
			Code:    rpc.CodeRefused,
			Message: "There is no such session (any more). Open one with GET /sse and post to the address that its first event names.",
		})
		return
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		rpc.Refuse(w, problem)
		return
	}

	if id, problem := s.accept(body, r.Header); problem != nil {
		rpc.RefuseMessage(w, id, problem)
		return
	}

	w.WriteHeader(http.StatusAccepted)
}

// Drain takes no more sessions, lets the running calls end and closes all streams.
// It returns when that is done or ctx ends.
func (h *Hub) Drain(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.draining = true
	stop := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		h.idle.Broadcast()
		h.mu.Unlock()
	})
	defer stop()

	for ctx.Err() == nil && h.waiting() > 0 {
		h.idle.Wait()
	}

	for _, s := range h.sessions {
		_ = s.stream.Comment()
		s.end()
	}

	for ctx.Err() == nil && len(h.sessions) > 0 {
		h.idle.Wait()
	}
}

// waiting counts the calls without an answer; the caller holds the lock.
func (h *Hub) waiting() int {
	n := 0
	for _, s := range h.sessions {
		n += len(s.waiting)
	}
	return n
}
