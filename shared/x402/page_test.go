package x402_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

// browser is the Accept header that Chromium sends from its address line.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func visit(t *testing.T, where catalog.Site, wallet, target, accept string) *httptest.ResponseRecorder {
	t.Helper()
	gate := &x402.Gate{Site: where, Signer: signer(t), Now: time.Now, DevWallet: wallet}
	r := httptest.NewRequest("GET", target, nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	gate.Sell("tip", nil).ServeHTTP(w, r)
	return w
}

func TestOnlyABrowserGetsThePage(t *testing.T) {
	for accept, page := range map[string]bool{
		browser: true, "text/html": true, "text/html;q=0.9, application/json;q=0.8": true, "TEXT/HTML ; charset=utf-8; q=1": true,
		"text/html, application/*;q=0.5, */*;q=0": true, "application/json;q=0.1, text/html;q=0.5, */*": true,
		"": false, "*/*": false, "text/*": false, "application/json": false, "text/html, */*": false, "text/html, application/json": false,
		"text/html;q=0, */*;q=0": false, "text/html;q=0.5, application/json": false, "text/html;q=2": false, "text/html;q=x": false,
		"text/html;q=0.5, */*;q=0.6": false, "text/html;q=0.5, application/*": false, "text/htmlx": false, "text/html;q=NaN": false,
	} {
		w := visit(t, site(), "", "/x402/tip", accept)
		if got := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); got != page {
			t.Errorf("Accept %q: %s", accept, w.Header().Get("Content-Type"))
		}
		if w.Code != 402 || w.Header().Get(x402.HeaderRequired) == "" || w.Header().Get("Vary") != "Accept, X402-Version" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("Accept %q: status %d, header %v", accept, w.Code, w.Header())
		}
	}
	if w := visit(t, site(), "", "/x402/tip?x402Version=1", browser); w.Header().Get("Content-Type") != "application/json" {
		t.Error("version 1 terms must be JSON for browsers too")
	}
}

// A client whose Accept header does not name HTML never gets it.
func FuzzAccept(f *testing.F) {
	f.Add(browser)
	f.Add("text/html;q=0.5;q=1, */*;q=1e-9")
	f.Add(";q=,text/html;;=")
	f.Fuzz(func(t *testing.T, accept string) {
		w := visit(t, site(), "", "/x402/tip", accept)
		if page := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); page && !strings.Contains(strings.ToLower(accept), "text/html") || w.Code != 402 {
			t.Fatalf("Accept %q: status %d, page %v", accept, w.Code, page)
		}
	})
}

func TestThePageHasTheTermsOfItsHeader(t *testing.T) {
	w := visit(t, site(), "", "/x402/tip?amount=12.5", browser)
	page := w.Body.String()
	for _, part := range []string{"$12.50", "https://shop.example/x402/tip?amount=12.5", "12500000 atomic units", site().PayTo, site().Asset, "eip155:8453", `lang="en"`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if strings.Contains(page, "{{") || strings.Contains(page, `id="development"`) {
		t.Error("the page has an unfilled name, or a wallet that does not exist")
	}
	terms := regexp.MustCompile(`(?s)<pre id="terms"[^>]*>(.*?)</pre>`).FindStringSubmatch(page)
	var inPage, inHeader x402.Required
	if terms == nil || json.Unmarshal([]byte(html.UnescapeString(terms[1])), &inPage) != nil || x402.DecodeHeader(w.Header().Get(x402.HeaderRequired), &inHeader) != nil {
		t.Fatal("the page or the header has no terms")
	}
	if encode(t, inPage) != encode(t, inHeader) {
		t.Errorf("page %+v\nheader %+v", inPage, inHeader)
	}
}

// No text of a deployment or a caller becomes markup.
func TestHostileTextStaysText(t *testing.T) {
	const hostile = `</pre><script>alert(1)</script><img src=x onerror='alert(2)'>" onfocus="alert(3)" {{script}}`
	where := site()
	where.AssetName, where.PayTo, where.Asset, where.Network, where.BaseURL = hostile, hostile, hostile, hostile, "https://shop.example/"+hostile
	plain := visit(t, site(), "/dev/wallet", "/x402/tip", browser).Body.String()
	page := visit(t, where, hostile, "/x402/tip?amount=%3Cscript%3E", browser).Body.String()
	for _, mark := range []string{"<script", "<img", "onfocus=\"", "</pre>"} {
		if got, want := strings.Count(page, mark), strings.Count(plain, mark); got != want {
			t.Errorf("%s stands %d times, want %d", mark, got, want)
		}
	}
	if !strings.Contains(page, "amount must be one dollar amount") {
		t.Error("the page does not say what is wrong with the amount")
	}
}

func TestThePolicyAllowsExactlyThePage(t *testing.T) {
	w := visit(t, site(), "/dev/wallet", "/x402/tip", browser)
	policy, page := w.Header().Get("Content-Security-Policy"), w.Body.String()
	for _, directive := range []string{"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("%s lacks %s", policy, directive)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("policy %s", policy)
	}
	for _, tag := range []string{"script", "style"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d %s elements", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, hash) {
			t.Errorf("the policy does not allow the %s %s", tag, hash)
		}
	}
	if attributes := regexp.MustCompile(`<[^>]* (on[a-z]+|style|src)=`).FindString(page); attributes != "" {
		t.Errorf("the policy forbids %s", attributes)
	}
}
