// Package paymentstate reports the state of a payment: GET /x402/payments/{nonce}.
package paymentstate

import (
	"net/http"
	"regexp"
	"strings"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
)

// Answer lists the payments with one nonce; two payers can use the same.
type Answer struct {
	Nonce    string  `json:"nonce"`
	Payments []State `json:"payments"`
}

// State is the public state of a payment.
type State struct {
	State       payments.State `json:"state"`
	Product     string         `json:"product"`
	Network     string         `json:"network"`
	Transaction string         `json:"transaction"`
	Reason      string         `json:"reason,omitempty"`
}

var nonce = regexp.MustCompile(`^0x[0-9a-f]{64}$`)

// New returns the handler.
func New(store payments.Store) http.Handler {
	return httpapi.Handle(func(r *http.Request) (httpapi.Response, error) {
		asked := strings.ToLower(r.PathValue("nonce"))
		if !nonce.MatchString(asked) {
			return httpapi.Response{}, &httpapi.Error{
				Status: http.StatusBadRequest,
				Code:   "malformed_nonce",
				Detail: "The nonce is 0x and 64 hex digits, as signed in the authorization.",
			}
		}

		records, err := store.ByNonce(r.Context(), asked)
		if err != nil {
			return httpapi.Response{}, err
		}

		if len(records) == 0 {
			return httpapi.Response{}, &httpapi.Error{
				Status: http.StatusNotFound,
				Code:   "unknown_payment",
				Detail: "No payment with this nonce was accepted here; nothing was charged under it.",
			}
		}

		response, err := httpapi.JSON(answer(asked, records))
		response.Header.Set("Cache-Control", "no-store")
		return response, err
	})
}

func answer(nonce string, records []payments.Record) Answer {
	a := Answer{Nonce: nonce}
	for _, r := range records {
		a.Payments = append(a.Payments, State{r.State, r.Request.Product, r.Payment.Network, r.Transaction(), r.Reason})
	}
	return a
}
