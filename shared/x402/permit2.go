package x402

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"governance.internal/shared/payments"
)

// Permit2Proxy is x402ExactPermit2Proxy, the spender that the payer signs for, at
// the same address on every EVM network (scheme_exact_evm, annex).
const Permit2Proxy = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001"

// Permit2Authorization is the message of PermitWitnessTransferFrom; all numbers are
// decimal strings on the wire.
type Permit2Authorization struct {
	Permitted Permitted `json:"permitted"`
	From      string    `json:"from"`
	Spender   string    `json:"spender"`
	Nonce     string    `json:"nonce"` // uint256
	Deadline  string    `json:"deadline"`
	Witness   Witness   `json:"witness"`
}

// Permitted is what the payer lets the spender take.
type Permitted struct {
	Token  string `json:"token"`
	Amount string `json:"amount"`
}

// Witness is what the spender must obey: whom it pays, and not before when.
type Witness struct {
	To         string `json:"to"`
	ValidAfter string `json:"validAfter"`
}

// methodMember of extra names the asset transfer method of an entry.
const methodMember = "assetTransferMethod"

// permit2Requirements are the terms of paying by Permit2. The texts stand in the
// first entry only: the header is short.
func (t Terms) permit2Requirements() Requirements {
	r := t.Requirements()
	r.Extra[methodMember] = payments.MethodPermit2
	r.Resource = ""
	r.Description = ""
	r.MimeType = ""
	return r
}

// Accepts are the ways to pay in version 2: EIP-3009, then Permit2.
func (t Terms) Accepts() []Requirements {
	if t.Site.NoPermit2 {
		return []Requirements{t.Requirements()}
	}
	return []Requirements{t.Requirements(), t.permit2Requirements()}
}

func (t Terms) matchPermit2(signature string, a Permit2Authorization) (payments.Payment, error) {
	none := payments.Payment{}
	err := matchFields(signature,
		field{"from", a.From, isAddress}, field{"spender", a.Spender, isAddress},
		field{"permitted.token", a.Permitted.Token, isAddress}, field{"permitted.amount", a.Permitted.Amount, isNumber},
		field{"nonce", a.Nonce, isNumber}, field{"deadline", a.Deadline, isNumber},
		field{"witness.to", a.Witness.To, isAddress}, field{"witness.validAfter", a.Witness.ValidAfter, isNumber})
	if err != nil {
		return none, err
	}

	switch {
	case !strings.EqualFold(a.Spender, Permit2Proxy):
		return none, invalid(ReasonSpender, "The spender must be %s.", Permit2Proxy)
	case !strings.EqualFold(a.Witness.To, t.Site.PayTo):
		return none, invalid(ReasonPermitRecipient, "The witness pays somebody else; it must pay %s.",
			t.Site.PayTo)
	case !strings.EqualFold(a.Permitted.Token, t.Site.Asset):
		return none, invalid(ReasonPermitToken, "The permitted token must be %s.", t.Site.Asset)
	case strings.TrimLeft(a.Permitted.Amount, "0") != t.Price.String():
		return none, invalid(ReasonPermitAmount, "The permitted amount must be exactly %s atomic units.",
			t.Price)
	}

	nonce, ok := permitNonce(a.Nonce)
	if !ok {
		return none, invalid(ReasonPayload, "payload: nonce is beyond 256 bits.")
	}

	after, err := strconv.ParseUint(a.Witness.ValidAfter, 10, 63)
	if err != nil {
		return none, invalid(ReasonNotYetValid, "witness.validAfter is beyond any date.")
	}

	deadline, err := strconv.ParseUint(a.Deadline, 10, 63)
	if err != nil {
		return none, invalid(ReasonDeadline, "deadline is beyond any date; use seconds since 1970.")
	}

	return payments.Payment{
		Method:      payments.MethodPermit2,
		Network:     t.Site.Network,
		Asset:       strings.ToLower(t.Site.Asset),
		PayTo:       strings.ToLower(a.Witness.To),
		Payer:       strings.ToLower(a.From),
		Amount:      int64(t.Price),
		ValidAfter:  after,
		ValidBefore: deadline,
		Nonce:       nonce,
		Signature:   strings.ToLower(signature),
	}, nil
}

// permitNonce is a decimal uint256 as a record names it: 0x and 64 hex digits.
func permitNonce(text string) (string, bool) {
	nonce, ok := new(big.Int).SetString(text, 10)
	if !isNumber(text) || !ok || nonce.BitLen() > 256 {
		return "", false
	}
	return fmt.Sprintf("0x%064x", nonce), true
}
