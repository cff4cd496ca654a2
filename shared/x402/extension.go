package x402

import (
	"time"

	"governance.internal/shared/catalog"
)

// Names of the extensions.
const (
	extensionOffers     = "offer-receipt"
	extensionEvidence   = "governance-evidence"
	extensionIdentifier = "payment-identifier"
	extensionBazaar     = "bazaar"
	extensionSignIn     = "sign-in-with-x"

	// ExtensionDevelopment marks terms of a development chain. It is our own.
	ExtensionDevelopment = "development-chain"
)

// DevelopmentWarning is what terms of a development chain say to the payer.
const DevelopmentWarning = "Development chain, play money. Never sign with a real wallet: the chain id and the token are those of the real network, so the signature would be valid there."

// object abbreviates the literal JSON schemas below.
type object = map[string]any

// The schemas are as short as they can be and still say what a client must know:
// clients echo them in every payment.
var (
	identifierExtension = object{
		"info":   object{"required": false}, // a client may name its payment
		"schema": object{"properties": object{"id": object{"minLength": 16, "maxLength": 128}}},
	}
	offersSchema = object{"required": []string{"offers"}}

	developmentExtension = object{
		"info":   object{"message": DevelopmentWarning},
		"schema": object{"required": []string{"message"}},
	}
)

// extensions are those of a challenge: the signed offer, the identifier
// and how to call the resource.
func (t Terms) extensions(signer Signer, now time.Time) (map[string]any, error) {
	offer, err := Sign(signer, t.Offer(now))
	if err != nil {
		return nil, err
	}

	offer.AcceptIndex = new(int)
	extensions := map[string]any{
		extensionOffers: object{
			"info":   object{"offers": []Signed[Offer]{offer}},
			"schema": offersSchema,
		},
		extensionIdentifier: identifierExtension,
	}

	if !t.Tool {
		extensions[extensionBazaar] = catalog.Bazaar(t.Endpoint)
	}
	if t.Site.Development {
		extensions[ExtensionDevelopment] = developmentExtension
	}

	return extensions, nil
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
