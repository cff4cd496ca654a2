package catalog

import (
	"net/http"
	"strconv"
	"strings"
)

// object abbreviates the JSON objects of the documents.
type object = map[string]any

// OpenAPI is the OpenAPI 3.1 description of the API.
func OpenAPI(site Site) any {
	paths := map[string]object{}
	for _, e := range Endpoints {
		if paths[e.Path] == nil {
			paths[e.Path] = object{}
		}
		paths[e.Path][strings.ToLower(e.Method)] = operation(site, e)
	}

	schemas := object{}
	for name, schema := range Schemas() {
		schemas[name] = schema
	}

	return object{
		"openapi": "3.1.0",
		"info": object{
			"title":       ServiceName,
			"version":     APIVersion,
			"description": "External governance layer for agent systems. Paid paths take x402 payments; there is no signup and there are no API keys.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers":    []object{{"url": site.BaseURL}},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": securitySchemes()},
	}
}

// securitySchemes name the payment headers: a request carries one of the two.
func securitySchemes() object {
	header := func(name, version string) object {
		return object{
			"type":        "apiKey",
			"in":          "header",
			"name":        name,
			"description": "x402 version " + version + " payment payload, base64 JSON. Not a credential: it is signed for one request.",
		}
	}
	return object{
		"x402":   header("PAYMENT-SIGNATURE", "2"),
		"x402v1": header("X-PAYMENT", "1"),
	}
}

func operation(site Site, e Endpoint) object {
	op := object{
		"operationId": e.Operation,
		"summary":     e.Summary,
		"description": e.Description,
		"responses":   responses(e),
		"security":    []object{},
	}

	if parameters := parameters(e); len(parameters) > 0 {
		op["parameters"] = parameters
	}

	if e.Request != "" {
		op["requestBody"] = object{"required": true,
			"description": "At most " + strconv.Itoa(e.MaxBody) + " bytes.",
			"content":     bodyOf(e)}
	}

	if e.Paid() {
		op["security"] = []object{{"x402": []string{}}, {"x402v1": []string{}}}
		op["x-payment-info"] = paymentInfo(site, e)
	}

	return op
}

func parameters(e Endpoint) []object {
	var list []object
	add := func(p Parameter, in string) {
		list = append(list, object{
			"name":        p.Name,
			"in":          in,
			"required":    in == "path",
			"description": p.Description,
			"schema": object{
				"type":    "string",
				"pattern": p.Pattern,
			},
			"example": p.Example,
		})
	}
	for _, p := range e.PathParams {
		add(p, "path")
	}

	for _, p := range e.Query {
		add(p, "query")
	}

	for _, p := range e.Header {
		add(p, "header")
	}

	if e.Paid() {
		list = append(list, object{
			"name":        "X402-Version",
			"in":          "header",
			"required":    false,
			"description": "1 asks for version 1 terms; so does the query x402Version=1.",
			"schema": object{
				"type": "string",
				"enum": []string{"1", "2"},
			},
		})
		list = append(list, object{
			"name":        "SIGN-IN-WITH-X",
			"in":          "header",
			"required":    false,
			"description": "Sign-in by a payer, base64 JSON as the terms ask for it: gives the newest answer bought by an equal request again, without a payment.",
			"schema":      object{"type": "string"},
		})
	}

	return list
}

func paymentInfo(site Site, e Endpoint) object {
	mode := "fixed"
	if e.Variable {
		mode = "minimum"
	}

	return object{
		"protocols":         []string{"x402"},
		"x402Version":       X402Version,
		"pricingMode":       mode,
		"price":             e.Price.Dollars(),
		"currency":          "USD",
		"amount":            e.Price.String(),
		"scheme":            "exact",
		"network":           site.Network,
		"asset":             site.Asset,
		"payTo":             site.PayTo,
		"maxTimeoutSeconds": MaxTimeoutSecond,
	}
}

func reference(schema string) object {
	return object{"$ref": "#/components/schemas/" + schema}
}

func responses(e Endpoint) object {
	all := object{}
	for _, status := range e.Statuses {
		all[strconv.Itoa(status)] = response(e, status)
	}
	return all
}

func response(e Endpoint, status int) object {
	switch status {
	case http.StatusOK:
		return success(e)
	case http.StatusPaymentRequired:
		return object{
			"description": "Payment missing or invalid. The terms stand in the body and in the header.",
			"headers": object{
				"PAYMENT-REQUIRED": stringHeader("The terms, base64 JSON."),
				"PAYMENT-RESPONSE": stringHeader("After a settlement that failed: its SettleResponse, base64 JSON."),
			},
			"content": challengeContent(e),
		}
	case http.StatusServiceUnavailable:
		return object{
			"description": statusTexts[status],
			"headers": object{
				"Retry-After":      stringHeader("Seconds to wait before the same request is sent again."),
				"PAYMENT-RESPONSE": stringHeader("While a settlement is pending: its SettleResponse with the transaction, base64 JSON."),
			},
			"content": problemContent(),
		}
	}

	return object{
		"description": statusTexts[status],
		"content":     problemContent(),
	}
}

func problemContent() object {
	return object{"application/problem+json": object{"schema": reference("problem")}}
}

// challengeContent adds the HTML page that a browser gets for a GET request.
func challengeContent(e Endpoint) object {
	content := object{"application/json": object{"schema": reference("payment-required")}}
	if e.Method == http.MethodGet {
		content["text/html"] = object{"schema": object{
			"type":        "string",
			"description": "The terms for a person, where Accept prefers text/html.",
		}}
	}
	return content
}

// statusTexts describe the problem answers.
var statusTexts = map[int]string{
	400: "The request is malformed; the problem says where. Nothing was charged.",
	404: "Nothing known under this name.",
	409: "The payment identifier belongs to another payload, or the answer was delivered before and is not given again. This request charged nothing.",
	413: "The body is too long. Nothing was charged.",
	415: "The body is not application/json. Nothing was charged.",
	429: "Too many requests from this address; Retry-After says how long to wait.",
	500: "A failure on our side. Nothing was charged.",
	503: "Not possible now, or the outcome of a payment is unknown: send the same payment again, never a new one.",
}

func success(e Endpoint) object {
	content := object{}
	if e.Response != "" {
		content["schema"] = reference(e.Response)
	}
	answer := object{"description": e.Summary, "content": object{e.MIME: content}}

	if e.Paid() {
		answer["headers"] = object{"PAYMENT-RESPONSE": stringHeader(
			"Settlement with signed receipt and evidence, base64 JSON; X-PAYMENT-RESPONSE for version 1 payments.")}
	}
	return answer
}

func stringHeader(description string) object {
	return object{"description": description, "schema": object{"type": "string"}}
}

// bodyOf describes the body of a row in each of its media types.
func bodyOf(e Endpoint) object {
	content := object{"application/json": object{"schema": reference(e.Request)}}
	for _, mediaType := range e.Accepts {
		content[mediaType] = object{}
	}
	return content
}
