package x402

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// The page that a person sees in place of the JSON terms. Every value is escaped
// and stands in text or in a quoted attribute: html/template would be 6 MB more
// in each Lambda, since its reflection keeps every method; package html 65 KB.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string

	pagePolicy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		sourceHash(pageScript), sourceHash(pageStyle))
)

// escape makes text safe in an element's text and in a quoted attribute.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// sourceHash names an inline script or style in a policy (CSP level 3, hash-source).
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// page is the 402 for a person: the terms, and a wallet's way to meet them. It
// loads nothing from elsewhere and works, but for the wallet, without scripts.
func (g *Gate) page(terms Terms, required Required) (httpapi.Response, error) {
	values, err := g.pageValues(terms, required)
	if err != nil {
		return httpapi.Response{}, err
	}
	answer := httpapi.Text("text/html", []byte(strings.NewReplacer(values...).Replace(pageHTML)))
	answer.Status = http.StatusPaymentRequired
	answer.Header.Set("Content-Security-Policy", pagePolicy)

	return answer, nil
}

// pageValues are the names in the page and what stands for them, in turn.
func (g *Gate) pageValues(terms Terms, required Required) ([]string, error) {
	data, err := json.MarshalIndent(required, "", "  ")
	if err != nil {
		return nil, err
	}

	e := terms.Endpoint
	site := terms.Site
	hint, button := pageWallet(terms)
	values := []string{"{{style}}", pageStyle, "{{script}}", pageScript, "{{choice}}", pageChoice(e, terms),
		"{{notice}}", optional(`<p class="notice" role="alert">%s</p>`, required.ErrorMessage),
		"{{preview}}", optional(`<p><a href="%s">Read the free preview</a></p>`, e.Preview),
		"{{no-wallet}}", hint,
		"{{wallet}}", button,
		"{{warning}}", pageWarning(site),
		"{{development}}", optional(`<button type="button" id="development" class="second" data-path="%s" hidden>Pay with the development payer</button>`, g.DevWallet),
	}
	for _, pair := range [][2]string{
		{"service", catalog.ServiceName}, {"title", e.Summary}, {"description", e.Description}, {"price", terms.Price.Dollars()},
		{"method", e.Method}, {"resource", terms.Resource}, {"amount", terms.Price.String()}, {"asset-name", site.AssetName},
		{"asset", site.Asset}, {"pay-to", site.PayTo}, {"network", site.Network}, {"network-name", NetworkV1(site.Network)}, {"seconds", strconv.Itoa(catalog.MaxTimeoutSecond)},
		{"terms", string(data)},
	} {
		values = append(values, "{{"+pair[0]+"}}", escape.Replace(pair[1]))
	}

	return values, nil
}

// pageWallet are the places of the page that speak of the browser's wallet. They stay
// empty on a development chain, where its signature would be valid on the real
// network too.
func pageWallet(terms Terms) (hint, button string) {
	if terms.Site.Development {
		return "", ""
	}
	hint = optional(`<p id="no-wallet" hidden>No wallet was found in this browser. Install one that holds %s, or pay with a program as shown below.</p>`, terms.Site.AssetName)
	button = optional(`<button type="button" id="wallet" hidden>Pay $%s with wallet</button>`, terms.Price.Dollars())
	return hint, button
}

// pageWarning warns a person that the money is play money.
func pageWarning(site catalog.Site) string {
	if !site.Development {
		return ""
	}
	return optional(`<p class="warning" role="note">%s</p>`, DevelopmentWarning)
}

// optional fills a piece of the page with a value, or leaves the piece out.
func optional(piece, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(piece, escape.Replace(value)) + "\n"
}

// pageChoice is the form in which a person chooses the amount where the price is
// the caller's.
func pageChoice(e catalog.Endpoint, terms Terms) string {
	if !e.Variable {
		return ""
	}
	return fmt.Sprintf(`<form method="get"><p><label for="amount">Amount in dollars</label>`+
		`<input id="amount" name="amount" inputmode="decimal" required value="%s"></p><button class="second">Change the amount</button></form>`+"\n",
		escape.Replace(terms.Price.Dollars()))
}

// prefersHTML reports whether a request comes from a browser's address line: it names
// text/html and wants it more than JSON (RFC 9110 section 12.5.1).
func prefersHTML(accept []string) bool {
	page, data := 0.0, 0.0
	precise := -1 // how exactly the best range names JSON
	for entry := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, quality := mediaRange(entry)
		if name == "text/html" {
			page = max(page, quality)
		}
		if at := precision(name); at > precise {
			precise, data = at, quality
		}
	}
	return page > data
}

// precision ranks the ranges that JSON falls into.
func precision(name string) int {
	switch name {
	case "application/json":
		return 2
	case "application/*":
		return 1
	case "*/*":
		return 0
	}
	return -1
}

// mediaRange reads one element of an Accept header; a malformed weight is 0.
func mediaRange(entry string) (name string, quality float64) {
	name, parameters, _ := strings.Cut(entry, ";")
	quality = 1
	for parameter := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(key, "q") {
			continue
		}
		var err error
		quality, err = strconv.ParseFloat(value, 64)
		if err != nil ||
			!(quality >= 0 && quality <= 1) {
			quality = 0
		}
	}
	return strings.ToLower(strings.TrimSpace(name)), quality
}
