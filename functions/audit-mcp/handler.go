// Package auditmcp sells the lint of MCP client configurations:
// POST /x402/audit-mcp.
package auditmcp

import (
	"context"
	"errors"
	"net/http"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/lint"
	"governance.internal/shared/x402"
)

// New returns the handler. A document that cannot be linted is a 400 before any
// payment is reserved.
func New(gate *x402.Gate) http.Handler {
	return gate.Sell("audit-mcp", func(call x402.Call) (x402.Work, error) {
		result, err := lint.Lint(call.Body)
		var input *lint.InputError
		if errors.As(err, &input) {
			return nil, &httpapi.Error{
				Status: http.StatusBadRequest,
				Code:   input.Code,
				Detail: input.Detail,
			}
		}

		if err != nil {
			return nil, err
		}
		return func(context.Context) (httpapi.Response, error) {
			return httpapi.JSON(result)
		}, nil
	})
}
