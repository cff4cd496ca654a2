package middleware

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// Sell puts the payment gate of the HTTP API in front of a tool that names a product:
// the same order of steps, the same store of payments. A call without a payment gets
// the terms as its result (x402, transports-v2/mcp.md). Without a gate every tool is
// free.
func Sell(gate *x402.Gate) Decorator {
	return func(t *tool.Tool) *tool.Tool {
		if gate == nil || t.Product == (tool.Product{}) {
			return t
		}

		product, _ := catalog.Lookup(t.Product.Method, t.Product.Path) // a test holds that it is there
		handler := gate.SellTool(t.Name, product, func(c x402.Call) (x402.Work, error) {
			return func(ctx context.Context) (httpapi.Response, error) {
				return work(ctx, t, c.Body)
			}, nil
		})

		paid := *t
		paid.Description += " Costs " + product.PriceText() + " by x402."
		paid.Run = func(ctx context.Context, call *tool.Call) tool.Result {
			request, err := purchase(ctx, t.Name, call)
			if err != nil {
				return tool.Failure(&tool.Error{
					Code:    "invalid_argument",
					Message: "The arguments are not JSON.",
				})
			}

			answer := &answer{header: http.Header{}}
			handler.ServeHTTP(answer, request)
			return answer.result()
		}

		return &paid
	}
}

// work runs the tool. What it refuses costs nothing.
func work(ctx context.Context, t *tool.Tool, arguments []byte) (httpapi.Response, error) {
	result := t.Run(ctx, &tool.Call{Arguments: arguments, Transport: "paid"})
	if e := result.Err; e != nil {
		status := http.StatusInternalServerError
		switch e.Code {
		case "invalid_argument", "too_large":
			status = http.StatusBadRequest
		case "unavailable", "timeout":
			status = http.StatusServiceUnavailable
		}

		members := map[string]any{"hint": e.Hint}
		if e.Field != "" {
			members["field"] = e.Field
		}

		return httpapi.Response{}, &httpapi.Error{
			Status:  status,
			Code:    e.Code,
			Detail:  e.Message,
			Members: members,
		}
	}

	return httpapi.Response{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   result.Structured,
	}, nil
}

// purchase is a call in the form that the gate takes. The arguments are written without
// spaces, so that a client may format them differently when it retries.
func purchase(ctx context.Context, name string, call *tool.Call) (*http.Request, error) {
	given := call.Arguments
	if len(given) == 0 {
		given = json.RawMessage("{}")
	}

	var arguments bytes.Buffer
	if err := json.Compact(&arguments, given); err != nil {
		return nil, err
	}

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, x402.ToolResource(name), &arguments)
	if err == nil && call.Payment != nil {
		request.Header.Set(x402.HeaderSignature, base64.StdEncoding.EncodeToString(call.Payment))
	}

	return request, err
}

// answer is the gate's answer on its way to a result. It implements
// http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header    { return a.header }
func (a *answer) WriteHeader(status int) { a.status = status }
func (a *answer) Write(text []byte) (int, error) {
	return a.body.Write(text)
}

// result translates: an answer to the tool's, a 402 to the terms, and everything
// else to an error, so that no client takes it for a reason to pay again.
func (a *answer) result() tool.Result {
	body := json.RawMessage(bytes.TrimSpace(a.body.Bytes()))
	result := tool.Result{
		Content: []any{tool.Text{
			Type: "text",
			Text: string(body),
		}},
		Structured: body,
	}

	switch a.status {
	case http.StatusOK:
	case http.StatusPaymentRequired:
		result.IsError, result.Err = true, &tool.Error{Code: "payment_required"}
	default:
		result = a.failure()
	}

	if settled := cmp.Or(a.header.Get(x402.HeaderResponse), a.header.Get(x402.HeaderResponseV1)); settled != "" {
		var response any
		if x402.DecodeHeader(settled, &response) == nil { // the gate's own
			result.Meta = map[string]any{x402.MetaResponse: response}
		}
	}

	return result
}

// failure is the problem of the gate (RFC 9457) as the tools tell theirs.
func (a *answer) failure() tool.Result {
	var problem struct {
		Code, Detail, Hint, Field string
	}
	if err := json.Unmarshal(a.body.Bytes(), &problem); err != nil { // the gate's own
		problem.Code, problem.Detail = "internal", "Something failed on our side."
	}

	return tool.Failure(&tool.Error{
		Code:    problem.Code,
		Message: problem.Detail,
		Hint:    problem.Hint,
		Field:   problem.Field,
	})
}
