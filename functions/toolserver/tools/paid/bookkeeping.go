package paid

import (
	"encoding/json"

	"governance.internal/functions/toolserver/mcp/tool"
)

type booksInput struct {
	CSV     string          `json:"csv" required:"true" min:"1" max:"900000" doc:"One export of a bank: CSV, OFX or CAMT.053."`
	Options json.RawMessage `json:"options,omitempty" doc:"As in the request of POST /x402/bookkeeping."`
}

// Bookkeeping is the tool bookkeeping. Several files, and larger ones, go to the HTTP API itself.
func Bookkeeping(p Products) *tool.Tool {
	return sell[booksInput](p, "/x402/bookkeeping", tool.Tool{
		Name:        "bookkeeping",
		Title:       "Books of a bank export",
		Description: "Categorised ledger, profit and loss, anomalies and open questions of a bank export, verifiable with sha256sum.",
	})
}
