package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/shared/catalog"
)

// probeVersions asks every place that states a version, and compares those that state the
// version of the same thing.
func (s *Server) probeVersions(ctx context.Context) (o core.Observation) {
	if _, ok := s.ownToken(); !ok {
		o.Skipped = noToken
		return o
	}

	places := s.statements(ctx, &o)
	versions := []core.SelfVersion{
		{Name: "contract", Of: "the tools of this server", Value: Version, Stated: map[string]string{
			"initialize serverInfo":      places.text("initialize", "serverInfo", "version"),
			"GET /":                      places.text("root", "version"),
			"GET /health":                places.text("health", "version"),
			"get_governance_system_info": places.text("info", "version"),
		}},
		{Name: "build", Of: "this program", Value: s.deps.Build, Stated: map[string]string{
			"GET /":                      places.text("root", "build"),
			"GET /health":                places.text("health", "build"),
			"get_governance_system_info": places.text("info", "build"),
		}},
		{Name: "mcp_protocol", Of: "the protocol by default", Value: stateless.Fallback, Stated: map[string]string{
			"GET /":       places.text("root", "protocolVersion"),
			"GET /health": places.text("health", "protocol"),
		}},
		{Name: "framework", Of: "the rules for agents", Value: framework.Version, Stated: map[string]string{
			"get_framework": places.text("framework", "version"),
		}},
		{Name: "api", Of: "the paid HTTP API", Value: catalog.APIVersion, Stated: map[string]string{
			"OpenAPI info": places.text("openapi", "info", "version"),
		}},
		{Name: "agent_card", Of: "the agent card", Value: catalog.CardVersion, Stated: map[string]string{
			"agent card": places.text("card", "version"),
		}},
		{Name: "a2a_protocol", Of: "the protocol of the agent card", Value: catalog.CardProtocol, Stated: map[string]string{
			"agent card": places.text("card", "protocolVersion"),
		}},
		{Name: "x402", Of: "the payment protocol", Value: strconv.Itoa(catalog.X402Version), Stated: map[string]string{
			"products": places.text("products", "x402Version"),
			"manifest": places.text("manifest", "x402Version"),
		}},
	}
	for _, each := range versions {
		o.Findings = append(o.Findings, disagreements(each)...)
	}
	o.Versions = append(o.Versions, versions...)
	o.Detail = fmt.Sprintf("%d versions of different things; each is stated alike everywhere", len(versions))
	if len(o.Findings) > 0 {
		o.Detail = fmt.Sprintf("%d versions of different things", len(versions))
	}
	return o
}

// disagreements are the places that state another version of the same thing.
func disagreements(v core.SelfVersion) []core.SelfFinding {
	var o core.Observation
	for _, place := range slices.Sorted(maps.Keys(v.Stated)) {
		stated := v.Stated[place]
		if stated == v.Value {
			continue
		}
		message := fmt.Sprintf("%s states %q as the version of %s, which is %q.", place, stated, v.Of, v.Value)
		if stated == "" {
			message = place + " does not state the version of " + v.Of + "."
			delete(v.Stated, place)
		}
		o.Found(core.SeverityError, "VERSION_MISMATCH", message, "Take the version from the one constant that defines it.")
	}
	return o.Findings
}

// statements are the documents that state versions, by name.
type statements map[string]map[string]any

// text is a member of a document, "" if it is not there.
func (s statements) text(document string, names ...string) string {
	var value any = s[document]
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return ""
}

// statements reads the documents: from the running server what it answers, from the catalogue
// what other functions answer.
func (s *Server) statements(ctx context.Context, o *core.Observation) statements {
	all := statements{}
	note := func(name string, document map[string]any, err error) {
		if err != nil {
			o.Found(core.SeverityError, "VERSION_UNREADABLE", "The version cannot be asked for: "+err.Error()+".", "Look into the log of the server.")
		}
		all[name] = document
	}

	document, err := s.ask(ctx, http.MethodGet, "/", "")
	note("root", document, err)
	document, err = s.ask(ctx, http.MethodGet, "/health", "")
	note("health", document, err)
	document, err = s.askMCP(ctx, "initialize", `{"protocolVersion":"`+stateless.Fallback+`","capabilities":{},"clientInfo":{"name":"self_check","version":"1"}}`)
	note("initialize", document, err)
	document, err = s.askTool(ctx, "get_governance_system_info")
	note("info", document, err)
	document, err = s.askTool(ctx, "get_framework")
	note("framework", document, err)

	site := catalog.Site{BaseURL: s.deps.BaseURL}
	for name, rendered := range map[string]any{
		"openapi":  catalog.OpenAPI(site),
		"card":     catalog.AgentCard(site),
		"products": catalog.Products(site),
		"manifest": catalog.Manifest(site),
	} {
		document, err := asObject(rendered)
		note(name, document, err)
	}
	return all
}

// askTool calls a tool without arguments on the running server.
func (s *Server) askTool(ctx context.Context, name string) (map[string]any, error) {
	result, err := s.askMCP(ctx, "tools/call", `{"name":"`+name+`","arguments":{}}`)
	if err != nil {
		return nil, err
	}
	structured, _ := result["structuredContent"].(map[string]any)
	return structured, nil
}

func asObject(value any) (object map[string]any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &object)
	return object, err
}
