package paid

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

const arguments = `{"mode": "explain", "text": "A text."}`

func all(p Products) []*tool.Tool {
	return []*tool.Tool{LegalPrep(p), Bookkeeping(p), AgentTherapy(p)}
}

func TestEveryToolSellsAPaidRow(t *testing.T) {
	for _, each := range all(Products{}) {
		path := "/x402/" + strings.ReplaceAll(each.Name, "_", "-")
		row, ok := catalog.Lookup("POST", path)
		if !ok || !row.Paid() || !strings.Contains(each.Description, row.PriceText()) || !each.Forwarded {
			t.Errorf("%s: %s is %+v", each.Name, path, row)
		}
	}
}

func TestACallIsForwardedWithItsPayment(t *testing.T) {
	var got *http.Request
	var body []byte
	seller := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body) // compared below
		w.Header().Set(x402.HeaderResponse, "eyJzdWNjZXNzIjp0cnVlfQ==")
		_, _ = io.WriteString(w, `{"disclaimer":"x"}`)
	}))
	defer seller.Close()

	call := &tool.Call{Arguments: json.RawMessage(arguments), Payment: json.RawMessage(`{"x402Version":2}`)}
	result := LegalPrep(At(seller.URL+"/")).Run(t.Context(), call)
	if result.IsError || string(result.Structured) != `{"disclaimer":"x"}` || result.Meta[x402.MetaResponse] == nil {
		t.Errorf("%+v", result)
	}
	if got.URL.Path != "/x402/legal-prep" || string(body) != `{"mode":"explain","text":"A text."}` || got.Header.Get(x402.HeaderSignature) == "" {
		t.Errorf("%s %s %v", got.URL, body, got.Header)
	}
}

func TestFailuresAreErrorsAndNoReasonToPayAgain(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"a problem": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"payment_state_unknown","detail":"Ask again."}`)
		},
		"no problem document": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/elsewhere", http.StatusTemporaryRedirect)
		},
	}
	for name, answer := range answers {
		seller := httptest.NewServer(answer)
		result := LegalPrep(At(seller.URL)).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		seller.Close()
		if !result.IsError || result.Err.Code == "payment_required" {
			t.Errorf("%s: %+v", name, result)
		}
	}

	for name, p := range map[string]Products{"no address": {}, "nobody there": At("http://127.0.0.1:1")} {
		result := LegalPrep(p).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		if !result.IsError || result.Err.Code != "unavailable" || result.Err.Hint == "" {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestWrongArgumentsAreRefusedBeforeTheProductIsAsked(t *testing.T) {
	seller := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the product was asked") }))
	defer seller.Close()
	for _, wrong := range []string{``, `{}`, `{"mode":"sue","text":"a"}`, `{"mode":"explain","text":""}`, `{"mode":"explain"}`, `[`} {
		result := LegalPrep(At(seller.URL)).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(wrong)})
		if !result.IsError || result.Err.Code != "invalid_argument" {
			t.Errorf("%s: %+v", wrong, result)
		}
	}
}
