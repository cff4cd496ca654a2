// Package discovery lists the paid resources for directories, in the shape of the
// x402 discovery API: GET /discovery/resources.
package discovery

import (
	"net/http"
	"net/url"
	"strconv"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler.
func New(site catalog.Site) http.Handler {
	return httpapi.Handle(func(r *http.Request) (httpapi.Response, error) {
		filter, err := parse(r.URL.RawQuery)
		if err != nil {
			return httpapi.Response{}, err
		}
		return httpapi.JSON(catalog.List(site, filter))
	})
}

const (
	defaultLimit = 20
	maxLimit     = 100
	maxOffset    = 999_999_999
)

func parse(rawQuery string) (catalog.Filter, error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return catalog.Filter{}, badRequest("The query string is malformed: " + err.Error() + ".")
	}

	limit, ok := number(query, "limit", defaultLimit, maxLimit)
	if !ok || limit < 1 {
		return catalog.Filter{}, badRequest("limit must be a number from 1 to 100.")
	}

	offset, ok := number(query, "offset", 0, maxOffset)
	if !ok {
		return catalog.Filter{}, badRequest("offset must be a number from 0 to 999999999.")
	}

	return catalog.Filter{
		Type:      query.Get("type"),
		PayTo:     query.Get("payTo"),
		Scheme:    query.Get("scheme"),
		Network:   query.Get("network"),
		Extension: query.Get("extensions"),
		Limit:     limit,
		Offset:    offset,
	}, nil
}

func number(query url.Values, name string, fallback, most int) (int, bool) {
	if !query.Has(name) {
		return fallback, true
	}
	n, err := strconv.ParseUint(query.Get(name), 10, 32)
	return int(n), err == nil && n <= uint64(most)
}

func badRequest(detail string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   "invalid_query",
		Detail: detail,
	}
}
