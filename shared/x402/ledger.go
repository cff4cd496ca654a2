package x402

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"governance.internal/shared/audit"
	"governance.internal/shared/payments"
)

// Appender is the part of an audit store that the ledger needs.
type Appender interface {
	Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error)
}

// Ledger appends payments to the audit chain and builds the paid reply from the
// entry. It implements payments.Ledger.
type Ledger struct {
	Chain   Appender
	Name    string // of the audit chain
	Signer  Signer
	Ruleset func(product string) string // version of the rules behind a product
}

var _ payments.Ledger = Ledger{}

// Events of the audit chain.
const (
	EventSettled  = "payment.settled"
	EventRefused  = "payment.replay_refused"
	EventReversed = "payment.reversed"
)

// RequestDigest is what a payment buys, as 0x and the hex SHA-256 over the lines
// method, path, raw query, SHA-256 of the body in hex, and atomic amount, each
// ended by a newline. A buyer recomputes it from the request.
func RequestDigest(method string, u *url.URL, bodyDigest string, amount int64) string {
	sum := sha256.Sum256(fmt.Appendf(
		nil,
		"%s\n%s\n%s\n%s\n%d\n",
		method,
		u.Path,
		u.RawQuery,
		bodyDigest,
		amount,
	))
	return "0x" + hex.EncodeToString(sum[:])
}

// BodyDigest is the SHA-256 of a body, hex.
func BodyDigest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// eventID makes the id of a payment's event, the same at each attempt, so that
// the chain holds it once.
func eventID(kind string, key payments.Key) string {
	sum := sha256.Sum256([]byte(kind + "/" + key.String()))
	return kind + "-" + hex.EncodeToString(sum[:16])
}

// Ready implements payments.Ledger.
func (l Ledger) Ready(ctx context.Context) error {
	_, err := l.Chain.Append(ctx)
	return err
}

// Settled implements payments.Ledger.
func (l Ledger) Settled(ctx context.Context, r payments.Record) (payments.Answer, error) {
	resultDigest := BodyDigest(r.Result.Body)
	entries, err := l.Chain.Append(ctx, audit.Event{
		ID:    eventID("settled", r.Key()),
		Actor: r.Payment.Payer,
		Type:  EventSettled,
		Payload: map[string]any{
			"product":        r.Request.Product,
			"resource":       r.Request.Resource,
			"network":        r.Payment.Network,
			"asset":          r.Payment.Asset,
			"pay_to":         r.Payment.PayTo,
			"amount":         r.Payment.Amount,
			"nonce":          r.Payment.Nonce,
			"transaction":    r.Settlement.Transaction,
			"request_digest": r.Request.Fingerprint,
			"result_digest":  "0x" + resultDigest,
		},
	})
	if err != nil {
		return payments.Answer{}, fmt.Errorf("audit entry: %w", err)
	}

	response, err := l.response(r, entries[0], resultDigest)
	if err != nil {
		return payments.Answer{}, err
	}

	return reply(r, response)
}

// response is the PAYMENT-RESPONSE with receipt and evidence.
func (l Ledger) response(r payments.Record, entry audit.Entry, resultDigest string) (SettleResponse, error) {
	at := uint64(r.SettledAt.Unix())
	receipt, err := Sign(l.Signer, Receipt{
		Version:     1,
		Network:     r.Payment.Network,
		ResourceURL: r.Request.Resource,
		Payer:       r.Payment.Payer,
		IssuedAt:    at,
		Transaction: r.Settlement.Transaction,
	})
	if err != nil {
		return SettleResponse{}, err
	}

	evidence, err := Sign(l.Signer, Evidence{
		Version:       1,
		Product:       r.Request.Product,
		Ruleset:       l.Ruleset(r.Request.Product),
		RequestDigest: r.Request.Fingerprint,
		ResultDigest:  "0x" + resultDigest,
		PaymentNonce:  r.Payment.Nonce,
		Transaction:   r.Settlement.Transaction,
		Chain:         l.Name,
		Seq:           entry.Seq,
		EntryHash:     "0x" + entry.Hash.String(),
		IssuedAt:      at,
	})
	if err != nil {
		return SettleResponse{}, err
	}

	var offerReceipt OfferReceipt
	offerReceipt.Info.Receipt = receipt
	return SettleResponse{
		Success:     true,
		Payer:       r.Payment.Payer,
		Transaction: r.Settlement.Transaction,
		Network:     r.Payment.Network,
		Amount:      fmt.Sprint(r.Payment.Amount),
		Extensions: map[string]any{
			extensionOffers:   offerReceipt,
			extensionEvidence: EvidenceExtension{evidence},
		},
	}, nil
}

// reply is the handler's answer as it is sent for money.
func reply(r payments.Record, response SettleResponse) (payments.Answer, error) {
	name, value, err := responseHeader(r.Request.X402Version, response)
	if err != nil {
		return payments.Answer{}, err
	}
	answer := *r.Result
	answer.Header = http.Header{}
	maps.Copy(answer.Header, r.Result.Header)

	answer.Header.Set(name, value)
	answer.Header.Set("Cache-Control", "private, no-store")
	return answer, nil
}

// responseHeader encodes a SettleResponse in the dialect of the payment.
func responseHeader(version int, response SettleResponse) (name, value string, err error) {
	name = HeaderResponse
	if version == 1 {
		name = HeaderResponseV1
		response.Network = NetworkV1(response.Network)
	}

	value, err = EncodeHeader(response)
	return http.CanonicalHeaderKey(name), value, err
}

// Refused implements payments.Ledger.
func (l Ledger) Refused(ctx context.Context, r payments.Record, reason string) error {
	_, err := l.Chain.Append(ctx, audit.Event{
		ID:      eventID("refused-"+reason, r.Key()),
		Actor:   r.Payment.Payer,
		Type:    EventRefused,
		Payload: map[string]any{"nonce": r.Payment.Nonce, "product": r.Request.Product, "reason": reason},
	})
	return err
}

// Reversed implements payments.Ledger.
func (l Ledger) Reversed(ctx context.Context, r payments.Record) error {
	_, err := l.Chain.Append(ctx, audit.Event{
		ID:    eventID("reversed", r.Key()),
		Actor: r.Payment.Payer,
		Type:  EventReversed,
		Payload: map[string]any{
			"nonce":       r.Payment.Nonce,
			"product":     r.Request.Product,
			"amount":      r.Payment.Amount,
			"transaction": r.Settlement.Transaction,
		},
	})
	return err
}
