package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Error is an error for the caller, sent as application/problem+json
// (RFC 9457). Detail says what is wrong and what to do about it.
type Error struct {
	Status     int            // HTTP status
	Code       string         // stable snake_case name, the member "code"
	Detail     string         // for a person
	RetryAfter time.Duration  // sent as Retry-After in whole seconds when positive
	Members    map[string]any // further members of the problem object
}

func (e *Error) Error() string {
	return e.Code + ": " + e.Detail
}

// NotCharged marks an error of a paid route: the caller did not pay for it and
// may use the same payment again.
func NotCharged(e *Error) *Error {
	members := map[string]any{"charged": false}
	for name, value := range e.Members {
		members[name] = value
	}
	with := *e
	with.Members = members
	return &with
}

// Problem renders err. Any error but an [Error] becomes a 500 with only the
// request id.
func Problem(r *http.Request, err error) Response {
	var known *Error
	if !errors.As(err, &known) {
		known = Internal(r, err)
	}
	return known.response(r)
}

// Internal logs err and returns the 500 for it.
func Internal(r *http.Request, err error) *Error {
	slog.ErrorContext(r.Context(), "request failed",
		"request_id", RequestID(r.Context()), "method", r.Method, "path", r.URL.Path, "error", err.Error())
	return &Error{
		Status: http.StatusInternalServerError,
		Code:   "internal",
		Detail: "Something failed on our side. Quote the request id when you report it.",
	}
}

func (e *Error) response(r *http.Request) Response {
	object := map[string]any{}
	for name, value := range e.Members {
		object[name] = value
	}

	object["type"] = "about:blank"
	object["title"] = http.StatusText(e.Status)
	object["status"] = e.Status
	object["code"] = e.Code
	object["detail"] = e.Detail
	if id := RequestID(r.Context()); id != "" {
		object["request_id"] = id
	}

	body, err := json.MarshalIndent(object, "", "  ")
	if err != nil { // cannot happen with the members of this service
		body = []byte(`{"type":"about:blank","status":500,"code":"internal"}`)
	}

	header := http.Header{
		"Content-Type":  {"application/problem+json"},
		"Cache-Control": {"no-store"},
	}

	if e.RetryAfter > 0 {
		seconds := int((e.RetryAfter + time.Second - 1) / time.Second)
		header.Set("Retry-After", strconv.Itoa(seconds))
	}

	return Response{
		Status: e.Status,
		Header: header,
		Body:   append(body, '\n'),
	}
}

// WriteError sends [Problem].
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	Problem(r, err).Write(w)
}
