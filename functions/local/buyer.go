package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"governance.internal/functions/local/devchain"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// buyer is an x402 version 2 client. Unlike the stock ones it signs once: when
// the outcome of a payment is unknown it sends the same payment again.
type buyer struct {
	key    *evm.Key
	client *http.Client
	waited func(reason string, pause time.Duration) // told before each pause
}

// patience limits the retries of an unfinished payment.
const (
	patience = 20
	longest  = 10 * time.Second
)

// order is a request to buy.
type order struct {
	method, url string
	body        []byte
}

func (o order) request(ctx context.Context) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, o.method, o.url, bytes.NewReader(o.body))
	if err == nil && len(o.body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// retryAfter is how long the service asked to wait, 0 if it did not.
func (a answer) retryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func (b *buyer) send(r *http.Request) (answer, error) {
	response, err := b.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	return answer{response.StatusCode, response.Header, body}, err
}

// quote requests the price. It returns the terms of a 402, or any other answer.
func (b *buyer) quote(ctx context.Context, o order) (*x402.Required, answer, error) {
	r, err := o.request(ctx)
	if err != nil {
		return nil, answer{}, err
	}

	a, err := b.send(r)
	if err != nil || a.status != http.StatusPaymentRequired {
		return nil, a, err
	}

	var required x402.Required
	if err := x402.DecodeHeader(a.header.Get(x402.HeaderRequired), &required); err != nil {
		return nil, a, fmt.Errorf("PAYMENT-REQUIRED header: %w", err)
	}
	if len(required.Accepts) == 0 || required.Accepts[0].Scheme != "exact" {
		return nil, a, fmt.Errorf("the service offers no payment scheme that this client supports")
	}

	return &required, a, nil
}

// longestWindow is the longest validity that this client signs, because the seller can take
// the money until it ends.
const longestWindow = 3600

// amountOf is the price of an offer in atomic units, which must be positive.
func amountOf(offer x402.Requirements) (int64, error) {
	amount, err := strconv.ParseInt(offer.Amount, 10, 64)
	if err != nil ||
		amount <= 0 ||
		strconv.FormatInt(amount, 10) != offer.Amount {
		return 0, fmt.Errorf("the service asks for %q, which is not an amount", offer.Amount)
	}
	if offer.MaxTimeoutSeconds <= 0 || offer.MaxTimeoutSeconds > longestWindow {
		return 0, fmt.Errorf("the service asks for a payment that is valid for %d seconds; this client signs at most %d",
			offer.MaxTimeoutSeconds, longestWindow)
	}
	return amount, nil
}

// isPlay reports whether terms are of a development chain: they say so, or the payee's key
// is public.
func isPlay(required *x402.Required) bool {
	if _, marked := required.Extensions[x402.ExtensionDevelopment]; marked {
		return true
	}
	return slices.ContainsFunc(required.Accepts, func(offer x402.Requirements) bool {
		return devchain.IsPublicAccount(offer.PayTo)
	})
}

// refusePlay keeps a real key from signing for a development chain, which has the
// chain id and the token of the real network.
func (b *buyer) refusePlay(required *x402.Required) error {
	if !isPlay(required) || devchain.IsPublicAccount(b.key.Address()) {
		return nil
	}
	return errors.New("this service settles on a development chain with play money, and a signature of your key would be valid on the real network. " +
		"Nothing was signed; leave out --key to pay with the development payer")
}

// sign makes the PAYMENT-SIGNATURE header for the first offer, echoing the
// extensions as clients do.
func (b *buyer) sign(required *x402.Required, now time.Time) (header string, err error) {
	if err := b.refusePlay(required); err != nil {
		return "", err
	}
	offer := required.Accepts[0]
	token, err := tokenOf(offer)
	if err != nil {
		return "", err
	}

	amount, err := amountOf(offer)
	if err != nil {
		return "", err
	}

	var nonce [32]byte
	_, _ = rand.Read(nonce[:]) // crypto/rand never fails since Go 1.24
	p := payments.Payment{
		Payer:       b.key.Address(),
		PayTo:       offer.PayTo,
		Amount:      amount,
		ValidBefore: uint64(now.Unix()) + uint64(offer.MaxTimeoutSeconds),
		Nonce:       "0x" + hex.EncodeToString(nonce[:]),
	}
	signature, err := b.key.Authorize(token, p)
	if err != nil {
		return "", err
	}

	extensions := map[string]json.RawMessage{}
	for name, extension := range required.Extensions {
		if extensions[name], err = json.Marshal(extension); err != nil {
			return "", err
		}
	}

	return x402.EncodeHeader(x402.Payload{
		X402Version: 2,
		Resource:    &required.Resource,
		Accepted:    &offer,
		Extensions:  extensions,
		Payload: x402.ExactPayload{
			Signature: signature,
			Authorization: &x402.Authorization{
				From:        p.Payer,
				To:          p.PayTo,
				Value:       offer.Amount,
				ValidAfter:  "0",
				ValidBefore: strconv.FormatUint(p.ValidBefore, 10),
				Nonce:       p.Nonce,
			},
		},
	})
}

// tokenOf is the token that an offer wants to be paid in.
func tokenOf(offer x402.Requirements) (evm.Token, error) {
	name, _ := offer.Extra["name"].(string)
	version, _ := offer.Extra["version"].(string)
	return evm.NewToken(offer.Network, offer.Asset, name, version)
}

// redeem sends the paid request until its outcome is known, or the service asks for more
// time than a person would wait.
func (b *buyer) redeem(ctx context.Context, o order, payment string) (answer, error) {
	for try := 0; ; try++ {
		r, err := o.request(ctx)
		if err != nil {
			return answer{}, err
		}

		r.Header.Set(x402.HeaderSignature, payment)
		a, err := b.send(r)
		if err == nil && (a.status != http.StatusServiceUnavailable || a.retryAfter() > longest) ||
			ctx.Err() != nil ||
			try == patience {
			return a, err
		}

		if err := b.pause(ctx, a, err); err != nil {
			return a, err
		}
	}
}

// pause waits as long as the service asked for.
func (b *buyer) pause(ctx context.Context, a answer, failure error) error {
	wait := a.retryAfter()
	if wait <= 0 || wait > longest {
		wait = 2 * time.Second
	}

	reason := "the connection failed"
	if failure == nil {
		reason = "the service answered 503"
	}

	b.waited(reason, wait)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
