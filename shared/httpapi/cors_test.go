package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBrowsersMayPayAndReadTheReceipt(t *testing.T) {
	mux := Mux([]Route{{"POST", "/x", Handle(func(*http.Request) (Response, error) { return Text("text/plain", nil), nil })}})
	ask := func(method, path string) http.Header {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(method, path, nil)
		request.Header.Set("Origin", "https://page.example")
		mux.ServeHTTP(recorder, request)
		return recorder.Result().Header
	}
	preflight := ask("OPTIONS", "/x")
	for _, name := range []string{"content-type", "payment-signature", "x-payment", "sign-in-with-x", "x402-version", "access-control-expose-headers"} {
		if !strings.Contains(preflight.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s may not be sent", name)
		}
	}
	if preflight.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("methods %q", preflight.Get("Access-Control-Allow-Methods"))
	}
	for _, header := range []http.Header{preflight, ask("POST", "/x"), ask("GET", "/x"), ask("GET", "/nowhere")} {
		if header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("origin %v", header)
		}
		for _, name := range []string{"PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE", "Retry-After"} {
			if !strings.Contains(header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s may not be read", name)
			}
		}
	}
}
