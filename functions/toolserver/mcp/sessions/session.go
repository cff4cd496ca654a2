package sessions

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/functions/toolserver/mcp/eventstream"
	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/stateless"
)

// session is one stream. It is the SDK's transport and its only connection.
type session struct {
	hub      *Hub
	id       string
	stream   *eventstream.Stream
	incoming chan jsonrpc.Message
	done     chan struct{}
	once     sync.Once
	waiting  map[jsonrpc.ID]bool // calls without an answer; guarded by the hub
	owner    string              // the caller who opened it
	opened   stateless.Call      // header and query of the request that opened it
	ctx      context.Context     // ends with the session
}

// mayUse reports whether a caller may send messages of the session.
func (s *session) mayUse(who string) bool {
	return who == s.owner || who == caller.Operator
}

// Connect implements mcp.Transport: the first event says where to post.
func (s *session) Connect(context.Context) (mcp.Connection, error) {
	return s, s.stream.Event("endpoint", []byte(s.hub.endpoint+"?sessionId="+s.id))
}

// SupportsProtocolVersion keeps the SDK from offering a revision that this
// transport is not part of.
func (s *session) SupportsProtocolVersion(version string) bool {
	return version < stateless.Modern
}

// SessionID implements mcp.Connection. The id is a secret and stays out of the SDK.
func (s *session) SessionID() string { return "" }

// accept queues a message of the client. A call counts against the limit until it is
// answered, which stops a client that sends faster than it reads.
func (s *session) accept(body []byte, header http.Header) (id json.RawMessage, problem *rpc.Error) {
	if id, problem = stateless.CheckMessage(body); problem != nil {
		return id, problem
	}
	message, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return id, &rpc.Error{
			Status:  http.StatusBadRequest,
			Code:    rpc.CodeInvalidRequest,
			Message: "The body is not a JSON-RPC message.",
		}
	}

	request, isRequest := message.(*jsonrpc.Request)
	reply, ours := s.answer(body)
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()

	if len(s.waiting) >= maxWaiting || len(s.incoming) == cap(s.incoming) {
		return id, &rpc.Error{
			Status:  http.StatusTooManyRequests,
			Code:    rpc.CodeRefused,
			Message: "Too many calls of this session wait for their answers. Read those first.",
		}
	}

	if isRequest {
		if s.waiting[request.ID] {
			return id, &rpc.Error{
				Status:  http.StatusBadRequest,
				Code:    rpc.CodeInvalidRequest,
				Message: "A call with this id is not answered yet. Each call of a session needs an id of its own.",
			}
		}

		request.Extra = &mcp.RequestExtra{Header: header}
		if request.IsCall() {
			s.waiting[request.ID] = true
		}
	}

	if ours {
		go s.send(request.ID, reply)
		return id, nil
	}

	s.incoming <- message // has room: only accept sends, under the lock
	return id, nil
}

// answer returns the answer that POST /mcp would give; ours is false for a message that the
// SDK must handle.
func (s *session) answer(body []byte) (reply func(context.Context) []byte, ours bool) {
	if s.hub.own == nil {
		return nil, false
	}
	call := s.opened
	call.Body = body
	return s.hub.own(call)
}

// send sends an answer that the SDK has not made.
func (s *session) send(id jsonrpc.ID, reply func(context.Context) []byte) {
	_ = s.stream.Event("message", reply(s.ctx)) // a client that is gone ends the session
	s.answered(id)
}

// answered takes a call from those that wait.
func (s *session) answered(id jsonrpc.ID) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.waiting, id)
	s.hub.idle.Broadcast()
}

// Read implements mcp.Connection.
func (s *session) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.done:
		return nil, io.EOF
	case message := <-s.incoming:
		return message, nil
	}
}

// Write implements mcp.Connection.
func (s *session) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	err = s.stream.Event("message", data)
	if answer, ok := message.(*jsonrpc.Response); ok {
		s.answered(answer.ID)
	}
	return err
}

// Close implements mcp.Connection.
func (s *session) Close() error {
	s.end()
	return nil
}

func (s *session) end() {
	s.once.Do(func() { close(s.done) })
}
