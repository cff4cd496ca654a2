// Package x402manifest serves the x402 discovery manifest: GET /.well-known/x402.
package x402manifest

import (
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler; the document is rendered once.
func New(site catalog.Site) http.Handler {
	return httpapi.Static(httpapi.JSON(catalog.Manifest(site)))
}
