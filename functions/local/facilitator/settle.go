package facilitator

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Product distinguishes the records of this service from those of the gate.
const Product = "facilitator"

func (s *service) settle(r *http.Request) (httpapi.Response, error) {
	req, err := readRequest(r)
	if err != nil {
		return httpapi.Response{}, err
	}

	version := req.PaymentPayload.Dialect()
	p, err := s.payment(req)
	if err == nil {
		err = s.machine.Authentic(r.Context(), p, digest(p))
	}

	if err == nil {
		o := order(p, version)
		o.Submitter = submitter(r)
		var reply payments.Answer
		if reply, err = s.machine.Pay(r.Context(), o); err == nil {
			if r.Context().Err() != nil {
				s.machine.Undelivered(context.WithoutCancel(r.Context()), o)
			}
			return httpapi.Response(reply), nil
		}
	}

	response := x402.SettleResponse{
		Payer:   p.Payer,
		Network: dialect(version, s.token.Network),
	}
	var (
		invalid  *payments.Invalid
		replay   *payments.ReplayRefused
		rejected *payments.Rejected
		pending  *payments.Pending
		paused   *payments.Paused
		down     *payments.Unavailable
	)
	switch {
	case errors.As(err, &invalid):
		response.ErrorReason, response.ErrorMessage = invalid.Reason, invalid.Message
	case errors.As(err, &replay):
		response.ErrorReason, response.ErrorMessage = replay.Reason, replay.Message
	case errors.As(err, &rejected):
		response.ErrorReason, response.ErrorMessage, response.Transaction = rejected.Reason, rejected.Message, rejected.Transaction
	case errors.As(err, &pending):
		response.ErrorReason, response.Transaction = x402.ReasonPending, pending.Transaction
		response.ErrorMessage = "The outcome is not known yet. Send the same request again."
	case errors.As(err, &paused):
		response.ErrorReason, response.ErrorMessage = paused.Code, paused.Message
	case errors.As(err, &down):
		return httpapi.Response{}, unavailable(r, err)
	default:
		return httpapi.Response{}, err
	}

	return httpapi.JSON(response)
}

// submitter identifies the sender of a settlement. Equal requests are different submitters,
// because each may be a sale, unless they have the same Idempotency-Key.
func submitter(r *http.Request) string {
	name := strings.Join(r.Header.Values("Idempotency-Key"), ",")
	if name == "" || len(name) > maxIdempotencyKey {
		name = rand.Text()
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// maxIdempotencyKey is the longest key that names a submitter, in bytes.
const maxIdempotencyKey = 256

// dialect is the network's name in a version of the protocol.
func dialect(version int, network string) string {
	if version == 1 {
		return x402.NetworkV1(network)
	}
	return network
}

// order asks the machine to move the money and do nothing else. It is bound to
// the authorization, which names payer, payee and amount, and which the
// requirements had to match; SecretBody, because the submitter that received the success
// receives it again as often as it asks.
func order(p payments.Payment, version int) payments.Order {
	authorization := p
	authorization.Signature = ""
	return payments.Order{
		Payment:     p,
		PayloadHash: digest(p),
		Request: payments.Request{
			Product:     Product,
			Fingerprint: digest(authorization),
			SecretBody:  true,
			X402Version: version,
		},
		Work: func(context.Context) (payments.Answer, error) {
			return payments.Answer{Status: http.StatusOK}, nil
		},
	}
}

func digest(p payments.Payment) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %+v", Product, p))
	return hex.EncodeToString(sum[:])
}

// Ledger handles the settlements of this service and passes all others to the ledger of the
// sales. The sales of other sellers are not in our audit chain.
type Ledger struct{ Sales payments.Ledger }

var _ payments.Ledger = Ledger{}

// Ready implements payments.Ledger.
func (l Ledger) Ready(ctx context.Context) error {
	return l.Sales.Ready(ctx)
}

// Settled implements payments.Ledger: the reply is a SettleResponse.
func (l Ledger) Settled(ctx context.Context, r payments.Record) (payments.Answer, error) {
	if r.Request.Product != Product {
		return l.Sales.Settled(ctx, r)
	}
	reply, err := httpapi.JSON(x402.SettleResponse{
		Success:     true,
		Payer:       r.Payment.Payer,
		Transaction: r.Settlement.Transaction,
		Network:     dialect(r.Request.X402Version, r.Payment.Network),
		Amount:      strconv.FormatInt(r.Payment.Amount, 10),
	})
	return payments.Answer(reply), err
}

// Refused implements payments.Ledger.
func (l Ledger) Refused(ctx context.Context, r payments.Record, reason string) error {
	if r.Request.Product != Product {
		return l.Sales.Refused(ctx, r, reason)
	}
	return nil
}

// Reversed implements payments.Ledger.
func (l Ledger) Reversed(ctx context.Context, r payments.Record) error {
	if r.Request.Product != Product {
		return l.Sales.Reversed(ctx, r)
	}
	return nil
}
