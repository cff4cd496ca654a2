package access

import (
	"errors"
	"net/http"
	"strings"

	"governance.internal/functions/toolserver/routes/access/oauth"
	"governance.internal/functions/toolserver/routes/answer"
)

// MetadataPaths answer with the metadata of the protected resource (RFC 9728): of the
// server, and of its two MCP endpoints.
var MetadataPaths = []string{metadataPath, metadataPath + "/mcp", metadataPath + "/sse"}

const metadataPath = "/.well-known/oauth-protected-resource"

// GetMetadata tells clients which authorization server to ask. Without one the path
// does not exist.
func (c *Control) GetMetadata(w http.ResponseWriter, r *http.Request) {
	if c.oauth == nil {
		answer.Error(w, http.StatusNotFound, "not_found", "This server trusts no authorization server.")
		return
	}

	resource := strings.TrimRight(c.base.String(), "/") + strings.TrimPrefix(r.URL.Path, metadataPath)
	metadata := map[string]any{
		"resource":                 resource,
		"authorization_servers":    []string{c.oauth.Issuer},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "Governance tools",
	}

	if c.oauth.Scope != "" {
		metadata["scopes_supported"] = []string{c.oauth.Scope}
	}

	answer.JSON(w, http.StatusOK, metadata)
}

// subject validates the access token of a request. A refusal names the server that issues
// valid ones (RFC 6750 section 3, RFC 9728 section 5.1).
func (c *Control) subject(r *http.Request) (caller string, no *Refusal) {
	challenge := `Bearer resource_metadata="` + c.metadataOf(r.URL.Path) + `"`
	if c.oauth.Scope != "" {
		challenge += `, scope="` + c.oauth.Scope + `"`
	}

	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", &Refusal{
			Status:  http.StatusUnauthorized,
			Code:    "unauthorized",
			bearer:  challenge,
			Message: "Send an access token as Authorization: Bearer TOKEN; WWW-Authenticate says where to get one.",
		}
	}

	subject, err := c.oauth.Subject(r.Context(), strings.TrimSpace(token))
	switch {
	case err == nil:
		return "subject " + subject, nil
	case errors.Is(err, oauth.ErrUnavailable):
		return "", &Refusal{
			Status:  http.StatusServiceUnavailable,
			Code:    "unavailable",
			Message: "Access tokens cannot be checked right now. Try again.",
		}
	case errors.Is(err, oauth.ErrScope):
		return "", &Refusal{
			Status:  http.StatusForbidden,
			Code:    "insufficient_scope",
			bearer:  challenge + `, error="insufficient_scope"`,
			Message: "The access token does not hold the scope " + c.oauth.Scope + ".",
		}
	}

	return "", &Refusal{
		Status:  http.StatusUnauthorized,
		Code:    "invalid_token",
		bearer:  challenge + `, error="invalid_token"`,
		Message: "The access token is not valid here: it is expired, made for another resource, or not of " + c.oauth.Issuer + ".",
	}
}

// metadataOf is the address of the metadata for a path. It stands before the path of
// the resource (RFC 9728 section 3.1).
func (c *Control) metadataOf(path string) string {
	address := c.base.Scheme + "://" + c.base.Host + metadataPath + strings.TrimRight(c.base.Path, "/")
	if path == "/mcp" || path == "/sse" {
		address += path
	}
	return address
}
