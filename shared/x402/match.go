package x402

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"governance.internal/shared/payments"
)

// Match checks a payload against the terms and gives the payment it makes. It is
// the reference rule: every core member equals the offer, extra contains what was
// offered; unknown members are ignored and addresses compare without case.
// Errors are *payments.Invalid with the reason.
func (t Terms) Match(p Payload) (payments.Payment, error) {
	if err := t.matchOffer(p); err != nil {
		return payments.Payment{}, err
	}
	if p.method() == payments.MethodPermit2 {
		if a := p.Payload.Permit2Authorization; a != nil {
			return t.matchPermit2(p.Payload.Signature, *a)
		}
		return payments.Payment{}, invalid(ReasonPayloadType, "The accepted terms are those of Permit2, but payload.permit2Authorization is missing.")
	}

	a := p.Payload.Authorization
	if a == nil {
		return payments.Payment{}, invalid(ReasonPayloadType, "The accepted terms are those of EIP-3009, but payload.authorization is missing.")
	}
	return t.matchAuthorization(p.Dialect(), p.Payload.Signature, *a)
}

// method is the asset transfer method of the accepted terms.
func (p Payload) method() string {
	if p.Accepted != nil && p.Accepted.Extra[methodMember] == payments.MethodPermit2 {
		return payments.MethodPermit2
	}
	return payments.MethodEIP3009
}

func (t Terms) matchOffer(p Payload) error {
	scheme := p.Scheme
	network := p.Network
	if p.Accepted != nil {
		scheme = p.Accepted.Scheme
		network = p.Accepted.Network
	}

	if scheme != "exact" {
		return invalid(ReasonScheme, "The scheme must be exact.")
	}
	if network != t.Site.Network && (p.Accepted != nil || network != NetworkV1(t.Site.Network)) {
		return invalid(ReasonNetwork, "The network must be %s.", t.Site.Network)
	}
	if p.Accepted == nil {
		return nil
	}

	if p.Resource != nil &&
		p.Resource.URL != "" &&
		p.Resource.URL != t.Resource {
		return invalid(ReasonRequirements, "The payment is for another resource than resource.url of these terms.")
	}

	if p.method() == payments.MethodPermit2 {
		if t.Site.NoPermit2 {
			return invalid(ReasonPayloadType, "Permit2 is not offered here; pay by EIP-3009.")
		}
		return matchAccepted(*p.Accepted, t.permit2Requirements())
	}

	return matchAccepted(*p.Accepted, t.Requirements())
}

func matchAccepted(got, want Requirements) error {
	mismatch := ""
	switch {
	case !strings.EqualFold(got.Asset, want.Asset):
		mismatch = "asset"
	case !strings.EqualFold(got.PayTo, want.PayTo):
		mismatch = "payTo"
	case got.Amount != want.Amount:
		mismatch = "amount"
	case got.MaxTimeoutSeconds != want.MaxTimeoutSeconds:
		mismatch = "maxTimeoutSeconds"
	}

	for name, value := range want.Extra {
		if got.Extra[name] != value {
			mismatch = "extra." + name
		}
	}

	if mismatch != "" {
		return invalid(ReasonRequirements, "accepted.%s differs from the terms of this resource.", mismatch)
	}
	return nil
}

// The forms of members. They are checked by hand: regular expressions took longer
// than the rest of the match.
func isAddress(text string) bool { return isHex(text, 40) }
func isBytes32(text string) bool { return isHex(text, 64) }
func isBytes(text string) bool {
	return len(text) > 2 && len(text)%2 == 0 && isHex(text, len(text)-2)
}

func isHex(text string, digits int) bool {
	if len(text) != 2+digits || text[:2] != "0x" {
		return false
	}
	return strings.Trim(text[2:], "0123456789abcdefABCDEF") == ""
}

// isNumber takes at most the digits of a uint256.
func isNumber(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return len(text) > 0 && len(text) <= 78
}

// field is a member of an authorization and the form it must have.
type field struct {
	name, value string
	formed      func(string) bool
}

func matchFields(signature string, fields ...field) error {
	for _, f := range append(fields, field{"signature", signature, isBytes}) {
		if !f.formed(f.value) {
			return invalid(ReasonPayload, "payload: %s is malformed.", f.name)
		}
	}

	if len(signature) > 2+2*MaxSignature {
		return invalid(ReasonPayload, "payload: signature is longer than %d bytes.", MaxSignature)
	}
	return nil
}

func (t Terms) matchAuthorization(dialect int, signature string, a Authorization) (payments.Payment, error) {
	none := payments.Payment{}
	err := matchFields(signature,
		field{"from", a.From, isAddress}, field{"to", a.To, isAddress}, field{"nonce", a.Nonce, isBytes32},
		field{"value", a.Value, isNumber}, field{"validAfter", a.ValidAfter, isNumber}, field{"validBefore", a.ValidBefore, isNumber})
	if err != nil {
		return none, err
	}

	if !strings.EqualFold(a.To, t.Site.PayTo) {
		return none, invalid(ReasonRecipient, "The authorization pays somebody else; it must pay %s.",
			t.Site.PayTo)
	}

	if strings.TrimLeft(a.Value, "0") != t.Price.String() {
		return none, invalid(valueReason(dialect), "The authorization must be for exactly %s atomic units.",
			t.Price)
	}

	after, err := strconv.ParseUint(a.ValidAfter, 10, 63)
	if err != nil {
		return none, invalid(ReasonValidAfter, "validAfter is beyond any date.")
	}

	before, err := strconv.ParseUint(a.ValidBefore, 10, 63)
	if err != nil {
		return none, invalid(ReasonValidBefore, "validBefore is beyond any date; use seconds since 1970.")
	}

	return payments.Payment{
		Network:     t.Site.Network,
		Asset:       strings.ToLower(t.Site.Asset),
		PayTo:       strings.ToLower(a.To),
		Payer:       strings.ToLower(a.From),
		Amount:      int64(t.Price),
		ValidAfter:  after,
		ValidBefore: before,
		Nonce:       strings.ToLower(a.Nonce),
		Signature:   strings.ToLower(signature),
	}, nil
}

func valueReason(dialect int) string {
	if dialect == 1 {
		return ReasonValueV1
	}
	return ReasonValue
}

// payloadHash binds a record to the exact payload: authorization, signature and
// identifier. The identifier never appears on the chain, so who knows the hash's
// preimage after settlement is the buyer.
func payloadHash(p payments.Payment, identifier string) (string, error) {
	data, err := json.Marshal(struct {
		Payment    payments.Payment
		Identifier string
	}{p, identifier})
	if err != nil {
		return "", err
	}

	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

var identifierPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// identifier reads the extension payment-identifier of a payload, "" without one.
func identifier(p Payload) (string, error) {
	raw, ok := p.Extensions[extensionIdentifier]
	if !ok {
		return "", nil
	}

	var extension struct {
		Info struct {
			ID *string `json:"id"`
		} `json:"info"`
	}
	if err := json.Unmarshal(raw, &extension); err != nil {
		return "", invalid(ReasonPayload, "extensions.payment-identifier is malformed.")
	}
	if extension.Info.ID == nil {
		return "", nil
	}

	if !identifierPattern.MatchString(*extension.Info.ID) {
		return "", badRequest("invalid_payment_identifier",
			"extensions.payment-identifier.info.id must have 16 to 128 characters of A-Z, a-z, 0-9, - and _.")
	}

	return *extension.Info.ID, nil
}

// WirePayload is a payment as its payer signed it, on the wire: what [Terms.Match] reads.
func WirePayload(p payments.Payment) ExactPayload {
	amount := strconv.FormatInt(p.Amount, 10)
	after := strconv.FormatUint(p.ValidAfter, 10)
	before := strconv.FormatUint(p.ValidBefore, 10)
	if p.Method != payments.MethodPermit2 {
		return ExactPayload{
			Signature: p.Signature,
			Authorization: &Authorization{
				From:        p.Payer,
				To:          p.PayTo,
				Value:       amount,
				ValidAfter:  after,
				ValidBefore: before,
				Nonce:       p.Nonce,
			},
		}
	}

	nonce, _ := new(big.Int).SetString(p.Nonce, 0) // 0x and 64 hex digits
	return ExactPayload{
		Signature: p.Signature,
		Permit2Authorization: &Permit2Authorization{
			Permitted: Permitted{
				Token:  p.Asset,
				Amount: amount,
			},
			From:     p.Payer,
			Spender:  Permit2Proxy,
			Nonce:    nonce.String(),
			Deadline: before,
			Witness: Witness{
				To:         p.PayTo,
				ValidAfter: after,
			},
		},
	}
}
