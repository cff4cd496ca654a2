// Package playbookpreview serves the free beginnings of the guides:
// GET /x402/playbook/{guide}/preview.
package playbookpreview

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"governance.internal/shared/catalog"
	"governance.internal/shared/guides"
	"governance.internal/shared/httpapi"
)

// New returns the handler of all previews.
func New(site catalog.Site) http.Handler {
	return httpapi.Handle(func(r *http.Request) (httpapi.Response, error) {
		name := path.Base(path.Dir(r.URL.Path))
		text, ok := guides.Preview(name)
		if !ok {
			return httpapi.Response{}, fmt.Errorf("no guide %q", name)
		}
		text = strings.ReplaceAll(text, guides.BaseURL, site.BaseURL)
		return httpapi.Text("text/markdown", []byte(text)), nil
	})
}
