// Package oauth validates the access tokens of an OAuth 2.1 authorization server, for a
// tool server that is a protected resource (MCP 2026-07-28, basic/authorization).
//
// A token is a JWT (RFC 7519, RFC 9068) that is signed with RS256, PS256, ES256 or
// EdDSA by a key of the server's JWK set (RFC 7517). It must come from the issuer, be
// meant for this resource, be valid now and hold the scope. Tokens are never passed on.
package oauth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Bounds of a token.
const (
	maxToken = 8 << 10
	skew     = time.Minute // that clocks may differ
)

// Reasons why a token is refused.
var (
	// ErrInvalid means that the token is not valid for this resource (RFC 6750,
	// invalid_token).
	ErrInvalid = errors.New("invalid_token")
	// ErrScope means that the token is valid but lacks the scope (insufficient_scope).
	ErrScope = errors.New("insufficient_scope")
	// ErrUnavailable means that the keys of the authorization server cannot be fetched.
	ErrUnavailable = errors.New("the keys of the authorization server cannot be read")
)

// Resource is what tokens must be for.
type Resource struct {
	Issuer    string   // of the authorization server, exactly as in its tokens
	Audiences []string // of which a token must name one
	Scope     string   // that a token must hold, "" for none
	Keys      *Keys
	Now       func() time.Time
}

// claims are the members of a token that are looked at besides the registered ones.
type claims struct {
	Scope string `json:"scope"`
}

// Subject validates a token and gives its subject. The error is one of the three.
func (r *Resource) Subject(ctx context.Context, token string) (string, error) {
	if len(token) > maxToken {
		return "", ErrInvalid
	}
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || !isAccessToken(signed.Headers) {
		return "", ErrInvalid
	}

	header := signed.Headers[0]
	key, err := r.Keys.find(ctx, header.KeyID, r.Now())
	if err != nil {
		return "", err
	}
	if !isFor(key, header.Algorithm) {
		return "", ErrInvalid
	}

	var registered jwt.Claims
	var own claims
	if signed.Claims(key.Key, &registered, &own) != nil {
		return "", ErrInvalid
	}
	if !r.accepts(registered) {
		return "", ErrInvalid
	}
	if r.Scope != "" && !slices.Contains(strings.Fields(own.Scope), r.Scope) {
		return "", ErrScope
	}
	return registered.Subject, nil
}

// accepts reports whether a token is from the issuer, for this resource, and valid now. A
// token without an expiry would be good for ever, so it is refused.
func (r *Resource) accepts(c jwt.Claims) bool {
	if c.Subject == "" || c.Expiry == nil {
		return false
	}
	expected := jwt.Expected{
		Issuer:      r.Issuer,
		AnyAudience: r.Audiences,
		Time:        r.Now(),
	}
	return c.ValidateWithLeeway(expected, skew) == nil
}

// accessTypes are the types that a token may declare (RFC 7519 section 5.1, RFC 9068 section 2.1).
var accessTypes = []string{"", "jwt", "at+jwt", "application/at+jwt"}

// isAccessToken reports whether the header of a token asks for nothing that is unknown
// here.
func isAccessToken(headers []jose.Header) bool {
	if len(headers) != 1 {
		return false
	}
	extra := headers[0].ExtraHeaders
	if _, critical := extra["crit"]; critical {
		return false
	}
	declared, _ := extra[jose.HeaderType].(string)
	return slices.Contains(accessTypes, strings.ToLower(declared))
}
