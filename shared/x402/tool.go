package x402

import (
	"net/http"

	"governance.internal/shared/catalog"
)

// Members of _meta that carry payments over MCP (x402, transports-v2/mcp.md).
const (
	MetaPayment  = "x402/payment"          // of a call: a PaymentPayload
	MetaResponse = "x402/payment-response" // of a result: a SettleResponse
)

// ToolResource names a tool of an MCP server in terms and payments.
func ToolResource(name string) string { return "mcp://tool/" + name }

// maxToolBody is the longest call of a tool, in bytes.
const maxToolBody = 1 << 20

// SellTool returns the handler of a paid tool: that of a product at the same price,
// for another resource, so that a payment for the one never buys the other.
//
// The caller translates: a call is a POST to [ToolResource] with the arguments as
// its body and the payment in [HeaderSignature]; the answer is that of the product.
func (g *Gate) SellTool(name string, product catalog.Endpoint, prepare Prepare) http.Handler {
	product.Method = http.MethodPost
	product.Request = name
	product.MaxBody = maxToolBody
	product.Variable = false
	terms := Terms{
		Site:     g.Site,
		Endpoint: product,
		Price:    product.Price,
		Resource: ToolResource(name),
		Tool:     true,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.serve(w, r, terms, nil, prepare)
	})
}
