package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"runtime/debug"

	"governance.internal/shared/telemetry"
)

// Middleware gives each request an id, sets the headers that every answer
// carries and turns a panic into a 500.
func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newRequestID()
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id))
		header := w.Header()
		header.Set("X-Request-Id", id)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		defer func() {
			if cause := recover(); cause != nil {
				WriteError(w, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
			}
		}()

		next.ServeHTTP(w, r)
	})
}

func newRequestID() string {
	var raw [12]byte
	_, _ = rand.Read(raw[:]) // crypto/rand never fails since Go 1.24
	return hex.EncodeToString(raw[:])
}

// Route is one pattern of a [Mux].
type Route struct {
	Method, Path string
	Handler      http.Handler
}

// Mux serves public routes, also to pages of any origin, and answers all other
// requests with problem JSON: 404 for an unknown path, 405 with Allow for a
// known path and another method.
func Mux(routes []Route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string]string{}
	for _, route := range routes {
		mux.Handle(route.Method+" "+route.Path, route.Handler)
		if methods[route.Path] != "" {
			methods[route.Path] += ", "
		}
		methods[route.Path] += route.Method
	}

	for pattern, allow := range methods {
		mux.Handle("OPTIONS "+pattern, preflight(allow))
		mux.Handle(pattern, notAllowed(allow))
	}

	mux.Handle("/", http.HandlerFunc(notFound))
	return telemetry.Handler(mux, Middleware(anyOrigin(literalPath(mux))))
}

// literalPath answers paths that ServeMux would redirect, in its own HTML, to
// their clean form: clients do not follow a redirect with a payment.
func literalPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func notAllowed(allow string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow+", OPTIONS")
		WriteError(w, r, &Error{
			Status: http.StatusMethodNotAllowed,
			Code:   "method_not_allowed",
			Detail: "This path answers " + allow + " only.",
		})
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	WriteError(w, r, &Error{
		Status: http.StatusNotFound,
		Code:   "not_found",
		Detail: "No such path. GET /x402/products lists what there is, /openapi.json how to call it.",
	})
}
