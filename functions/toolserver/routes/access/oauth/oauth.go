// Package oauth judges the access tokens of an OAuth 2.1 authorization server, for a
// tool server that is a protected resource (MCP 2026-07-28, basic/authorization).
//
// A token is a JWT (RFC 7519, RFC 9068) that is signed with RS256, PS256, ES256 or
// EdDSA by a key of the server's JWK set (RFC 7517). It must come from the issuer, be
// meant for this resource, be valid now and hold the scope. Tokens are never passed on.
package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// Bounds of a token.
const (
	maxToken = 8 << 10
	skew     = time.Minute // that clocks may differ
)

// Reasons why a token is refused.
var (
	// ErrInvalid means that the token proves nothing here (RFC 6750, invalid_token).
	ErrInvalid = errors.New("invalid_token")
	// ErrScope means that the token is good and not for this (insufficient_scope).
	ErrScope = errors.New("insufficient_scope")
	// ErrUnavailable means that the keys of the authorization server cannot be had.
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

// claims are the members of a token that are looked at.
type claims struct {
	Issuer    string       `json:"iss"`
	Subject   string       `json:"sub"`
	Audience  audience     `json:"aud"`
	Expires   *json.Number `json:"exp"`
	NotBefore *json.Number `json:"nbf"`
	Scope     string       `json:"scope"`
}

// audience is one text or a list of them.
type audience []string

func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// Subject judges a token and gives its subject. The error is one of the three.
func (r *Resource) Subject(ctx context.Context, token string) (string, error) {
	signed, header, payload, signature, err := parse(token)
	if err != nil {
		return "", err
	}

	key, err := r.Keys.find(ctx, header.KeyID, r.Now())
	if err != nil {
		return "", err
	}
	if !key.verifies(header.Algorithm, signed, signature) {
		return "", ErrInvalid
	}

	var c claims
	if json.Unmarshal(payload, &c) != nil ||
		c.Subject == "" ||
		!r.accepts(c) {
		return "", ErrInvalid
	}

	if r.Scope != "" && !slices.Contains(strings.Fields(c.Scope), r.Scope) {
		return "", ErrScope
	}
	return c.Subject, nil
}

func (r *Resource) accepts(c claims) bool {
	if c.Issuer != r.Issuer ||
		!slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(r.Audiences, a) }) {
		return false
	}

	now := r.Now()
	expires, ok := seconds(c.Expires)
	if c.Expires == nil || !ok || !now.Before(expires.Add(skew)) {
		return false
	}

	begins, ok := seconds(c.NotBefore)
	return c.NotBefore == nil || ok && !now.Before(begins.Add(-skew))
}

// seconds reads a NumericDate (RFC 7519 section 2).
func seconds(n *json.Number) (time.Time, bool) {
	if n == nil {
		return time.Time{}, false
	}
	at, err := n.Float64()
	if err != nil || at < 0 || at > 1e11 {
		return time.Time{}, false
	}
	return time.Unix(int64(at), 0), true
}

// joseHeader is the protected header of a token.
type joseHeader struct {
	Algorithm string   `json:"alg"`
	KeyID     string   `json:"kid"`
	Type      string   `json:"typ"`
	Critical  []string `json:"crit"`
}

// parse takes a token of the compact form apart (RFC 7515 section 7.1).
func parse(token string) (signed string, h joseHeader, payload, signature []byte, err error) {
	parts := strings.Split(token, ".")
	if len(token) > maxToken || len(parts) != 3 {
		return "", h, nil, nil, ErrInvalid
	}

	var decoded [3][]byte
	for i, part := range parts {
		if decoded[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return "", h, nil, nil, ErrInvalid
		}
	}

	if json.Unmarshal(decoded[0], &h) != nil ||
		h.Critical != nil ||
		!slices.Contains([]string{"", "jwt", "at+jwt", "application/at+jwt"}, strings.ToLower(h.Type)) {
		return "", h, nil, nil, ErrInvalid
	}

	return parts[0] + "." + parts[1], h, decoded[1], decoded[2], nil
}
