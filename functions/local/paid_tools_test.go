package main

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/shared/x402"
)

// toolClient is the official client over one of the transports.
type toolClient struct {
	*running
	session *mcp.ClientSession
}

// sellingTools starts a service with GOV_PAID_TOOLS and a client for each transport.
func sellingTools(t *testing.T) map[string]toolClient {
	t.Helper()
	r := startWith(t, t.TempDir(), lookup(map[string]string{"GOV_PAID_TOOLS": "true"}))
	return clientsOf(t, r, "")
}

// clientsOf are a client for each transport, with a query in their addresses.
func clientsOf(t *testing.T, r *running, query string) map[string]toolClient {
	t.Helper()
	clients := map[string]toolClient{}
	for name, transport := range map[string]mcp.Transport{
		"sse": &mcp.SSEClientTransport{Endpoint: r.url + "/sse" + query}, "http": &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp" + query},
	} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() { _ = session.Close() })
		clients[name] = toolClient{r, session}
	}
	return clients
}

func (c toolClient) use(name string, arguments any, payment *x402.Payload) *mcp.CallToolResult {
	c.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	if payment != nil {
		params.Meta = mcp.Meta{x402.MetaPayment: payment}
	}
	result, err := c.session.CallTool(c.Context(), params)
	if err != nil {
		c.Fatalf("%s: %v", name, err)
	}
	return result
}

// into reads a value as another one, by its JSON.
func into[T any](t *testing.T, value any) (out T) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatalf("%v: %v", value, err)
	}
	return out
}

// terms are what an unpaid call gets.
func (c toolClient) terms(name string, arguments any) *x402.Required {
	c.Helper()
	result := c.use(name, arguments, nil)
	text := result.Content[0].(*mcp.TextContent).Text
	var same any
	if err := json.Unmarshal([]byte(text), &same); err != nil || !result.IsError || !reflect.DeepEqual(same, result.StructuredContent) {
		c.Fatalf("terms of %s: %s (%v)", name, text, err)
	}
	required := into[x402.Required](c.T, result.StructuredContent)
	return &required
}

func (c toolClient) pay(required *x402.Required) *x402.Payload {
	c.Helper()
	key, err := devPayer()
	if err != nil {
		c.Fatal(err)
	}
	header, err := (&buyer{key: key, client: http.DefaultClient}).sign(required, time.Now())
	if err != nil {
		c.Fatal(err)
	}
	payload := new(x402.Payload)
	if err := x402.DecodeHeader(header, payload); err != nil {
		c.Fatal(err)
	}
	return payload
}

var lintArguments = map[string]any{"config": map[string]any{"mcpServers": map[string]any{"a": map[string]any{"command": "npx", "args": []string{"-y", "x"}}}}}

// An agent reads the terms in the result, pays in _meta and gets the answer with the
// settlement, over either transport; the same payment gives the same answer again.
func TestAnAgentPaysForATool(t *testing.T) {
	clients := sellingTools(t)
	var want int64
	for name, c := range clients {
		required := c.terms("lint_mcp_config", lintArguments)
		if required.Resource.URL != "mcp://tool/lint_mcp_config" || required.Accepts[0].Amount != "50000" {
			t.Fatalf("%s: terms %+v", name, required)
		}
		payment := c.pay(required)
		paid := c.use("lint_mcp_config", lintArguments, payment)
		settled := into[x402.SettleResponse](t, paid.Meta[x402.MetaResponse])
		if paid.IsError || !settled.Success || settled.Transaction == "" || into[struct{ Score int }](t, paid.StructuredContent).Score == 0 {
			t.Fatalf("%s: %+v, settled %+v", name, paid, settled)
		}
		want += 50_000
		c.wantReceived(want, name)
		for other, again := range clients {
			replay := again.use("lint_mcp_config", lintArguments, payment)
			if replay.IsError || !reflect.DeepEqual(replay.StructuredContent, paid.StructuredContent) || !reflect.DeepEqual(replay.Meta[x402.MetaResponse], paid.Meta[x402.MetaResponse]) {
				t.Errorf("paid over %s, asked again over %s: %+v", name, other, replay)
			}
		}
		c.wantReceived(want, name+", asked again")
		other := c.use("lint_mcp_config", map[string]any{"config": map[string]any{"command": "npx"}}, payment)
		if reason := into[x402.Required](t, other.StructuredContent).Error; !other.IsError || reason != x402.ReasonNonceUsed {
			t.Errorf("%s: the same payment for another configuration: %q %+v", name, reason, other)
		}
		c.wantReceived(want, name+", another call")
	}
}

func TestVerificationIsSoldAndTheServersOwnRouteIsFree(t *testing.T) {
	c := sellingTools(t)["sse"]
	required := c.terms("verify_audit_chain", nil)
	paid := c.use("verify_audit_chain", nil, c.pay(required))
	if paid.IsError || !into[struct{ Valid bool }](t, paid.StructuredContent).Valid || required.Accepts[0].Amount != "5000" {
		t.Errorf("%+v, terms %+v", paid, required)
	}
	c.wantReceived(5_000, "one verification")
	wantStatus(t, c.call("GET", "/audit/verify", ""), 200, "the route")
	if free := c.use("get_framework", nil, nil); free.IsError {
		t.Errorf("a tool that is not for sale: %+v", free)
	}
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range list.Tools {
		if priced := strings.Contains(each.Description, "USD"); priced != (each.Name == "lint_mcp_config" || each.Name == "verify_audit_chain") {
			t.Errorf("%s: %s", each.Name, each.Description)
		}
	}
}

// A failed call costs nothing, and its payment remains valid for a correct call.
func TestAWrongCallOfAPaidToolCostsNothing(t *testing.T) {
	for name, c := range sellingTools(t) {
		payment := c.pay(c.terms("lint_mcp_config", nil))
		before := c.received()
		for what, arguments := range map[string]any{"nothing": nil, "both": map[string]any{"config": map[string]any{}, "config_json": "{}"}, "no configuration": map[string]any{"config_json": "["}, "unknown": map[string]any{"x": 1}} {
			result := c.use("lint_mcp_config", arguments, payment)
			if failure := result.Content[0].(*mcp.TextContent).Text; !result.IsError || !strings.Contains(failure, "invalid_argument") || strings.Contains(failure, "accepts") {
				t.Errorf("%s, %s: %s", name, what, failure)
			}
		}
		if got := c.received(); got.Cmp(before) != 0 {
			t.Errorf("%s: received %s, before %s", name, got, before)
		}
		if result := c.use("lint_mcp_config", lintArguments, payment); result.IsError {
			t.Errorf("%s: the payment is lost: %+v", name, result)
		}
	}
}

// A payment is for one resource: the tool or the path, never both.
func TestAPaymentForThePathBuysNoToolAndViceVersa(t *testing.T) {
	c := sellingTools(t)["http"]
	path, tool := new(x402.Payload), c.pay(c.terms("lint_mcp_config", lintArguments))
	if err := x402.DecodeHeader(c.payment("POST", "/x402/audit-mcp"), path); err != nil {
		t.Fatal(err)
	}
	if result := c.use("lint_mcp_config", lintArguments, path); !result.IsError {
		t.Errorf("a payment for the path: %+v", result)
	}
	header, err := x402.EncodeHeader(tool)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, c.call("POST", "/x402/audit-mcp", sampleConfig, x402.HeaderSignature, header), 402, "a payment for the tool")
	for what, payment := range map[string]any{"null": nil, "text": "x", "list": []int{1}, "empty": map[string]any{}} {
		result, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "lint_mcp_config", Arguments: lintArguments, Meta: mcp.Meta{x402.MetaPayment: payment}})
		if err != nil || !result.IsError || into[x402.Required](t, result.StructuredContent).Error != x402.ReasonPayload {
			t.Errorf("%s: %+v (%v)", what, result, err)
		}
	}
	c.wantReceived(0, "nothing that was right")
}

// The tools of the toolset paid forward to the products: they are there for clients that ask
// for them, a call without a payment gets the product's terms, and a wrong one costs nothing.
func TestAProductIsBoughtByItsTool(t *testing.T) {
	r := start(t)
	var want int64
	for name, c := range clientsOf(t, r, "?toolsets=paid") {
		arguments := map[string]any{"mode": "doc_review", "text": legalText}
		required := c.terms("legal_prep", arguments)
		if !strings.HasSuffix(required.Resource.URL, legalPath) || required.Accepts[0].Amount != "250000" {
			t.Fatalf("%s: terms %+v", name, required)
		}

		payment := c.pay(required)
		wrong := c.use("legal_prep", map[string]any{"mode": "sue", "text": legalText}, payment)
		if text := wrong.Content[0].(*mcp.TextContent).Text; !wrong.IsError || !strings.Contains(text, "invalid_argument") {
			t.Errorf("%s: an unknown mode: %s", name, text)
		}
		c.wantReceived(want, name+", a wrong call")

		paid := c.use("legal_prep", arguments, payment)
		settled := into[x402.SettleResponse](t, paid.Meta[x402.MetaResponse])
		if paid.IsError || !settled.Success || into[struct{ Disclaimer string }](t, paid.StructuredContent).Disclaimer == "" {
			t.Fatalf("%s: %+v, settled %+v", name, paid, settled)
		}
		want += 250_000
		c.wantReceived(want, name)
	}
}

func TestPaidToolsAreListedForwardedOnly(t *testing.T) {
	r := start(t)
	for query, listed := range map[string]bool{"": false, "?toolsets=paid": true, "?toolsets=core,paid": true} {
		for name, c := range clientsOf(t, r, query) {
			list, err := c.session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(list.Tools, func(each *mcp.Tool) bool { return each.Name == "legal_prep" })
			if found != listed {
				t.Errorf("%s%s: listed is %v", name, query, found)
			}
		}
	}
}
