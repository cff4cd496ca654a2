package rpc

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// MaxBody is the largest message in bytes.
const MaxBody = 1 << 20

// ReadBody reads a message of at most [MaxBody] bytes.
func ReadBody(r *http.Request) ([]byte, *Error) {
	reader := http.MaxBytesReader(nil, r.Body, MaxBody)
	if r.ContentLength > 0 && r.ContentLength <= MaxBody {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(reader, body); err == nil {
			return body, nil
		}
		return nil, InvalidRequest("The body ended before its announced length. Send it again.")
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
		return nil, InvalidRequest("The body ended too early. Send it again.")
	}

	return body, nil
}

// Refuse answers with an error without an id.
func Refuse(w http.ResponseWriter, problem *Error) {
	RefuseMessage(w, nil, problem)
}

// RefuseMessage answers a message with an error.
func RefuseMessage(w http.ResponseWriter, id json.RawMessage, problem *Error) {
	Write(w, problem.Status, problem.Body(id))
}

// Write answers with a message; a nil body is none.
func Write(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if body != nil {
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}

	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}
