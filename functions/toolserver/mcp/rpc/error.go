// Package rpc holds the shared parts of JSON-RPC over HTTP: the errors with their HTTP
// statuses, and functions that read and refuse messages.
package rpc

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

// InvalidRequest is the error of a body that is no request.
func InvalidRequest(message string) *Error {
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
