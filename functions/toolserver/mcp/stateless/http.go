package stateless

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/eventstream"
	"governance.internal/functions/toolserver/mcp/rpc"
)

// ServeHTTP answers POST with a message as its body. The answer is JSON, or a stream of
// events if the client accepts one and the work reports progress or takes long. Every error
// is a JSON-RPC message.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		rpc.Refuse(w, &rpc.Error{
			Status:  http.StatusMethodNotAllowed,
			Code:    rpc.CodeRefused,
			Message: "Send each message with POST; there are no sessions here and no stream to open.",
		})

		return
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		rpc.Refuse(w, problem)
		return
	}

	// The whole request is read; its read deadline must not end a long call.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	call := Call{
		Body:      body,
		Header:    r.Header,
		Query:     r.URL.Query(),
		Transport: "mcp",
	}

	if !streams(r.Header) {
		write(w, e.Handle(r.Context(), call))
		return
	}

	e.stream(w, r, call)
}

// stream answers with events if the work reports progress, or is still running when the
// first keep-alive is due; otherwise with plain JSON.
func (e *Engine) stream(w http.ResponseWriter, r *http.Request, call Call) {
	stream := eventstream.New(w)
	call.Notify = func(message []byte) {
		_ = stream.Event("message", message)
	} // a client that is gone ends the context
	stop := stream.KeepAlive(cmp.Or(e.keepAlive, eventstream.Interval))
	reply := e.Handle(r.Context(), call)
	stop()

	if !stream.Opened() {
		write(w, reply)
		return
	}

	_ = stream.Event("message", reply.Body)
}

// streams reports whether the client takes a stream as the answer.
func streams(header http.Header) bool {
	return strings.Contains(strings.Join(header.Values("Accept"), ","), "text/event-stream")
}

func write(w http.ResponseWriter, reply Reply) {
	rpc.Write(w, reply.Status, reply.Body)
}
