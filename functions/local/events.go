package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// gatewayEvent is an API Gateway HTTP API event, payload format 2.0.
type gatewayEvent struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Headers         map[string]string `json:"headers"`
	RequestContext  gatewayContext    `json:"requestContext"`
	Body            string            `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type gatewayContext struct {
	AccountID  string      `json:"accountId"`
	APIID      string      `json:"apiId"`
	DomainName string      `json:"domainName"`
	Stage      string      `json:"stage"`
	RequestID  string      `json:"requestId"`
	HTTP       gatewayHTTP `json:"http"`
}

type gatewayHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// gatewayResponse is the answer to an event.
type gatewayResponse struct {
	StatusCode      int               `json:"statusCode"`
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

// The address and the receiver in the signed payments of the events.
const (
	eventBaseURL = "http://localhost:8402"
	eventPayTo   = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

// eventForever lets the committed payments stay valid; only the play money of
// the development chain can be spent with them.
const eventForever = 4102444800 // 2100-01-01

// eventCase is one event file: <function>.<name>.json.
type eventCase struct {
	name     string
	endpoint catalog.Endpoint
	path     string // when it differs from the endpoint's
	query    string
	body     string
	paid     bool
	payment  string // instead of a good one
}

func (c eventCase) file() string {
	return c.endpoint.Function + "." + c.name + ".json"
}

// eventCases has for every row a plain call and, where it is paid, a paid one,
// and the ways in which a paid body can be wrong.
func eventCases() []eventCase {
	var cases []eventCase
	for _, e := range catalog.Endpoints {
		name := strings.ToLower(e.Method)
		if len(catalog.ByFunction(e.Function)) > 1 {
			name = strings.TrimSuffix(path.Base(strings.TrimSuffix(e.Path, "/preview")), ".json")
		}

		plain := eventCase{name: name, endpoint: e}
		if len(e.PathParams) > 0 {
			plain.path = strings.Replace(e.Path, "{"+e.PathParams[0].Name+"}", e.PathParams[0].Example, 1)
		}

		if !e.Paid() {
			if e.Request != "" {
				plain.body = sampleOf(e)
			}
			cases = append(cases, plain)
			continue
		}

		plain.name = name + "-unpaid"
		paid := eventCase{
			name:     name + "-paid",
			endpoint: e,
			paid:     true,
		}

		if e.Request != "" {
			paid.body = sampleOf(e)
		}
		if e.Variable {
			paid.query = "amount=0.05"
		}

		cases = append(cases, plain, paid)
	}

	lint, _ := catalog.Lookup("POST", "/x402/audit-mcp")
	return append(cases,
		eventCase{
			name:     "post-not-json",
			endpoint: lint,
			paid:     true,
			body:     "// no JSON\n{}",
		},
		eventCase{
			name:     "post-no-servers",
			endpoint: lint,
			paid:     true,
			body:     `{"servers_":{}}`,
		},
		eventCase{
			name:     "post-bad-payment",
			endpoint: lint,
			payment:  "not-base64!",
			body:     sampleOf(lint),
		},
	)
}

// writeEvents writes the event files into a folder and removes other JSON files
// from it.
func writeEvents(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}

	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}

	for _, c := range eventCases() {
		event, err := c.event()
		if err != nil {
			return fmt.Errorf("%s: %w", c.file(), err)
		}
		data, err := json.MarshalIndent(event, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.file()), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}

	return nil
}

func (c eventCase) event() (gatewayEvent, error) {
	target := orElse(c.path, c.endpoint.Path)
	headers := map[string]string{"accept": "*/*", "host": "localhost:8402", "user-agent": "events"}
	if c.body != "" {
		headers["content-type"] = "application/json"
	}

	payment := c.payment
	if c.paid {
		var err error
		if payment, err = c.sign(); err != nil {
			return gatewayEvent{}, err
		}
	}

	if payment != "" {
		headers[strings.ToLower(x402.HeaderSignature)] = payment
	}

	return gatewayEvent{
		Version:        "2.0",
		RouteKey:       c.endpoint.Pattern(),
		RawPath:        target,
		RawQueryString: c.query,
		Headers:        headers,
		Body:           c.body,
		RequestContext: gatewayContext{
			AccountID:  "000000000000",
			APIID:      "local",
			DomainName: "localhost",
			Stage:      "$default",
			RequestID:  "event",
			HTTP: gatewayHTTP{
				Method:    c.endpoint.Method,
				Path:      target,
				Protocol:  "HTTP/1.1",
				SourceIP:  "127.0.0.1",
				UserAgent: "events",
			},
		},
	}, nil
}

// sign pays with the development payer. The nonce is derived from the name, so
// that generating again changes nothing.
func (c eventCase) sign() (string, error) {
	site := catalog.Site{
		BaseURL:      eventBaseURL,
		Network:      "eip155:8453",
		Asset:        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		AssetName:    "USD Coin",
		AssetVersion: "2",
		PayTo:        eventPayTo,
	}
	terms, err := x402.TermsFor(site, c.endpoint, c.query)
	if err != nil {
		return "", err
	}

	token, err := evm.NewToken(site.Network, site.Asset, site.AssetName, site.AssetVersion)
	if err != nil {
		return "", err
	}

	key, err := devPayer()
	if err != nil {
		return "", err
	}

	nonce := sha256.Sum256([]byte(c.file()))
	p := payments.Payment{
		Payer:       key.Address(),
		PayTo:       site.PayTo,
		Amount:      int64(terms.Price),
		ValidBefore: eventForever,
		Nonce:       "0x" + hex.EncodeToString(nonce[:]),
	}
	signature, err := key.Authorize(token, p)
	if err != nil {
		return "", err
	}

	accepted := terms.Requirements()
	return x402.EncodeHeader(x402.Payload{
		X402Version: 2,
		Accepted:    &accepted,
		Payload: x402.ExactPayload{
			Signature: signature,
			Authorization: &x402.Authorization{
				From:        p.Payer,
				To:          p.PayTo,
				Value:       terms.Price.String(),
				ValidAfter:  "0",
				ValidBefore: fmt.Sprint(eventForever),
				Nonce:       p.Nonce,
			},
		},
	})
}
