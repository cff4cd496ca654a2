package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/local/devchain"
)

func smokeAt(t *testing.T, args ...string) (status int, out, complaints string) {
	t.Helper()
	var o, e strings.Builder
	status = run(t.Context(), terminal{out: &o, err: &e}, append([]string{"smoke"}, args...))
	return status, o.String(), e.String()
}

func TestSmokeBuysAndChecksWhatItGot(t *testing.T) {
	r := start(t)
	key := filepath.Join(t.TempDir(), "payer.key")
	if err := os.WriteFile(key, []byte(devchain.PayerKey), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, complaints := smokeAt(t, r.url, "-key", key)
	if status != 0 || strings.Count(out, " ok\n") != 6 {
		t.Errorf("%d\n%s%s", status, out, complaints)
	}
	if n := settlements(t, r.data); n != 1 {
		t.Errorf("%d settlements", n)
	}
	if status, out, complaints := smokeAt(t, r.url); status != 0 || strings.Count(out, " ok\n") != 4 || !strings.Contains(complaints, "nothing was bought") {
		t.Errorf("without a key: %d\n%s%s", status, out, complaints)
	}
}

// Each thing that a deployment can get wrong fails its own check.
func TestSmokeFindsWhatIsWrong(t *testing.T) {
	r := start(t)
	target, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	for say, change := range map[string]func(*http.Response) error{
		"the price may be cached": func(a *http.Response) error { a.Header.Del("Cache-Control"); return nil },
		"404 application/json": func(a *http.Response) error {
			if a.StatusCode == http.StatusNotFound {
				a.Header.Set("Content-Type", "application/json")
			}
			return nil
		},
		"/health answers 503": func(a *http.Response) error {
			if a.Request.URL.Path == "/health" {
				a.StatusCode = http.StatusServiceUnavailable
			}
			return nil
		},
		"/openapi.json answers 500": func(a *http.Response) error {
			if a.Request.URL.Path == "/openapi.json" {
				a.StatusCode = http.StatusInternalServerError
			}
			return nil
		},
	} {
		proxy := &httputil.ReverseProxy{ModifyResponse: change, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
		front := httptest.NewServer(proxy)
		status, out, _ := smokeAt(t, front.URL)
		front.Close()
		if status != 1 || !strings.Contains(out, say) {
			t.Errorf("%q is not said: %d\n%s", say, status, out)
		}
	}
	for _, address := range []string{"shop.example", "http://shop.example", ""} {
		if status, _, complaints := smokeAt(t, address); status != 2 || !strings.Contains(complaints, "https://") {
			t.Errorf("%q: %d %s", address, status, complaints)
		}
	}
}
