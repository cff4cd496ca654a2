// Package openapi serves the OpenAPI description: GET /openapi.json.
package openapi

import (
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler; the document is rendered once.
func New(site catalog.Site) http.Handler {
	return httpapi.Static(httpapi.JSON(catalog.OpenAPI(site)))
}
