package routes

import (
	"net/http"
	"strings"

	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/routes/console"
	"governance.internal/shared/catalog"
)

// root is GET /: the console for a browser, JSON for other clients.
type root struct {
	about About
	base  string // path of the server, without a slash at its end
	page  http.Handler
}

func newRoot(about About) *root {
	base := strings.TrimRight(about.Base.Path, "/")
	page := console.Handler(console.Page{
		Name:       about.Name,
		Version:    about.Version,
		Build:      about.Build,
		Base:       base,
		NeedsToken: about.NeedsToken,
		Try:        about.Try,
		Products:   catalog.Endpoints,
	})

	return &root{
		about: about,
		base:  base,
		page:  page,
	}
}

func (o *root) get(w http.ResponseWriter, r *http.Request) {
	accept := r.Header.Get("Accept")
	browser := strings.Contains(accept, "text/html") &&
		!strings.Contains(accept, "application/json")
	if browser {
		o.page.ServeHTTP(w, r)
		return
	}

	w.Header().Set("Vary", "Accept")
	answer.JSON(w, http.StatusOK, o.describe())
}

// describe returns the description of the server and of what it offers.
func (o *root) describe() map[string]any {
	return map[string]any{
		"name":                      o.about.Name,
		"version":                   o.about.Version,
		"build":                     o.about.Build,
		"protocol":                  o.about.Protocol,
		"protocolVersion":           o.about.Protocol,
		"supportedProtocolVersions": o.about.Protocols,
		"description":               "Governance tools for agents over the Model Context Protocol.",
		"endpoints": map[string]string{
			"sse":          o.base + "/sse",
			"message":      o.base + "/message",
			"http":         o.base + "/mcp",
			"health":       o.base + "/health",
			"kill":         o.base + "/kill",
			"audit_verify": o.base + "/audit/verify",
			"dispatches":   o.base + "/dispatches",
			"entries":      o.base + "/entries",
			"outcomes":     o.base + "/outcomes",
		},
		"tools":     o.tools(),
		"resources": append([]Resource{}, o.about.Resources...),
		"links": map[string]string{
			"openapi": o.base + "/openapi.json",
			"llms":    o.base + "/llms.txt",
		},
	}
}

func (o *root) tools() []map[string]string {
	list := []map[string]string{}
	for _, t := range o.about.Tools {
		list = append(list, map[string]string{
			"name":        t.Name,
			"title":       t.Title,
			"toolset":     t.Toolset,
			"description": t.Description,
		})
	}

	return list
}
