package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Bazaar is the x402 extension bazaar of a paid row: how to call it, with
// examples, and the JSON schema of that (specs/extensions/bazaar). It is as short
// as the specification allows, since clients echo it in every payment.
func Bazaar(e Endpoint) any {
	bazaarOnce.Do(func() {
		bazaar = map[string]object{}
		for _, e := range paidRows() {
			bazaar[e.Operation] = object{
				"info": object{
					"input":  bazaarInput(e),
					"output": bazaarOutput(e),
				},
				"schema": bazaarSchema(e),
			}
		}
	})

	return bazaar[e.Operation]
}

// Not [sync.OnceValue], which would put the schemas into every function.
var (
	bazaarOnce sync.Once
	bazaar     map[string]object // by operation
)

func bazaarInput(e Endpoint) object {
	input := object{"type": "http", "method": e.Method}
	if e.Request != "" {
		input["bodyType"], input["body"] = "json", Example(e.Request)
	}

	if len(e.Query) > 0 {
		query := object{}
		for _, p := range e.Query {
			query[p.Name] = p.Example
		}
		input["queryParams"] = query
	}
	return input
}

// bazaarOutput is the kind of the answer: json, or text with its subtype.
func bazaarOutput(e Endpoint) object {
	kind, format, _ := strings.Cut(e.MIME, "/")
	if format == "json" {
		return object{"type": format}
	}
	return object{"type": kind, "format": format}
}

func bazaarSchema(e Endpoint) object {
	properties := object{
		"type":   object{"const": "http"},
		"method": object{"enum": []string{e.Method}},
	}
	required := []string{"type", "method"}

	if e.Request != "" {
		properties["bodyType"], properties["body"] = object{"enum": []string{"json"}}, object{"type": "object"}
		required = append(required, "bodyType", "body")
	}

	if len(e.Query) > 0 {
		query := object{}
		for _, p := range e.Query {
			query[p.Name] = object{"type": "string", "pattern": p.Pattern}
		}
		properties["queryParams"] = object{"properties": query}
	}

	return object{
		"required": []string{"input"},
		"properties": object{
			"input": object{"required": required, "properties": properties},
		},
	}
}

// Example returns the shortest example of a schema that has one.
func Example(schema string) json.RawMessage {
	var document struct{ Examples []json.RawMessage }
	err := json.Unmarshal(Schemas()[schema], &document)
	if err != nil || len(document.Examples) == 0 {
		panic("schema " + schema + " has no example") // embedded; a test covers every row
	}

	return slices.MinFunc(document.Examples, func(a, b json.RawMessage) int {
		return len(a) - len(b)
	})
}

// OutputSchemaV1 is the member outputSchema of version 1 terms, which directories read.
func OutputSchemaV1(e Endpoint) any {
	input := bazaarInput(e)
	input["discoverable"] = true
	if body, ok := input["body"]; ok {
		input["bodyFields"] = body
		delete(input, "body")
	}
	return object{"input": input, "output": bazaarOutput(e)}
}

// Listing is the answer of GET /discovery/resources (x402 specification v2
// section 8; specs/extensions/bazaar).
type Listing struct {
	X402Version int        `json:"x402Version"`
	Items       []Listed   `json:"items"`
	Pagination  Pagination `json:"pagination"`
}

// Listed is a paid row in a listing.
type Listed struct {
	Resource    string         `json:"resource"` // URL
	Type        string         `json:"type"`     // http
	X402Version int            `json:"x402Version"`
	Accepts     []object       `json:"accepts"`
	LastUpdated string         `json:"lastUpdated"` // RFC 3339
	Description string         `json:"description"`
	MimeType    string         `json:"mimeType"`
	ServiceName string         `json:"serviceName"`
	Tags        []string       `json:"tags"`
	Extensions  map[string]any `json:"extensions"`
}

// Pagination describes the part of a listing that was returned.
type Pagination struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
	Total  int `json:"total"` // rows that match
}

// Filter chooses rows of a listing; an empty member matches all.
type Filter struct {
	Type, PayTo, Scheme, Network, Extension string
	Limit, Offset                           int
}

// List returns the paid rows that match. All rows have the same values of the
// filter, so it returns all of them or none.
func List(site Site, f Filter) Listing {
	var rows []Endpoint
	if f.selects(site) {
		rows = paidRows()
	}

	listing := Listing{
		X402Version: X402Version,
		Items:       []Listed{},
		Pagination:  Pagination{f.Limit, f.Offset, len(rows)},
	}

	first := min(f.Offset, len(rows))
	for _, e := range rows[first:min(first+f.Limit, len(rows))] {
		listing.Items = append(listing.Items, Listed{
			Resource:    site.BaseURL + e.Path,
			Type:        "http",
			X402Version: X402Version,
			Accepts:     accepts(site, e),
			LastUpdated: LastUpdated,
			Description: e.Description,
			MimeType:    e.MIME,
			ServiceName: ServiceName,
			Tags:        e.Tags,
			Extensions:  map[string]any{"bazaar": Bazaar(e)},
		})
	}

	return listing
}

// selects reports whether the rows of a site have the properties that a filter names.
func (f Filter) selects(site Site) bool {
	return matches(f.Type, "http") &&
		matches(f.PayTo, site.PayTo) &&
		matches(f.Scheme, "exact") &&
		matches(f.Network, site.Network) &&
		matches(f.Extension, "bazaar")
}

func matches(want, have string) bool {
	return want == "" || strings.EqualFold(want, have)
}
