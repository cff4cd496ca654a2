package x402

import (
	"net/url"
	"time"

	"governance.internal/shared/catalog"
)

// Terms are what one request costs.
type Terms struct {
	Site     catalog.Site
	Endpoint catalog.Endpoint
	Price    catalog.Units
	Resource string // absolute URL
	Tool     bool   // of an MCP server; such terms carry no extension about HTTP
}

// TermsFor computes the terms of a request to an endpoint. The resource is built
// from the configured base URL, never from the Host header, and names the amount
// where the caller chose one.
//
// An error says what is wrong with the query; the terms are then those of the
// least price, so that an unpaid request still gets its 402.
func TermsFor(site catalog.Site, e catalog.Endpoint, rawQuery string) (Terms, error) {
	terms := Terms{
		Site:     site,
		Endpoint: e,
		Price:    e.Price,
		Resource: site.BaseURL + e.Path,
	}

	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return terms, badRequest("malformed_query", "The query string is malformed: "+err.Error()+".")
	}
	if !e.Variable || !query.Has("amount") {
		return terms, nil
	}

	price, err := chosenAmount(e, query["amount"])
	if err != nil {
		return terms, err
	}

	terms.Price = price
	terms.Resource += "?amount=" + url.QueryEscape(query.Get("amount"))
	return terms, nil
}

// MaxTip is the largest amount that a caller may choose.
const MaxTip = 1000 * catalog.Dollar

func chosenAmount(e catalog.Endpoint, values []string) (catalog.Units, error) {
	price, err := catalog.ParseDollars(values[0])
	if err != nil ||
		len(values) > 1 ||
		price < e.Price ||
		price > MaxTip {
		return 0, badRequest("invalid_amount",
			"amount must be one dollar amount from "+e.Price.Dollars()+" to "+MaxTip.Dollars()+" with at most 6 decimals, for example amount=0.05.")
	}
	return price, nil
}

// Requirements are the terms of paying by EIP-3009 in version 2.
func (t Terms) Requirements() Requirements {
	return Requirements{
		Scheme:            "exact",
		Network:           t.Site.Network,
		Amount:            t.Price.String(),
		Asset:             t.Site.Asset,
		PayTo:             t.Site.PayTo,
		MaxTimeoutSeconds: catalog.MaxTimeoutSecond,
		Extra:             t.extra(),
		Resource:          t.Resource,
		Description:       t.Endpoint.Description,
		MimeType:          t.Endpoint.MIME,
	}
}

// extra is the EIP-712 domain that the payer must sign under.
func (t Terms) extra() map[string]any {
	return map[string]any{"name": t.Site.AssetName, "version": t.Site.AssetVersion}
}

func (t Terms) requirementsV1() RequirementsV1 {
	return RequirementsV1{
		Scheme:            "exact",
		Network:           NetworkV1(t.Site.Network),
		MaxAmountRequired: t.Price.String(),
		Resource:          t.Resource,
		Description:       t.Endpoint.Description,
		MimeType:          t.Endpoint.MIME,
		PayTo:             t.Site.PayTo,
		MaxTimeoutSeconds: catalog.MaxTimeoutSecond,
		Asset:             t.Site.Asset,
		Extra:             t.extra(),
		OutputSchema:      catalog.OutputSchemaV1(t.Endpoint),
	}
}

// Offer is the signed commitment to the terms (extension offer-receipt).
func (t Terms) Offer(now time.Time) Offer {
	return Offer{
		Version:     1,
		ResourceURL: t.Resource,
		Scheme:      "exact",
		Network:     t.Site.Network,
		Asset:       t.Site.Asset,
		PayTo:       t.Site.PayTo,
		Amount:      t.Price.String(),
		ValidUntil:  uint64(now.Add(offerLife).Unix()),
	}
}

const offerLife = time.Hour

// Required is the version 2 challenge with the given extensions.
func (t Terms) Required(reason, message string, extensions map[string]any) Required {
	if t.Tool && reason == unpaidExplanation {
		reason = unpaidExplanationTool
	}

	return Required{
		X402Version:  2,
		Error:        reason,
		ErrorMessage: message,
		Resource: Resource{
			URL:         t.Resource,
			Description: t.Endpoint.Description,
			MimeType:    t.Endpoint.MIME,
			ServiceName: catalog.ServiceName,
			Tags:        t.Endpoint.Tags,
		},
		Accepts:    t.Accepts(),
		Extensions: extensions,
	}
}

// RequiredV1 is the version 1 challenge.
func (t Terms) RequiredV1(reason, message string, extensions map[string]any) RequiredV1 {
	if reason == unpaidExplanation {
		reason = unpaidExplanationV1
	}
	return RequiredV1{
		X402Version:  1,
		Error:        reason,
		ErrorMessage: message,
		Accepts:      []RequirementsV1{t.requirementsV1()},
		Extensions:   extensions,
	}
}
