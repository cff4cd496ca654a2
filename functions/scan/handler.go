// Package scan is the free governance scan: POST /scan.
package scan

import (
	"net"
	"net/http"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/scan"
)

// New returns the handler. Each address has a bucket of calls of its own; now is the clock of
// the buckets.
func New(now func() time.Time) http.Handler {
	row, _ := catalog.Lookup(http.MethodPost, "/scan") // a test holds that it is there
	limit := newLimiter(now)

	return httpapi.Handle(func(r *http.Request) (httpapi.Response, error) {
		if wait := limit.wait(caller(r)); wait > 0 {
			return httpapi.Response{}, tooMany(wait)
		}

		body, err := httpapi.ReadJSON(r, row.MaxBody)
		if err != nil {
			return httpapi.Response{}, err
		}
		description, err := readDescription(body)
		if err != nil {
			return httpapi.Response{}, err
		}

		result, err := scan.Describe(description)
		if err != nil {
			return httpapi.Response{}, badDescription(err.Error())
		}
		return httpapi.JSON(result)
	})
}

// caller is the address that a request comes from, without its port.
func caller(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// readDescription reads the body. Unknown members are refused: a misspelled one would otherwise be
// answered as if the description were empty.
func readDescription(body []byte) (string, error) {
	var in struct {
		Description *string `json:"description"`
	}
	if err := httpapi.DecodeStrict(body, &in); err != nil {
		return "", invalidJSON(err.Error())
	}

	if in.Description == nil {
		return "", badDescription("The member description is missing.")
	}
	return *in.Description, nil
}

func invalidJSON(reason string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   "invalid_json",
		Detail: `The body cannot be read: ` + reason + `. Send {"description":"..."}.`,
	}
}

func badDescription(reason string) error {
	return &httpapi.Error{
		Status:  http.StatusBadRequest,
		Code:    "invalid_description",
		Detail:  reason,
		Members: map[string]any{"field": "description"},
	}
}

func tooMany(wait time.Duration) error {
	return &httpapi.Error{
		Status:     http.StatusTooManyRequests,
		Code:       "rate_limited",
		Detail:     "This address has scanned more than it may. Wait as long as Retry-After says.",
		RetryAfter: wait,
	}
}
