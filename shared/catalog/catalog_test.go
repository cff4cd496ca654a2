package catalog

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

var testSite = Site{
	BaseURL: "https://shop.example", Network: "eip155:8453", Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
	AssetName: "USD Coin", AssetVersion: "2", PayTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", Signer: "0x1563915e194D8CfBA1943570603F7606A3115508",
}

func TestEveryRowHasItsOwnNameAndRoute(t *testing.T) {
	seen := map[string]bool{}
	mux := http.NewServeMux()
	for _, e := range Endpoints {
		for _, name := range []string{"operation " + e.Operation, "route " + e.Pattern()} {
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
		mux.Handle(e.Pattern(), http.NotFoundHandler()) // panics on what conflicts
		if found, ok := Lookup(e.Method, e.Path); !ok || found.Operation != e.Operation {
			t.Errorf("Lookup(%s) gives %q", e.Pattern(), found.Operation)
		}
	}
	if _, ok := Lookup("DELETE", "/x402/tip"); ok {
		t.Error("Lookup found a route that is not there")
	}
}

func TestFunctionsCoverTheListOnce(t *testing.T) {
	names, rows := Functions(), 0
	if sorted := slices.Compact(slices.Sorted(slices.Values(names))); len(sorted) != len(names) {
		t.Errorf("functions %v repeat", names)
	}
	for _, name := range names {
		own := ByFunction(name)
		rows += len(own)
		for _, e := range own {
			if e.Function != name {
				t.Errorf("%s is served by %s", e.Operation, name)
			}
		}
	}
	if rows != len(Endpoints) {
		t.Errorf("functions serve %d rows of %d", rows, len(Endpoints))
	}
}

func TestTextsFitWhereTheyAreShown(t *testing.T) {
	printable := func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	}
	if len(ServiceName) == 0 || len(ServiceName) > 32 || !printable(ServiceName) {
		t.Errorf("service name %q", ServiceName)
	}
	for _, e := range Endpoints {
		if n := len(e.Summary); n == 0 || n > 60 || strings.Contains(e.Summary, "\n") {
			t.Errorf("%s: summary of %d characters", e.Operation, n)
		}
		if e.Description == "" || e.MIME == "" {
			t.Errorf("%s has no description or media type", e.Operation)
		}
		if len(e.Tags) > 5 || e.Paid() == (len(e.Tags) == 0) {
			t.Errorf("%s: tags %v", e.Operation, e.Tags)
		}
		for _, tag := range e.Tags {
			if tag == "" || len(tag) > 32 || !printable(tag) {
				t.Errorf("%s: tag %q", e.Operation, tag)
			}
		}
	}
}

func TestStatusesAreCompleteAndAscending(t *testing.T) {
	for _, e := range Endpoints {
		if !slices.IsSorted(e.Statuses) || len(slices.Compact(slices.Clone(e.Statuses))) != len(e.Statuses) {
			t.Errorf("%s: statuses %v", e.Operation, e.Statuses)
		}
		var want []int
		if e.Paid() {
			want = append(want, 402, 409, 503)
		}
		if e.Request != "" {
			want = append(want, 400, 413, 415)
		}
		for _, status := range append(want, 200, 500) {
			if !slices.Contains(e.Statuses, status) {
				t.Errorf("%s can answer %d, its statuses are %v", e.Operation, status, e.Statuses)
			}
		}
		for _, status := range e.Statuses {
			if status != 200 && status != 402 && statusTexts[status] == "" {
				t.Errorf("status %d has no text", status)
			}
		}
		if (e.Request != "") != (e.MaxBody > 0) || e.Request != "" && e.Method != "POST" {
			t.Errorf("%s: body %q of at most %d bytes by %s", e.Operation, e.Request, e.MaxBody, e.Method)
		}
	}
}

func TestPreviewsAreFreeRows(t *testing.T) {
	for _, e := range Endpoints {
		if e.Preview == "" {
			continue
		}
		if p, ok := Lookup("GET", e.Preview); !ok || p.Paid() {
			t.Errorf("%s: the preview %s is not a free row", e.Operation, e.Preview)
		}
	}
}

func TestSchemasExistAndAreUsed(t *testing.T) {
	schemas := Schemas()
	document, err := json.Marshal(OpenAPI(testSite))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Endpoints {
		for _, name := range []string{e.Request, e.Response} {
			if name != "" && schemas[name] == nil {
				t.Errorf("%s: no schema %s", e.Operation, name)
			}
		}
		if (e.Response != "") && e.MIME != "application/json" {
			t.Errorf("%s: a schema for %s", e.Operation, e.MIME)
		}
	}
	for name, schema := range schemas {
		if !json.Valid(schema) {
			t.Errorf("schema %s is not JSON", name)
		}
		if !strings.Contains(string(document), `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to schema %s", name)
		}
	}
	for _, part := range strings.Split(string(document), `"#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); schemas[name] == nil {
			t.Errorf("something refers to schema %s, which is not there", name)
		}
	}
}

func TestDollarsAreWrittenAndRead(t *testing.T) {
	for units, want := range map[Units]string{
		0: "0.00", 1: "0.000001", 5_000: "0.005", 10_000: "0.01", 100_000: "0.10", 1_000_000: "1.00", 1_010_000: "1.01",
		49_000_000: "49.00", 1_000_000_000: "1000.00", 999_999_999_999_999: "999999999.999999",
	} {
		if got := units.Dollars(); got != want {
			t.Errorf("%d units are %s, want %s", units, got, want)
		}
		if back, err := ParseDollars(want); err != nil || back != units {
			t.Errorf("%s is %d units (%v), want %d", want, back, err, units)
		}
	}
	for text, want := range map[string]Units{"1": 1_000_000, "01": 1_000_000, "0.5": 500_000, "0.050000": 50_000, "999999999": 999_999_999_000_000} {
		if got, err := ParseDollars(text); err != nil || got != want {
			t.Errorf("%s is %d units (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", " 1", "1 ", "1e2", "0x1", "1,5", "1.2.3", "1.0000001", "1_0", "1000000000", "١", "1\n", "NaN"} {
		if got, err := ParseDollars(text); err == nil {
			t.Errorf("%q is taken for %d units", text, got)
		}
	}
}

func FuzzParseDollars(f *testing.F) {
	for _, text := range []string{"0.005", "12", "999999999.999999", "1.", "-0", "1e9", "00.10"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		units, err := ParseDollars(text)
		if err != nil {
			return
		}
		if units < 0 || strings.Trim(text, "0123456789.") != "" {
			t.Fatalf("%q is taken for %d units", text, units)
		}
		if back, err := ParseDollars(units.Dollars()); err != nil || back != units {
			t.Fatalf("%q is %d units, written %s, read %d (%v)", text, units, units.Dollars(), back, err)
		}
	})
}

func TestPricesInWords(t *testing.T) {
	for want, e := range map[string]Endpoint{
		"free": {}, "0.05 USD": {Price: 50_000}, "0.01 USD and up": {Price: 10_000, Variable: true},
	} {
		if got := e.PriceText(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// pricesOfTheContract is what the user ordered; changing a price is a change of
// the contract and is written down twice.
var pricesOfTheContract = map[string]Units{
	"GET /x402/verify-audit": 5_000, "POST /x402/audit-mcp": 50_000, "POST /x402/legal-prep": 250_000, "POST /x402/bookkeeping": 49_000_000, "POST /x402/agent-therapy": 990_000, "GET /x402/tip": 10_000,
	"GET /x402/playbook/x402-integration": 100_000, "GET /x402/playbook/mcp-hardening": 100_000,
}

func TestPricesAreThoseOfTheContract(t *testing.T) {
	for _, e := range paidRows() {
		if want, ok := pricesOfTheContract[e.Pattern()]; !ok || e.Price != want {
			t.Errorf("%s costs %d, the contract says %d", e.Pattern(), e.Price, want)
		}
	}
	for pattern := range pricesOfTheContract {
		if !slices.ContainsFunc(paidRows(), func(e Endpoint) bool { return e.Pattern() == pattern }) {
			t.Errorf("%s is not sold", pattern)
		}
	}
}

// asJSON decodes a document as a stranger would.
func asJSON[T any](t *testing.T, document any) (v T) {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryDocumentOffersEveryPaidRowAtItsPrice(t *testing.T) {
	products := asJSON[ProductList](t, Products(testSite)).Products
	card := asJSON[struct {
		Skills []struct{ ID, Description string }
	}](t, AgentCard(testSite)).Skills
	manifest := asJSON[struct {
		Resources []string
		Items     []struct {
			Resource struct{ URL string }
			Accepts  []struct{ Amount, PayTo, Network string }
		}
		Signer struct{ Address string }
	}](t, Manifest(testSite))
	openapi := asJSON[struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]any
			Security    []map[string]any
			Payment     *struct{ Price, Amount string } `json:"x-payment-info"`
		}
	}](t, OpenAPI(testSite))
	text, table := LLMs(testSite), ReadmeTable()
	rows := paidRows()
	if len(products) != len(rows) || len(card) != len(rows) || len(manifest.Items) != len(rows) || len(manifest.Resources) != len(rows) {
		t.Fatalf("%d products, %d skills, %d items for %d paid rows", len(products), len(card), len(manifest.Items), len(rows))
	}
	for i, e := range rows {
		address := testSite.BaseURL + e.Path
		if p := products[i]; p.URL != address || p.Price != e.Price.Dollars() || p.Amount != e.Price.String() || p.Minimum != e.Variable || (p.Preview != "") != (e.Preview != "") {
			t.Errorf("products: %+v", p)
		}
		if s := card[i]; s.ID != e.Operation || !strings.Contains(s.Description, e.Pattern()+", "+e.PriceText()+" by x402") {
			t.Errorf("agent card: %+v", s)
		}
		item := manifest.Items[i]
		if manifest.Resources[i] != address || item.Resource.URL != address || len(item.Accepts) != 2 || item.Accepts[0].Amount != e.Price.String() || item.Accepts[0].PayTo != testSite.PayTo {
			t.Errorf("manifest: %s %+v", manifest.Resources[i], item)
		}
		if line := "- [" + e.Pattern() + "](" + address + "): " + e.Description + " Price: " + e.PriceText() + ".\n"; !strings.Contains(text, line) {
			t.Errorf("llms.txt has no line %s", line)
		}
		if info := openapi.Paths[e.Path][strings.ToLower(e.Method)].Payment; info == nil || info.Price != e.Price.Dollars() || info.Amount != e.Price.String() {
			t.Errorf("openapi: %s %+v", e.Path, info)
		}
	}
	for _, e := range Endpoints {
		if !strings.Contains(table, "| "+e.Method+" | `"+e.Path+"` | "+e.PriceText()+" | "+e.Summary+" |\n") || !strings.Contains(text, "["+e.Pattern()+"]") {
			t.Errorf("%s is missing in the README table or in llms.txt", e.Pattern())
		}
		op := openapi.Paths[e.Path][strings.ToLower(e.Method)]
		if op.OperationID != e.Operation || len(op.Responses) != len(e.Statuses) || (len(op.Security) > 0) != e.Paid() || (op.Payment != nil) != e.Paid() {
			t.Errorf("openapi: %s %+v", e.Pattern(), op)
		}
	}
	if manifest.Signer.Address != testSite.Signer {
		t.Errorf("manifest: signer %q", manifest.Signer.Address)
	}
}
