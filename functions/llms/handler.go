// Package llms serves the summary for language models: GET /llms.txt.
package llms

import (
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler; the document is rendered once.
func New(site catalog.Site) http.Handler {
	return httpapi.Static(httpapi.Text("text/plain", []byte(catalog.LLMs(site))), nil)
}
