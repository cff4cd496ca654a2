package stateless

import (
	"encoding/json"
	"net/http"

	"governance.internal/functions/toolserver/mcp/rpc"
)

// message is one JSON-RPC message.
type message struct {
	id     json.RawMessage // nil for a notification
	method string          // "" for a response of the client
	params members
	meta   members // params._meta
}

// parse reads a body. The id is set even with an error if it could be read.
func parse(body []byte) (m message, problem *rpc.Error) {
	if err := check(body); err != nil {
		return m, &rpc.Error{
			Status:  http.StatusBadRequest,
			Code:    rpc.CodeParse,
			Message: "The body is " + err.Error() + ".",
		}
	}

	envelope, object, err := split(body)
	if err != nil {
		return m, rpc.InvalidRequest("The message is refused: " + err.Error() + ".")
	}
	if !object {
		return m, rpc.InvalidRequest("Send one JSON-RPC object; batches are not part of MCP since 2025-06-18.")
	}

	if m.id = envelope.get("id"); m.id != nil && !isID(m.id) {
		m.id = nil
		return m, rpc.InvalidRequest("id must be a string or an integer.")
	}

	if version, _ := stringOf(envelope.get("jsonrpc")); version != "2.0" {
		return m, rpc.InvalidRequest(`jsonrpc must be "2.0".`)
	}
	if envelope.get("method") == nil &&
		(envelope.get("result") != nil || envelope.get("error") != nil) {
		return m, nil
	}

	method, ok := stringOf(envelope.get("method"))
	if !ok || method == "" {
		return m, rpc.InvalidRequest("method must be a string.")
	}

	m.method = method
	return m, m.readParams(envelope.get("params"))
}

func (m *message) readParams(params json.RawMessage) *rpc.Error {
	var object bool
	var err error
	if isNull(params) {
		return nil
	}

	if m.params, object, err = split(params); err != nil || !object {
		return &rpc.Error{
			Status:  http.StatusBadRequest,
			Code:    rpc.CodeInvalidParams,
			Message: "params must be an object with each member once.",
		}
	}

	meta := m.params.get("_meta")
	if isNull(meta) {
		return nil
	}

	if m.meta, object, err = split(meta); err != nil || !object {
		return &rpc.Error{
			Status:  http.StatusBadRequest,
			Code:    rpc.CodeInvalidParams,
			Message: "_meta must be an object with each member once.",
		}
	}

	return nil
}

// isID accepts the ids of MCP: strings and integers, not null.
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

// CheckMessage refuses a body that is not a JSON-RPC message, for transports that forward
// it. The id is that of the message, nil if none could be read.
func CheckMessage(body []byte) (id json.RawMessage, problem *rpc.Error) {
	m, problem := parse(body)
	return m.id, problem
}
