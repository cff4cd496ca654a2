// Package paid has the tools that sell products of the HTTP API. A call is forwarded with its
// payment, so that terms, price, receipt and answer are those of the product itself.
//
// Only a client that chooses the toolset gets these tools: they cost money.
package paid

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/mcp/tool/purchase"
	"governance.internal/shared/catalog"
)

// Products are where the paid tools buy.
type Products struct {
	Address string // base URL of the HTTP API; "" for none
	Client  *http.Client
}

// patience is longer than the HTTP API takes for a sale.
const patience = 60 * time.Second

// At are the products of the HTTP API at an address.
func At(address string) Products {
	return Products{
		Address: strings.TrimRight(address, "/"),
		Client: &http.Client{
			Timeout: patience,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a payment goes to the address that is configured
			},
		},
	}
}

// mostAnswer is more than the HTTP API answers, in bytes.
const mostAnswer = 8 << 20

// sell makes a tool of a product. Input has the members of the product's body.
func sell[Input any](p Products, path string, t tool.Tool) *tool.Tool {
	product, _ := catalog.Lookup(http.MethodPost, path) // a test holds that it is there
	t.Toolset = "paid"
	t.Forwarded = true
	t.Hints = tool.Hints{ReadOnly: true, OpenWorld: true}
	t.Description += " Costs " + product.PriceText() + " by x402."

	checked := tool.Define(t, func(context.Context, *tool.Call, Input) (struct{}, error) {
		return struct{}{}, nil
	})
	check := checked.Run
	checked.Output = json.RawMessage(`{"type":"object"}`) // OpenAPI describes that of the product
	checked.Run = func(ctx context.Context, call *tool.Call) tool.Result {
		if result := check(ctx, call); result.IsError {
			return result
		}
		return p.buy(ctx, path, call)
	}
	return checked
}

func (p Products) buy(ctx context.Context, path string, call *tool.Call) tool.Result {
	if p.Address == "" {
		return tool.Failure(&tool.Error{
			Code:    "unavailable",
			Message: "This server does not know the HTTP API that sells the product.",
			Hint:    "Run the whole service with `governance serve`, or call the HTTP API itself.",
		})
	}

	request, err := purchase.Request(ctx, p.Address+path, call)
	if err != nil {
		return tool.Failure(&tool.Error{
			Code:    "invalid_argument",
			Message: "The arguments are not JSON.",
		})
	}

	answer, err := p.Client.Do(request)
	if err != nil {
		return unreachable(err)
	}
	defer answer.Body.Close()

	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return unreachable(err)
	}
	return purchase.Result(answer.StatusCode, answer.Header, body)
}

// unreachable says that the outcome is not known: the product may have been charged.
func unreachable(err error) tool.Result {
	return tool.Failure(&tool.Error{
		Code:    "unavailable",
		Message: fmt.Sprintf("The HTTP API did not answer: %v.", err),
		Hint:    "Send the same call with the same payment again: it is charged once at most.",
	})
}
