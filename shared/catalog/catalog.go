// Package catalog lists the endpoints of the service.
//
// A row of [Endpoints] names a path, its price and its schemas. All public
// descriptions of the service are pure functions of those rows: the 402
// terms, /openapi.json, /x402/products, /llms.txt, the agent card, the x402
// manifest, the table in the README and the routes of the deployment. To change
// a price, change one line here. Only endpoints that work have a row.
package catalog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Units is an amount of the settlement asset in atomic units; the asset has six
// decimals, so 1 dollar is 1,000,000 Units.
type Units int64

// Dollar is one unit of the settlement asset, a dollar stablecoin.
const Dollar Units = 1_000_000

// String returns the atomic amount as the decimal string that x402 puts on the wire.
func (u Units) String() string {
	return strconv.FormatInt(int64(u), 10)
}

// Dollars returns the amount in dollars with at least two decimals: "0.005", "49.00".
func (u Units) Dollars() string {
	text := fmt.Sprintf("%d.%06d", int64(u/Dollar), int64(u%Dollar))
	for strings.HasSuffix(text, "0") && len(text)-strings.IndexByte(text, '.') > 3 {
		text = text[:len(text)-1]
	}
	return text
}

var errDollars = errors.New("not a dollar amount with at most 6 decimals")

// ParseDollars reads a dollar amount such as "0.05" or "12" with at most six
// decimals. No sign, exponent, space or thousands separator is accepted.
func ParseDollars(text string) (Units, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 9 {
		return 0, errDollars
	}
	if len(fraction) > 6 || strings.HasSuffix(text, ".") {
		return 0, errDollars
	}

	digits := whole + fraction + strings.Repeat("0", 6-len(fraction))
	if strings.Trim(digits, "0123456789") != "" {
		return 0, errDollars
	}

	atomic, err := strconv.ParseInt(digits, 10, 64)
	return Units(atomic), err
}

// Endpoint is one route of the service.
type Endpoint struct {
	Function    string      // folder under functions/, name of the Lambda and of its event files
	Operation   string      // operationId in OpenAPI, unique
	Method      string      // GET or POST
	Path        string      // Go pattern syntax, relative to the base URL
	Price       Units       // 0 = free; the min price when Variable
	Live        bool        // the answer is about now: an earlier purchase is no answer to a later request
	Variable    bool        // the caller chooses the amount with the query parameter amount
	Summary     string      // one line, at most 60 characters
	Description string      // what the buyer gets; also the description of the 402 terms
	Request     string      // name in schema/ of the JSON request body; "" = no body
	Accepts     []string    // media types of the body besides application/json
	MaxBody     int         // longest accepted body in bytes
	Query       []Parameter // optional query parameters
	Header      []Parameter // optional headers of its own
	PathParams  []Parameter // parameters of Path
	MIME        string      // media type of the 200 answer
	Response    string      // name in schema/ of the 200 answer; "" when it is not JSON
	Statuses    []int       // every status that the route can answer, ascending
	Preview     string      // path of the free preview of a paid guide
	Tags        []string    // words for directories, at most five
}

// Parameter is a query or path parameter, or a header.
type Parameter struct {
	Name        string
	Description string
	Pattern     string // ECMA-262 regular expression
	Example     string
}

// Paid reports whether a call costs money.
func (e Endpoint) Paid() bool { return e.Price > 0 }

// PriceText returns the price in words: "0.05 USD", "0.01 USD and up", "free".
func (e Endpoint) PriceText() string {
	switch {
	case !e.Paid():
		return "free"
	case e.Variable:
		return e.Price.Dollars() + " USD and up"
	}
	return e.Price.Dollars() + " USD"
}

// Pattern is the route in the syntax of net/http.ServeMux.
func (e Endpoint) Pattern() string {
	return e.Method + " " + e.Path
}

// ByFunction returns the rows that one function serves, in the order of the list.
func ByFunction(function string) []Endpoint {
	var rows []Endpoint
	for _, e := range Endpoints {
		if e.Function == function {
			rows = append(rows, e)
		}
	}
	return rows
}

// Lookup returns the row of a method and a literal path.
func Lookup(method, path string) (Endpoint, bool) {
	for _, e := range Endpoints {
		if e.Method == method && e.Path == path {
			return e, true
		}
	}
	return Endpoint{}, false
}

// Functions lists the distinct functions in the order of the list.
func Functions() []string {
	var names []string
	seen := map[string]bool{}
	for _, e := range Endpoints {
		if !seen[e.Function] {
			seen[e.Function] = true
			names = append(names, e.Function)
		}
	}
	return names
}

// Site holds the values of one deployment in the catalogue.
type Site struct {
	BaseURL      string // https://host without a trailing slash
	Network      string // CAIP-2, "eip155:8453"
	Asset        string // token contract, 0x + 40 hex digits
	AssetName    string // EIP-712 domain name of the token
	AssetVersion string // EIP-712 domain version of the token
	PayTo        string // receiving address
	Signer       string // address that signs offers, receipts and evidence
	NoPermit2    bool   // only EIP-3009 is offered
	Development  bool   // settles on a development chain, which has the names of a real network but no real money
}
