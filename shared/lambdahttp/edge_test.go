package lambdahttp

import (
	"net/http"
	"strings"
	"testing"
)

func TestOnlyTheContentNetworkPasses(t *testing.T) {
	reached := 0
	handler := Adapt(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached++
		if r.Header.Get(originHeader) != "" {
			t.Error("the handler sees the secret")
		}
	}))
	invoke := behind("secret", handler)
	for _, e := range []string{"", "wrong", "secret ", "Secret"} {
		a, err := invoke(t.Context(), event("GET", "/", "", header(originHeader, e)))
		if err != nil || a.StatusCode != 403 || !strings.Contains(a.Body, `"wrong_address"`) || strings.Contains(a.Body, "secret") {
			t.Errorf("%q: %d %s (%v)", e, a.StatusCode, a.Body, err)
		}
	}
	if reached != 0 {
		t.Fatal("a refused request reached the handler")
	}
	if a, err := invoke(t.Context(), event("GET", "/", "", header(originHeader, "secret"))); err != nil || a.StatusCode != 200 || reached != 1 {
		t.Errorf("%d, reached %d (%v)", a.StatusCode, reached, err)
	}
	if a, err := behind("", handler)(t.Context(), event("GET", "/", "")); err != nil || a.StatusCode != 200 {
		t.Errorf("without a secret: %d (%v)", a.StatusCode, err)
	}
}
