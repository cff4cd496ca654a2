package x402

import (
	"fmt"
	"strings"
)

// TypedData is a flat EIP-712 message. Its domain has the members name, version
// ("1") and chainId (1): signatures off the chain, whatever network was paid on
// (extension offer-receipt section 3.2).
type TypedData struct {
	Domain string // domain name
	Type   string // primary type
	Fields []TypedField
}

// TypedField is one member: uint256 with a uint64 value, string with a string,
// bytes32 with 0x and 64 hex digits.
type TypedField struct {
	Name, Type string
	Value      any
}

// EncodeType is the type's signature (EIP-712, encodeType).
func (d TypedData) EncodeType() string {
	members := make([]string, 0, len(d.Fields))
	for _, f := range d.Fields {
		members = append(members, f.Type+" "+f.Name)
	}
	return fmt.Sprintf("%s(%s)", d.Type, strings.Join(members, ","))
}

// Signer signs what the service promises and confirms.
type Signer interface {
	Address() string                     // 0x + 40 hex digits
	Sign(data TypedData) (string, error) // 0x + 130 hex digits: r, s, v
}

// Signed is an artifact of the extension offer-receipt in the format eip712.
type Signed[T any] struct {
	Format      string `json:"format"`
	AcceptIndex *int   `json:"acceptIndex,omitempty"`
	Payload     T      `json:"payload"`
	Signature   string `json:"signature"`
}

type typed interface{ Typed() TypedData }

// Sign makes the artifact of a payload.
func Sign[T typed](signer Signer, payload T) (Signed[T], error) {
	signature, err := signer.Sign(payload.Typed())
	return Signed[T]{
		Format:    "eip712",
		Payload:   payload,
		Signature: signature,
	}, err
}

// Offer is the payload of a signed offer (extension offer-receipt section 4.2).
type Offer struct {
	Version     uint64 `json:"version"`
	ResourceURL string `json:"resourceUrl"`
	Scheme      string `json:"scheme"`
	Network     string `json:"network"`
	Asset       string `json:"asset"`
	PayTo       string `json:"payTo"`
	Amount      string `json:"amount"`
	ValidUntil  uint64 `json:"validUntil"` // Unix seconds
}

// Typed is the normative schema of section 4.3.
func (o Offer) Typed() TypedData {
	return TypedData{"x402 offer", "Offer", []TypedField{
		{"version", "uint256", o.Version}, {"resourceUrl", "string", o.ResourceURL}, {"scheme", "string", o.Scheme},
		{"network", "string", o.Network}, {"asset", "string", o.Asset}, {"payTo", "string", o.PayTo},
		{"amount", "string", o.Amount}, {"validUntil", "uint256", o.ValidUntil},
	}}
}

// Receipt is the payload of a signed receipt (extension offer-receipt section 5.2).
type Receipt struct {
	Version     uint64 `json:"version"`
	Network     string `json:"network"`
	ResourceURL string `json:"resourceUrl"`
	Payer       string `json:"payer"`
	IssuedAt    uint64 `json:"issuedAt"` // Unix seconds
	Transaction string `json:"transaction"`
}

// Typed is the normative schema of section 5.3.
func (r Receipt) Typed() TypedData {
	return TypedData{"x402 receipt", "Receipt", []TypedField{
		{"version", "uint256", r.Version}, {"network", "string", r.Network}, {"resourceUrl", "string", r.ResourceURL},
		{"payer", "string", r.Payer}, {"issuedAt", "uint256", r.IssuedAt}, {"transaction", "string", r.Transaction},
	}}
}

// Evidence joins the money to what was done for it. It is our own extension,
// governance-evidence, signed like a receipt under the domain "governance evidence".
type Evidence struct {
	Version       uint64 `json:"version"`
	Product       string `json:"product"`       // operation of the catalogue
	Ruleset       string `json:"ruleset"`       // version of the rules that made the result
	RequestDigest string `json:"requestDigest"` // [RequestDigest], bytes32
	ResultDigest  string `json:"resultDigest"`  // SHA-256 of the response body, bytes32
	PaymentNonce  string `json:"paymentNonce"`  // bytes32
	Transaction   string `json:"transaction"`   // bytes32
	Chain         string `json:"chain"`         // name of the audit chain
	Seq           uint64 `json:"seq"`           // of the settlement's entry, from 1
	EntryHash     string `json:"entryHash"`     // bytes32
	IssuedAt      uint64 `json:"issuedAt"`      // Unix seconds
}

// Typed is the EIP-712 schema of the evidence.
func (e Evidence) Typed() TypedData {
	return TypedData{"governance evidence", "Evidence", []TypedField{
		{"version", "uint256", e.Version}, {"product", "string", e.Product}, {"ruleset", "string", e.Ruleset},
		{"requestDigest", "bytes32", e.RequestDigest}, {"resultDigest", "bytes32", e.ResultDigest},
		{"paymentNonce", "bytes32", e.PaymentNonce}, {"transaction", "bytes32", e.Transaction},
		{"chain", "string", e.Chain}, {"seq", "uint256", e.Seq}, {"entryHash", "bytes32", e.EntryHash},
		{"issuedAt", "uint256", e.IssuedAt},
	}}
}

// ThankYou is what a tip buys, signed under the domain "governance thank-you".
type ThankYou struct {
	Message string `json:"message"`
	Payer   string `json:"payer"`
	Amount  string `json:"amount"`  // atomic units
	Dollars string `json:"dollars"` // the same in dollars
	Nonce   string `json:"nonce"`   // of the payment, bytes32
}

// Typed is the EIP-712 schema of the thank-you.
func (t ThankYou) Typed() TypedData {
	return TypedData{"governance thank-you", "ThankYou", []TypedField{
		{"message", "string", t.Message}, {"payer", "string", t.Payer}, {"amount", "string", t.Amount},
		{"dollars", "string", t.Dollars}, {"nonce", "bytes32", t.Nonce},
	}}
}
