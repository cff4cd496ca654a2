// Package facilitator is an x402 facilitator: it verifies and settles payments for other
// sellers, so that a seller on any stack can be tested on a laptop, against the development
// chain.
//
// It is a thin layer over the payment machine. A settlement is a payment of the product
// [Product] without work, so it inherits the guarantees of the machine: one transfer for
// any number of requests, the same transaction after a crash, and one order of the gas
// wallet's nonces. Success is reported to one submitter, because each of several equal
// requests may be another delivery. The record of a payment belongs to the gate or to this
// service, whichever received it first; the other answers that the nonce is used.
//
// Wire shapes: x402 core specification v2 section 7, and the version 1 shapes of
// the same members.
package facilitator

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Supported is what GET /supported says.
type Supported struct {
	Kinds      []Kind              `json:"kinds"`
	Extensions []string            `json:"extensions"`
	Signers    map[string][]string `json:"signers"` // CAIP-2 pattern -> addresses that pay the gas
}

// Kind is one way to pay.
type Kind struct {
	X402Version int    `json:"x402Version"`
	Scheme      string `json:"scheme"`
	Network     string `json:"network"`
}

// VerifyResponse is what POST /verify says.
type VerifyResponse struct {
	IsValid        bool   `json:"isValid"`
	InvalidReason  string `json:"invalidReason,omitempty"`
	InvalidMessage string `json:"invalidMessage,omitempty"`
	Payer          string `json:"payer,omitempty"`
}

type service struct {
	machine *payments.Machine
	token   catalog.Site // network and asset
}

// Routes serves the interface below /facilitator. The machine needs a [Ledger];
// wallet is the address that pays the gas.
func Routes(machine *payments.Machine, token catalog.Site, wallet string) []httpapi.Route {
	s := &service{machine: machine, token: token}
	supported := Supported{
		Kinds: []Kind{
			{2, "exact", token.Network},
			{1, "exact", x402.NetworkV1(token.Network)},
		},
		Extensions: []string{},
		Signers:    map[string][]string{"eip155:*": {wallet}},
	}
	return []httpapi.Route{
		{Method: "GET", Path: "/facilitator/supported", Handler: httpapi.Static(httpapi.JSON(supported))},
		{Method: "POST", Path: "/facilitator/verify", Handler: noPage(httpapi.Handle(s.verify))},
		{Method: "POST", Path: "/facilitator/settle", Handler: noPage(httpapi.Handle(s.settle))},
	}
}

// noPage refuses web pages: a call spends the gas of the wallet, and a browser shows
// pages of any origin.
func noPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" {
			httpapi.WriteError(w, r, &httpapi.Error{
				Status: http.StatusForbidden,
				Code:   "origin_refused",
				Detail: "A facilitator is called by sellers, not by web pages: send the request without an Origin header.",
			})
			return
		}

		next.ServeHTTP(w, r)
	})
}

func (s *service) verify(r *http.Request) (httpapi.Response, error) {
	req, err := readRequest(r)
	if err != nil {
		return httpapi.Response{}, err
	}

	p, err := s.payment(req)
	for _, check := range []func() error{
		func() error { return s.machine.Facilitator.Authentic(r.Context(), p) },
		func() error { return s.machine.Facilitator.Open(p, s.machine.Now()) },
		func() error { return s.machine.Facilitator.Verify(r.Context(), p) },
	} {
		if err == nil {
			err = check()
		}
	}

	var refused *payments.Invalid
	switch {
	case errors.As(err, &refused):
		return httpapi.JSON(VerifyResponse{
			InvalidReason:  refused.Reason,
			InvalidMessage: refused.Message,
			Payer:          p.Payer,
		})
	case err != nil:
		return httpapi.Response{}, unavailable(r, err)
	}

	return httpapi.JSON(VerifyResponse{IsValid: true, Payer: p.Payer})
}

func unavailable(r *http.Request, err error) error {
	slog.ErrorContext(r.Context(), "facilitator: chain not reachable",
		"request_id", httpapi.RequestID(r.Context()), "path", r.URL.Path, "error", err.Error())
	return &httpapi.Error{
		Status:     http.StatusServiceUnavailable,
		Code:       "payment_backend_unavailable",
		RetryAfter: 2 * time.Second,
		Detail:     "The chain cannot be asked right now. This request moved no money; send the same one again.",
	}
}
