// Package httpapi turns a typed function into an http.Handler with the features that
// all routes share: a request id, bounded bodies, one form of errors, and recovery
// from panics.
//
// A caller sees only the text of an [Error]. Any other error becomes a 500 with the
// request id, and its text is logged.
package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
)

// Response is a complete answer. It is a value so that a paid answer can be
// withheld until its payment is settled, stored, and sent again byte for byte.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON is a 200 answer with v as indented JSON and a final newline.
func JSON(v any) (Response, error) {
	return JSONStatus(http.StatusOK, v)
}

// JSONStatus is [JSON] with another status.
func JSONStatus(status int, v any) (Response, error) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return Response{}, err
	}
	return Response{
		Status: status,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   append(body, '\n'),
	}, nil
}

// Text is a 200 answer of a textual media type in UTF-8.
func Text(mediaType string, body []byte) Response {
	return Response{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {mediaType + "; charset=utf-8"}},
		Body:   body,
	}
}

// Write sends the answer.
func (r Response) Write(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range r.Header {
		header[name] = values
	}
	header.Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body) // fails if the client has disconnected
}

// Handle adapts fn. An error of fn is answered as problem JSON.
func Handle(fn func(*http.Request) (Response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := fn(r)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		answer.Write(w)
	})
}

// Static answers every request with the same value, rendered once at start. A
// value that cannot be rendered panics at start.
func Static(answer Response, err error) http.Handler {
	if err != nil {
		panic(err)
	}
	return Handle(func(*http.Request) (Response, error) { return answer, nil })
}

type requestIDKey struct{}

// RequestID is the id that [Middleware] gave to the request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
