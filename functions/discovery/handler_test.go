package discovery

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"testing"

	"governance.internal/shared/catalog"
)

var site = catalog.Site{BaseURL: "https://shop.example", Network: "eip155:8453", Asset: "0xA55E7", AssetName: "USD Coin", AssetVersion: "2", PayTo: "0xPAY"}

func list(t *testing.T, query string) (int, catalog.Listing) {
	t.Helper()
	w := httptest.NewRecorder()
	New(site).ServeHTTP(w, httptest.NewRequest("GET", "/discovery/resources"+query, nil))
	var listing catalog.Listing
	if err := json.Unmarshal(w.Body.Bytes(), &listing); err != nil {
		t.Fatalf("%s: %q", query, w.Body)
	}
	return w.Code, listing
}

func TestPagesOfTheListingJoinUpToTheWhole(t *testing.T) {
	_, whole := list(t, "")
	if whole.Pagination != (catalog.Pagination{Limit: 20, Total: len(whole.Items)}) || len(whole.Items) < 5 {
		t.Fatalf("%d items, %+v", len(whole.Items), whole.Pagination)
	}
	for i, item := range whole.Items {
		_, page := list(t, "?limit=1&offset="+string(rune('0'+i)))
		if len(page.Items) != 1 || page.Items[0].Resource != item.Resource || page.Pagination.Total != len(whole.Items) {
			t.Errorf("page %d: %+v", i, page)
		}
	}
	if _, after := list(t, "?offset=999999999"); after.Items == nil || len(after.Items) != 0 {
		t.Errorf("after the end: %v", after.Items)
	}
}

func TestFiltersKeepWhatMatches(t *testing.T) {
	_, whole := list(t, "?type=http&payTo=0xpay&scheme=exact&network=eip155:8453&extensions=bazaar")
	if len(whole.Items) == 0 {
		t.Error("everything matches, nothing is listed")
	}
	for _, query := range []string{"?type=mcp", "?payTo=0x1", "?scheme=upto", "?network=eip155:1", "?extensions=siwx"} {
		if status, none := list(t, query); status != 200 || len(none.Items) != 0 || none.Pagination.Total != 0 {
			t.Errorf("%s: %d, %d items of %d", query, status, len(none.Items), none.Pagination.Total)
		}
	}
}

func TestAMalformedPageIsRefused(t *testing.T) {
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=", "?limit=-1", "?limit=x", "?limit=1e1", "?offset=-1", "?offset=1000000000", "?offset=99999999999999999999", "?limit=%"} {
		if status, _ := list(t, query); status != 400 {
			t.Errorf("%s: status %d", query, status)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("limit=3&offset=4")
	f.Add("limit=%31&type=http;")
	f.Fuzz(func(t *testing.T, query string) {
		filter, err := parse(query)
		if err != nil {
			return
		}
		if _, malformed := url.ParseQuery(query); malformed != nil || filter.Limit < 1 || filter.Limit > maxLimit || filter.Offset < 0 {
			t.Fatalf("%q gives %+v", query, filter)
		}
		if listing := catalog.List(site, filter); len(listing.Items) > filter.Limit || len(listing.Items) > listing.Pagination.Total {
			t.Fatalf("%q lists %d", query, len(listing.Items))
		}
	})
}
