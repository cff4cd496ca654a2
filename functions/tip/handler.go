// Package tip takes tips and signs a thank-you: GET /x402/tip.
package tip

import (
	"context"
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// Answer is the signed thank-you; anyone verifies it with the EIP-712 schema of
// x402.ThankYou and the signer that /.well-known/x402 names.
type Answer struct {
	x402.Signed[x402.ThankYou]
	Signer string `json:"signer"`
}

// New returns the handler.
func New(gate *x402.Gate) http.Handler {
	return gate.Sell("tip", func(call x402.Call) (x402.Work, error) {
		return func(context.Context) (httpapi.Response, error) {
			amount := catalog.Units(call.Payment.Amount)
			thanks, err := x402.Sign(gate.Signer, x402.ThankYou{
				Message: "Thank you for the tip of " + amount.Dollars() + " dollars.",
				Payer:   call.Payment.Payer,
				Amount:  amount.String(),
				Dollars: amount.Dollars(),
				Nonce:   call.Payment.Nonce,
			})
			if err != nil {
				return httpapi.Response{}, err
			}
			return httpapi.JSON(Answer{thanks, gate.Signer.Address()})
		}, nil
	})
}
