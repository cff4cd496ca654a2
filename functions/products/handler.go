// Package products serves the catalogue of paid products: GET /x402/products.
package products

import (
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler; the document is rendered once.
func New(site catalog.Site) http.Handler {
	return httpapi.Static(httpapi.JSON(catalog.Products(site)))
}
