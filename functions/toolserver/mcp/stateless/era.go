package stateless

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/mcp/rpc"
)

// The revisions of MCP that are served. Modern requests name theirs in each
// message; the others negotiate it by initialize, or say nothing.
const (
	Modern   = "2026-07-28"
	Fallback = "2024-11-05" // the answer to initialize without a version that we know
)

// Legacy are the revisions with a handshake, the oldest first.
var Legacy = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// Versions are all that are served, the newest first.
var Versions = []string{Modern, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Members of a modern request's _meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaProgress     = "progressToken"
)

// era finds the revision of a message and checks what the revision demands of
// _meta and headers (2026-07-28, basic/transports/streamable-http).
func (e *Engine) era(m message, header http.Header) (version string, problem *rpc.Error) {
	named := m.meta.get(metaVersion)
	hasMeta := m.meta.get(metaVersion) != nil
	asked := header.Get("MCP-Protocol-Version")
	if m.method == "initialize" && !hasMeta {
		return Fallback, nil
	}

	switch {
	case hasMeta || asked == Modern: // modern
	case slices.Contains(Legacy, asked):
		return asked, nil
	case asked != "":
		return "", unsupported(asked)
	case header.Get("Mcp-Method") == "":
		return "2025-03-26", nil // what a request without a version counts as since 2025-06-18
	}

	version, ok := stringOf(named)
	if !ok {
		return "", malformedMeta(metaVersion + " must name the protocol version.")
	}
	if _, object, err := split(m.meta.get(metaCapabilities)); !object || err != nil {
		return "", malformedMeta(metaCapabilities + " must be an object.")
	}
	if header != nil && asked != version {
		return "", mismatch("MCP-Protocol-Version must be " + metaVersion + " of _meta.")
	}
	if version != Modern {
		return "", unsupported(version)
	}
	if header == nil {
		return version, nil
	}

	return version, e.mirrored(m, header)
}

// mirrored checks that the headers that repeat parts of the body agree with it, because
// proxies route by these headers.
func (e *Engine) mirrored(m message, header http.Header) *rpc.Error {
	if method, ok := plain(header.Get("Mcp-Method")); !ok || method != m.method {
		return mismatch("Mcp-Method must be the method of the message.")
	}
	member := e.Methods[m.method].Name
	if member == "" {
		return nil
	}

	want, _ := stringOf(m.params.get(member))
	if name, ok := plain(header.Get("Mcp-Name")); !ok || name != want {
		return mismatch("Mcp-Name must be params." + member + ".")
	}
	return nil
}

// plain decodes a header value of the form =?base64?…?=.
func plain(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	inner, ok = strings.CutSuffix(inner, "?=")
	decoded, err := base64.StdEncoding.DecodeString(inner)
	return string(decoded), ok && err == nil
}

func malformedMeta(message string) *rpc.Error {
	return &rpc.Error{
		Status:  http.StatusBadRequest,
		Code:    rpc.CodeInvalidParams,
		Message: message,
	}
}

func mismatch(message string) *rpc.Error {
	return &rpc.Error{
		Status:  http.StatusBadRequest,
		Code:    rpc.CodeHeaderMismatch,
		Message: message,
	}
}

func unsupported(version string) *rpc.Error {
	return &rpc.Error{
		Status:  http.StatusBadRequest,
		Code:    rpc.CodeUnsupportedVersion,
		Message: "This protocol version is not supported.",
		Data:    map[string]any{"supported": Versions, "requested": version},
	}
}

// Negotiate answers initialize: the version that the client asks for if it is a
// known one, else that of the contract.
func Negotiate(asked string) string {
	if slices.Contains(Legacy, asked) {
		return asked
	}
	return Fallback
}
