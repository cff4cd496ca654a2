package dispatcher

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/eventstream"
)

// MaxBody is the largest message in bytes.
const MaxBody = 1 << 20

// ServeHTTP answers POST with a message as its body. The answer is JSON; it is a
// stream of events when the client takes one and there is progress to tell or the
// work takes long. Every error is a JSON-RPC message.
func (d *Dispatcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		Refuse(w, &Error{
			Status:  http.StatusMethodNotAllowed,
			Code:    CodeRefused,
			Message: "Send each message with POST; there are no sessions here and no stream to open.",
		})

		return
	}

	body, problem := ReadBody(r)
	if problem != nil {
		Refuse(w, problem)
		return
	}

	// The whole request is here; a long call must not end with the time for reading it.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	call := Call{
		Body:      body,
		Header:    r.Header,
		Query:     r.URL.Query(),
		Transport: "mcp",
	}

	if !streams(r.Header) {
		write(w, d.Handle(r.Context(), call))
		return
	}

	d.stream(w, r, call)
}

// stream answers with events if the work has something to tell before its end, or
// has not ended when the first keep-alive is due; else with plain JSON.
func (d *Dispatcher) stream(w http.ResponseWriter, r *http.Request, call Call) {
	stream := eventstream.New(w)
	call.Notify = func(message []byte) {
		_ = stream.Event("message", message)
	} // a client that is gone ends the context
	stop := stream.KeepAlive(cmp.Or(d.keepAlive, eventstream.Interval))
	reply := d.Handle(r.Context(), call)
	stop()

	if !stream.Opened() {
		write(w, reply)
		return
	}

	_ = stream.Event("message", reply.Body)
}

// streams says whether the client takes a stream as the answer.
func streams(header http.Header) bool {
	return strings.Contains(strings.Join(header.Values("Accept"), ","), "text/event-stream")
}

// ReadBody reads a message of at most [MaxBody] bytes.
func ReadBody(r *http.Request) ([]byte, *Error) {
	reader := http.MaxBytesReader(nil, r.Body, MaxBody)
	if r.ContentLength > 0 && r.ContentLength <= MaxBody {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(reader, body); err == nil {
			return body, nil
		}
		return nil, invalidRequest("The body ended before its announced length. Send it again.")
	}

	body, err := io.ReadAll(reader)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &Error{
			Status:  http.StatusRequestEntityTooLarge,
			Code:    CodeInvalidRequest,
			Message: "The message is longer than " + strconv.Itoa(MaxBody) + " bytes.",
		}
	case err != nil:
		return nil, invalidRequest("The body ended too early. Send it again.")
	}

	return body, nil
}

// Refuse answers with an error without an id.
func Refuse(w http.ResponseWriter, problem *Error) {
	RefuseMessage(w, nil, problem)
}

// RefuseMessage answers a message with an error.
func RefuseMessage(w http.ResponseWriter, id json.RawMessage, problem *Error) {
	write(w, Reply{problem.Status, problem.Body(id)})
}

func write(w http.ResponseWriter, reply Reply) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if reply.Body != nil {
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(len(reply.Body)))
	}

	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // the client may be gone
}
