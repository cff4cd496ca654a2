package middleware

import (
	"bytes"
	"context"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/mcp/tool/purchase"
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
			request, err := purchase.Request(ctx, x402.ToolResource(t.Name), call)
			if err != nil {
				return tool.Failure(&tool.Error{
					Code:    "invalid_argument",
					Message: "The arguments are not JSON.",
				})
			}

			answer := &answer{header: http.Header{}}
			handler.ServeHTTP(answer, request)
			return purchase.Result(answer.status, answer.header, answer.body.Bytes())
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
