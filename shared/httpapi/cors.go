package httpapi

import "net/http"

// The headers that a page must be able to send and read to pay. access-control-expose-headers is among the first because the stock x402
// client sends it as a request header.
const (
	corsAllow  = "content-type, payment-signature, x-payment, sign-in-with-x, x402-version, audit-checkpoint, access-control-expose-headers"
	corsExpose = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, X-Request-Id"
	corsMaxAge = "86400" // seconds that a browser may remember the preflight
)

// anyOrigin lets pages of every origin use a public route. A request has no
// credentials; only its payment grants access.
func anyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", corsExpose)
		next.ServeHTTP(w, r)
	})
}

// preflight answers OPTIONS (Fetch standard, CORS protocol).
func preflight(methods string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Allow", methods+", OPTIONS")
		header.Set("Access-Control-Allow-Methods", methods)
		header.Set("Access-Control-Allow-Headers", corsAllow)
		header.Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}
