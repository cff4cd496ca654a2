package catalog

import (
	"fmt"
	"strings"
)

// Product is a row of the products catalogue.
type Product struct {
	ID          string   `json:"id"`
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	URL         string   `json:"url"`
	Price       string   `json:"price"`  // dollars
	Amount      string   `json:"amount"` // atomic units
	Minimum     bool     `json:"minimum,omitempty"`
	Currency    string   `json:"currency"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	MimeType    string   `json:"mimeType"`
	Preview     string   `json:"preview,omitempty"` // URL
	Tags        []string `json:"tags,omitempty"`
}

// ProductList is the answer of GET /x402/products.
type ProductList struct {
	Service     string    `json:"service"`
	X402Version int       `json:"x402Version"`
	Network     string    `json:"network"`
	Asset       string    `json:"asset"`
	PayTo       string    `json:"payTo"`
	Products    []Product `json:"products"`
}

// Products lists the paid rows.
func Products(site Site) ProductList {
	list := ProductList{
		Service:     ServiceName,
		X402Version: X402Version,
		Network:     site.Network,
		Asset:       site.Asset,
		PayTo:       site.PayTo,
	}
	for _, e := range paidRows() {
		p := Product{
			ID:          e.Operation,
			Method:      e.Method,
			Path:        e.Path,
			URL:         site.BaseURL + e.Path,
			Price:       e.Price.Dollars(),
			Amount:      e.Price.String(),
			Minimum:     e.Variable,
			Currency:    "USD",
			Summary:     e.Summary,
			Description: e.Description,
			MimeType:    e.MIME,
			Tags:        e.Tags,
		}

		if e.Preview != "" {
			p.Preview = site.BaseURL + e.Preview
		}

		list.Products = append(list.Products, p)
	}

	return list
}

func paidRows() []Endpoint {
	var rows []Endpoint
	for _, e := range Endpoints {
		if e.Paid() {
			rows = append(rows, e)
		}
	}
	return rows
}

// LLMs is the text of /llms.txt (llmstxt.org: title, summary, sections of links).
func LLMs(site Site) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> External governance layer for agent systems: verify the audit trail, lint MCP configurations, buy guides. Pay per call with x402; no signup, no API keys.\n\n",
		ServiceName)
	fmt.Fprintf(&b, "Pay: call a paid path, read the terms from the 402 (body or PAYMENT-REQUIRED header), sign the EIP-3009 authorization or the Permit2 permit, repeat the request with PAYMENT-SIGNATURE (x402 version 2) or X-PAYMENT (version 1). Network %s, asset %s, paid to %s. Failed requests are not charged. On 503 send the same payment again; do not sign a new one.\n",
		site.Network, site.Asset, site.PayTo)
	section := func(title string, rows []Endpoint) {
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		for _, e := range rows {
			fmt.Fprintf(&b, "- [%s %s](%s): %s Price: %s.\n",
				e.Method, e.Path, site.BaseURL+e.Path, e.Description, e.PriceText())
		}
	}
	section("Paid endpoints", paidRows())

	var open []Endpoint
	for _, e := range Endpoints {
		if !e.Paid() {
			open = append(open, e)
		}
	}

	section("Free endpoints", open)
	return b.String()
}

// AgentCard is the A2A agent card, protocol 0.3.0. Each paid endpoint is a skill.
func AgentCard(site Site) any {
	var skills []object
	for _, e := range paidRows() {
		skills = append(skills, object{
			"id":          e.Operation,
			"name":        e.Summary,
			"tags":        e.Tags,
			"description": e.Description + " " + e.Method + " " + e.Path + ", " + e.PriceText() + " by x402.",
			"outputModes": []string{e.MIME},
		})
	}

	return object{
		"protocolVersion":    CardProtocol,
		"version":            CardVersion,
		"name":               ServiceName,
		"description":        "External governance layer for agent systems, paid per call with x402. This card describes a plain HTTP API; its OpenAPI document says how to call it.",
		"url":                site.BaseURL,
		"preferredTransport": "HTTP+JSON",
		"documentationUrl":   site.BaseURL + "/openapi.json",
		"capabilities":       object{"streaming": false, "pushNotifications": false},
		"defaultInputModes":  []string{"application/json"},
		"defaultOutputModes": []string{"application/json"},
		"skills":             skills,
	}
}

// Manifest is the x402 discovery manifest: the list of resources that directories
// read, the items of the well-known-discovery draft, and who signs.
func Manifest(site Site) any {
	var urls []string
	var items []object
	for _, e := range paidRows() {
		urls = append(urls, site.BaseURL+e.Path)
		items = append(items, object{
			"resource": object{
				"url":         site.BaseURL + e.Path,
				"description": e.Description,
				"mimeType":    e.MIME,
				"serviceName": ServiceName,
				"tags":        e.Tags,
			},
			"type":    "http",
			"accepts": accepts(site, e),
			"input":   object{"method": e.Method, "routeTemplate": e.Path},
			"output":  object{"mimeType": e.MIME},
		})
	}

	manifest := object{
		"version":     1,
		"x402Version": X402Version,
		"resources":   urls,
		"items":       items,
		"openapi":     site.BaseURL + "/openapi.json",
		"products":    site.BaseURL + "/x402/products",
		"discovery":   site.BaseURL + "/discovery/resources",
	}

	if site.Signer != "" {
		manifest["signer"] = object{
			"address": site.Signer,
			"format":  "eip712",
			"signs":   []string{"x402 offer", "x402 receipt", "governance evidence", "governance thank-you"},
		}
	}

	return manifest
}

// accepts returns the terms of a row at its min price: by EIP-3009, and by Permit2.
func accepts(site Site, e Endpoint) []object {
	extras := []object{{"name": site.AssetName, "version": site.AssetVersion}}
	if !site.NoPermit2 {
		extras = append(extras, object{
			"name":                site.AssetName,
			"version":             site.AssetVersion,
			"assetTransferMethod": "permit2",
		})
	}

	var all []object
	for _, extra := range extras {
		all = append(all, object{
			"scheme":            "exact",
			"network":           site.Network,
			"amount":            e.Price.String(),
			"asset":             site.Asset,
			"payTo":             site.PayTo,
			"maxTimeoutSeconds": MaxTimeoutSecond,
			"extra":             extra,
		})
	}

	return all
}

// ReadmeTable is the endpoint table of the README, in markdown.
func ReadmeTable() string {
	var b strings.Builder
	b.WriteString("| Method | Path | Price | What you get |\n|---|---|---|---|\n")
	for _, e := range Endpoints {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", e.Method, e.Path, e.PriceText(), e.Summary)
	}
	return b.String()
}
