package dispatcher

import (
	"encoding/json"
	"net/http"
)

// Codes of JSON-RPC 2.0 and of MCP 2026-07-28.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeRefused            = -32000 // by the front: origin, token, limits
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// Error is a JSON-RPC error and the HTTP status that goes with it.
type Error struct {
	Status  int    `json:"-"`
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Body is the JSON-RPC message of the error; id nil means that none could be read.
func (e *Error) Body(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}

	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *Error          `json:"error"`
	}{"2.0", id, e})
	if err != nil { // data of ours always marshals
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return body
}

func invalidRequest(message string) *Error {
	return &Error{
		Status:  http.StatusBadRequest,
		Code:    CodeInvalidRequest,
		Message: message,
	}
}

// InvalidParams is the error of parameters that a method cannot use.
func InvalidParams(message string) *Error {
	return &Error{
		Status:  http.StatusOK,
		Code:    CodeInvalidParams,
		Message: message,
	}
}

// message is one JSON-RPC message.
type message struct {
	id     json.RawMessage // nil for a notification
	method string          // "" for a response of the client
	params members
	meta   members // params._meta
}

// parse reads a body. The id is set even with an error if it could be read.
func parse(body []byte) (m message, problem *Error) {
	if err := check(body); err != nil {
		return m, &Error{
			Status:  http.StatusBadRequest,
			Code:    CodeParse,
			Message: "The body is " + err.Error() + ".",
		}
	}

	envelope, object, err := split(body)
	if err != nil {
		return m, invalidRequest("The message is refused: " + err.Error() + ".")
	}
	if !object {
		return m, invalidRequest("Send one JSON-RPC object; batches are not part of MCP since 2025-06-18.")
	}

	if m.id = envelope.get("id"); m.id != nil && !isID(m.id) {
		m.id = nil
		return m, invalidRequest("id must be a string or an integer.")
	}

	if version, _ := stringOf(envelope.get("jsonrpc")); version != "2.0" {
		return m, invalidRequest(`jsonrpc must be "2.0".`)
	}
	if envelope.get("method") == nil &&
		(envelope.get("result") != nil || envelope.get("error") != nil) {
		return m, nil
	}

	method, ok := stringOf(envelope.get("method"))
	if !ok || method == "" {
		return m, invalidRequest("method must be a string.")
	}

	m.method = method
	return m, m.readParams(envelope.get("params"))
}

func (m *message) readParams(params json.RawMessage) *Error {
	var object bool
	var err error
	if isNull(params) {
		return nil
	}

	if m.params, object, err = split(params); err != nil || !object {
		return &Error{
			Status:  http.StatusBadRequest,
			Code:    CodeInvalidParams,
			Message: "params must be an object with each member once.",
		}
	}

	meta := m.params.get("_meta")
	if isNull(meta) {
		return nil
	}

	if m.meta, object, err = split(meta); err != nil || !object {
		return &Error{
			Status:  http.StatusBadRequest,
			Code:    CodeInvalidParams,
			Message: "_meta must be an object with each member once.",
		}
	}

	return nil
}

// isID takes the ids of MCP: texts and whole numbers, never null.
func isID(id json.RawMessage) bool {
	if _, text := stringOf(id); text {
		return true
	}
	for i, c := range id {
		if (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return true
}

// CheckMessage refuses a body that is no JSON-RPC message, for transports that
// hand it on. The id is that of the message, nil if none could be read.
func CheckMessage(body []byte) (id json.RawMessage, problem *Error) {
	m, problem := parse(body)
	return m.id, problem
}
