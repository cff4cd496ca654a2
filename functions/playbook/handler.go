// Package playbook sells the guides: GET /x402/playbook/{guide}.
package playbook

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"

	"governance.internal/shared/guides"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// New returns the handler of all guides. Their examples name this deployment.
func New(gate *x402.Gate) http.Handler {
	return gate.Sell("playbook", func(call x402.Call) (x402.Work, error) {
		return func(context.Context) (httpapi.Response, error) {
			name := path.Base(call.Endpoint.Path)
			text, ok := guides.Full(name)
			if !ok {
				return httpapi.Response{}, fmt.Errorf("no guide %q", name)
			}
			text = strings.ReplaceAll(text, guides.BaseURL, gate.Site.BaseURL)
			return httpapi.Text("text/markdown", []byte(text)), nil
		}, nil
	})
}
