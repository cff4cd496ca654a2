package toolserver

import (
	"errors"
	"net/http"
	"strings"

	"governance.internal/functions/toolserver/routes/access/oauth"
)

// metadataPaths answer with the metadata of the protected resource (RFC 9728): of the
// server, and of its two MCP endpoints.
var metadataPaths = []string{metadataPath, metadataPath + "/mcp", metadataPath + "/sse"}

const metadataPath = "/.well-known/oauth-protected-resource"

// getMetadata tells clients which authorization server to ask. Without one the path
// does not exist.
func (s *Server) getMetadata(w http.ResponseWriter, r *http.Request) {
	if s.deps.OAuth == nil {
		refuse(w, http.StatusNotFound, "not_found", "This server trusts no authorization server.")
		return
	}

	metadata := map[string]any{
		"resource":                 strings.TrimRight(s.base.String(), "/") + strings.TrimPrefix(r.URL.Path, metadataPath),
		"authorization_servers":    []string{s.deps.OAuth.Issuer},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "Governance tools",
	}

	if s.deps.OAuth.Scope != "" {
		metadata["scopes_supported"] = []string{s.deps.OAuth.Scope}
	}

	writeJSON(w, http.StatusOK, metadata)
}

// subject judges the access token of a request. A refusal tells where to get a better
// one (RFC 6750 section 3, RFC 9728 section 5.1).
func (g *guard) subject(r *http.Request) (caller string, no *refusal) {
	challenge := `Bearer resource_metadata="` + g.metadataOf(r.URL.Path) + `"`
	if g.oauth.Scope != "" {
		challenge += `, scope="` + g.oauth.Scope + `"`
	}

	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", &refusal{
			status:  http.StatusUnauthorized,
			code:    "unauthorized",
			bearer:  challenge,
			message: "Send an access token as Authorization: Bearer TOKEN; WWW-Authenticate says where to get one.",
		}
	}

	subject, err := g.oauth.Subject(r.Context(), strings.TrimSpace(token))
	switch {
	case err == nil:
		return "subject " + subject, nil
	case errors.Is(err, oauth.ErrUnavailable):
		return "", &refusal{
			status:  http.StatusServiceUnavailable,
			code:    "unavailable",
			message: "Access tokens cannot be checked right now. Try again.",
		}
	case errors.Is(err, oauth.ErrScope):
		return "", &refusal{
			status:  http.StatusForbidden,
			code:    "insufficient_scope",
			bearer:  challenge + `, error="insufficient_scope"`,
			message: "The access token does not hold the scope " + g.oauth.Scope + ".",
		}
	}

	return "", &refusal{
		status:  http.StatusUnauthorized,
		code:    "invalid_token",
		bearer:  challenge + `, error="invalid_token"`,
		message: "The access token is not valid here: it is expired, made for another resource, or not of " + g.oauth.Issuer + ".",
	}
}

// metadataOf is the address of the metadata for a path. It stands before the path of
// the resource (RFC 9728 section 3.1).
func (g *guard) metadataOf(path string) string {
	address := g.base.Scheme + "://" + g.base.Host + metadataPath + strings.TrimRight(g.base.Path, "/")
	if path == "/mcp" || path == "/sse" {
		address += path
	}
	return address
}
