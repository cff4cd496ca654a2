// Package console is the page that a person sees at the address of the tool server:
// what is halted, what the audit chain holds, what can be called and what it costs.
//
// It is one document without any other request but to the server itself. Its policy names
// its only script and its only style by their hashes. The page contains no secret: a secret
// that a person types is sent with the request and not stored.
package console

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"

	"governance.internal/shared/catalog"
)

var (
	//go:embed console.html
	document string
	//go:embed console.css
	style string
	//go:embed console.js
	script string

	policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
		sourceHash(script), sourceHash(style))
)

// Page is what a console shows besides what it asks the server for.
type Page struct {
	Name, Version, Build string
	Base                 string // path of the server, without a slash at its end
	NeedsToken           bool   // the server has an API token
	Try                  string // path of the pages that try the products, "" without them
	Products             []catalog.Endpoint
}

// Handler answers with the page. Every value is escaped and stands in text or in a
// quoted attribute.
func Handler(p Page) http.Handler {
	local := ""
	if p.NeedsToken {
		local = "hidden"
	}

	noTry := ""
	if p.Try == "" {
		noTry = "hidden"
	}

	text := strings.NewReplacer(
		"{{style}}", style, "{{script}}", script, "{{products}}", products(p.Products),
		"{{name}}", html.EscapeString(p.Name), "{{version}}", html.EscapeString(p.Version), "{{build}}", html.EscapeString(p.Build),
		"{{base}}", html.EscapeString(p.Base), "{{token}}", fmt.Sprint(p.NeedsToken), "{{local}}", local,
		"{{try}}", html.EscapeString(p.Try), "{{no-try}}", noTry,
	).Replace(document)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", policy)
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Vary", "Accept")

		_, _ = w.Write([]byte(text)) // the client may be gone
	})
}

// sourceHash names an inline script or style in a policy (CSP level 3, hash-source).
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// products are the rows of what is sold.
func products(rows []catalog.Endpoint) string {
	var b strings.Builder
	for _, e := range rows {
		if e.Paid() {
			fmt.Fprintf(&b, "<tr><td>%s<br><code>%s</code></td><td>%s</td></tr>\n",
				html.EscapeString(e.Summary), html.EscapeString(e.Method+" "+e.Path), html.EscapeString(e.PriceText()))
		}
	}
	return b.String()
}
