// Package agentcard serves the A2A agent card: GET /.well-known/agent-card.json and agent.json.
package agentcard

import (
	"net/http"

	"governance.internal/shared/catalog"
	"governance.internal/shared/httpapi"
)

// New returns the handler; the document is rendered once.
func New(site catalog.Site) http.Handler {
	return httpapi.Static(httpapi.JSON(catalog.AgentCard(site)))
}
