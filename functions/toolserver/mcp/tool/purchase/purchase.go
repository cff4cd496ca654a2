// Package purchase carries a paid call of MCP to the HTTP API and the answer back (x402,
// transports-v2/mcp.md): the payment is a member of the call's _meta, the terms of an unpaid
// call are its result.
package purchase

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/x402"
)

// Request is a call in the form that the gate takes: a POST with the arguments as its body. The
// arguments are written without spaces, so that a client may format them differently when it
// retries. The error is that of arguments that are not JSON.
func Request(ctx context.Context, address string, call *tool.Call) (*http.Request, error) {
	given := call.Arguments
	if len(given) == 0 {
		given = json.RawMessage("{}")
	}

	var arguments bytes.Buffer
	if err := json.Compact(&arguments, given); err != nil {
		return nil, err
	}

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, &arguments)
	if err != nil {
		return nil, err
	}

	request.Header.Set("Content-Type", "application/json")
	if call.Payment != nil {
		request.Header.Set(x402.HeaderSignature, base64.StdEncoding.EncodeToString(call.Payment))
	}
	return request, nil
}

// Result translates an answer of the gate: an answer to the tool's, a 402 to the terms, and
// everything else to an error, so that no client takes it for a reason to pay again.
func Result(status int, header http.Header, body []byte) tool.Result {
	document := json.RawMessage(bytes.TrimSpace(body))
	result := tool.Result{
		Content: []any{tool.Text{
			Type: "text",
			Text: string(document),
		}},
		Structured: document,
	}

	switch status {
	case http.StatusOK:
	case http.StatusPaymentRequired:
		result.IsError, result.Err = true, &tool.Error{Code: "payment_required"}
	default:
		result = failure(document)
	}

	if settled := cmp.Or(header.Get(x402.HeaderResponse), header.Get(x402.HeaderResponseV1)); settled != "" {
		var response any
		if x402.DecodeHeader(settled, &response) == nil { // the gate's own
			result.Meta = map[string]any{x402.MetaResponse: response}
		}
	}
	return result
}

// failure is the problem of the gate (RFC 9457) as the tools tell theirs.
func failure(document []byte) tool.Result {
	var problem struct {
		Code, Detail, Hint, Field string
	}
	if err := json.Unmarshal(document, &problem); err != nil || problem.Code == "" {
		problem.Code, problem.Detail = "internal", "Something failed on our side."
	}

	return tool.Failure(&tool.Error{
		Code:    problem.Code,
		Message: problem.Detail,
		Hint:    problem.Hint,
		Field:   problem.Field,
	})
}
