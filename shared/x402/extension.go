package x402

import "time"

// Names of the extensions.
const (
	extensionOffers     = "offer-receipt"
	extensionEvidence   = "governance-evidence"
	extensionIdentifier = "payment-identifier"
)

// object abbreviates the literal JSON schemas below.
type object = map[string]any

// identifierExtension advertises that a client may name its payment. The schema
// is the short form: clients echo it in every payment.
var identifierExtension = object{
	"info": object{"required": false},
	"schema": object{"type": "object", "properties": object{
		"required": object{"type": "boolean"},
		"id":       object{"type": "string", "minLength": 16, "maxLength": 128},
	}, "required": []string{"required"}},
}

var offersSchema = object{"type": "object", "properties": object{"offers": object{"type": "array"}}, "required": []string{"offers"}}

// extensions are those of a challenge: the signed offer and the identifier.
func (t Terms) extensions(signer Signer, now time.Time) (map[string]any, error) {
	offer, err := Sign(signer, t.Offer(now))
	if err != nil {
		return nil, err
	}
	offer.AcceptIndex = new(int)
	return map[string]any{
		extensionOffers:     object{"info": object{"offers": []Signed[Offer]{offer}}, "schema": offersSchema},
		extensionIdentifier: identifierExtension,
	}, nil
}

// OfferReceipt is the extension offer-receipt of a SettleResponse.
type OfferReceipt struct {
	Info struct {
		Receipt Signed[Receipt] `json:"receipt"`
	} `json:"info"`
}

// EvidenceExtension is the extension governance-evidence of a SettleResponse.
type EvidenceExtension struct {
	Info Signed[Evidence] `json:"info"`
}
