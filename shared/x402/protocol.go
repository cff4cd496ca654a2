// Package x402 is the resource server's side of the x402 payment protocol,
// versions 1 and 2, scheme exact on EVM networks.
//
// A [Gate] stands before each paid route. Without a payment it answers 402 with
// the terms and reads nothing else; with one it matches the payment against the
// terms, lets the handler look at the request, and hands both to the payment
// machine, which charges only for a delivered result.
//
// Wire shapes: x402 core specification v2 section 5, transports-v2/http,
// transports-v1/http, schemes/exact/scheme_exact_evm.
package x402

import "encoding/json"

// Names of the HTTP headers (transports-v2/http, transports-v1/http).
const (
	HeaderRequired   = "PAYMENT-REQUIRED"
	HeaderSignature  = "PAYMENT-SIGNATURE"
	HeaderResponse   = "PAYMENT-RESPONSE"
	HeaderPaymentV1  = "X-PAYMENT"
	HeaderResponseV1 = "X-PAYMENT-RESPONSE"
	HeaderVersion    = "X402-Version" // "1" asks for version 1 terms
)

// MaxHeader is the longest payment header that is read, in characters: the whole
// request head must stay below the gateway's 10,240 bytes.
const MaxHeader = 8192

// MaxRequired is the longest PAYMENT-REQUIRED header, in characters; clients echo
// its extensions, so it costs bytes in both directions.
const MaxRequired = 4096

// MaxSignature is the longest signature that is read, in bytes: contract wallets
// sign with much more than the 65 bytes of a key.
const MaxSignature = 4096

// Resource describes what is sold.
type Resource struct {
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	MimeType    string   `json:"mimeType,omitempty"`
	ServiceName string   `json:"serviceName,omitempty"`
	Tags        []string `json:"tags,omitempty"`
}

// Requirements are the terms of one way to pay (PaymentRequirements, version 2).
// Resource, Description and MimeType stand in the first entry too, for clients that
// read only the entry; version 2 clients ignore them.
type Requirements struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"` // CAIP-2
	Amount            string         `json:"amount"`  // atomic units, decimal
	Asset             string         `json:"asset"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Extra             map[string]any `json:"extra,omitempty"` // name, version: EIP-712 domain of the token; assetTransferMethod
	Resource          string         `json:"resource,omitempty"`
	Description       string         `json:"description,omitempty"`
	MimeType          string         `json:"mimeType,omitempty"`
}

// Required is the body of a 402 and, base64, its PAYMENT-REQUIRED header.
type Required struct {
	X402Version  int            `json:"x402Version"`
	Error        string         `json:"error,omitempty"`        // reason code, or a sentence when nothing was sent
	ErrorMessage string         `json:"errorMessage,omitempty"` // for a person
	Resource     Resource       `json:"resource"`
	Accepts      []Requirements `json:"accepts"`
	Extensions   map[string]any `json:"extensions,omitempty"`
}

// RequirementsV1 are the terms in version 1.
type RequirementsV1 struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"` // a name: "base"
	MaxAmountRequired string         `json:"maxAmountRequired"`
	Resource          string         `json:"resource"`
	Description       string         `json:"description"`
	MimeType          string         `json:"mimeType"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Asset             string         `json:"asset"`
	Extra             map[string]any `json:"extra,omitempty"`
	OutputSchema      any            `json:"outputSchema,omitempty"` // how to call it, for directories
}

// RequiredV1 is the body of a 402 in version 1, which has no header.
type RequiredV1 struct {
	X402Version  int              `json:"x402Version"`
	Error        string           `json:"error"`
	ErrorMessage string           `json:"errorMessage,omitempty"`
	Accepts      []RequirementsV1 `json:"accepts"`
	Extensions   map[string]any   `json:"extensions,omitempty"`
}

// Authorization is the EIP-3009 message; all members are strings on the wire.
type Authorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// ExactPayload is the payload of scheme exact, with one of the two authorizations.
type ExactPayload struct {
	Signature            string                `json:"signature"`
	Authorization        *Authorization        `json:"authorization,omitempty"`        // EIP-3009
	Permit2Authorization *Permit2Authorization `json:"permit2Authorization,omitempty"` // version 2 only
}

// Payload is what a payment header carries in either version. Version 2 has
// Accepted, version 1 has Scheme and Network at the top.
type Payload struct {
	X402Version int                        `json:"x402Version"`
	Resource    *Resource                  `json:"resource,omitempty"`
	Accepted    *Requirements              `json:"accepted,omitempty"`
	Scheme      string                     `json:"scheme,omitempty"`
	Network     string                     `json:"network,omitempty"`
	Payload     ExactPayload               `json:"payload"`
	Extensions  map[string]json.RawMessage `json:"extensions,omitempty"`
}

// Dialect is the version of the payload by its shape. Stock version 1 clients
// write x402Version 2 when they answered version 2 terms, so the number decides
// nothing.
func (p Payload) Dialect() int {
	if p.Accepted == nil {
		return 1
	}
	return 2
}

// SettleResponse is the PAYMENT-RESPONSE header, base64.
type SettleResponse struct {
	Success      bool           `json:"success"`
	ErrorReason  string         `json:"errorReason,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Payer        string         `json:"payer,omitempty"`
	Transaction  string         `json:"transaction"`
	Network      string         `json:"network"`
	Amount       string         `json:"amount,omitempty"`
	Extensions   map[string]any `json:"extensions,omitempty"`
}

// networkNames maps the networks that version 1 names differently.
var networkNames = map[string]string{"eip155:8453": "base", "eip155:84532": "base-sepolia"}

// NetworkV1 is the version 1 name of a CAIP-2 network.
func NetworkV1(network string) string {
	if name, ok := networkNames[network]; ok {
		return name
	}
	return network
}
