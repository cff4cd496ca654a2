package x402

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
)

// HeaderSignIn carries a [SignIn], base64 (extension sign-in-with-x).
const HeaderSignIn = "SIGN-IN-WITH-X"

// Accounts reports whether an account signed a text (EIP-191, personal_sign). It returns
// nil, *payments.Invalid, or any other error if that is unknown.
type Accounts interface {
	SignedText(ctx context.Context, address, text, signature string) error
}

// SignIn proves which account asks (CAIP-122). The account signs its [SignIn.Message].
type SignIn struct {
	Domain         string   `json:"domain"`  // host of the service
	Address        string   `json:"address"` // 0x + 40 hex digits, checksummed
	Statement      string   `json:"statement,omitempty"`
	URI            string   `json:"uri"`     // of the resource
	Version        string   `json:"version"` // 1
	ChainID        string   `json:"chainId"` // CAIP-2
	Type           string   `json:"type"`    // eip191
	Nonce          string   `json:"nonce"`
	IssuedAt       string   `json:"issuedAt"`                 // RFC 3339, as are the next two
	ExpirationTime string   `json:"expirationTime,omitempty"` // optional
	NotBefore      string   `json:"notBefore,omitempty"`      // optional
	RequestID      string   `json:"requestId,omitempty"`
	Resources      []string `json:"resources,omitempty"` // URIs
	Signature      string   `json:"signature"`           // hex
}

// Message is the signed text (EIP-4361).
func (s SignIn) Message() string {
	var b strings.Builder
	b.WriteString(s.Domain + " wants you to sign in with your Ethereum account:\n" + s.Address + "\n\n")
	if s.Statement != "" {
		b.WriteString(s.Statement + "\n")
	}

	b.WriteString("\nURI: " + s.URI + "\nVersion: " + s.Version + "\nChain ID: " + strings.TrimPrefix(s.ChainID, "eip155:") +
		"\nNonce: " + s.Nonce + "\nIssued At: " + s.IssuedAt)
	for _, optional := range []struct{ name, value string }{
		{"Expiration Time", s.ExpirationTime}, {"Not Before", s.NotBefore}, {"Request ID", s.RequestID},
	} {
		if optional.value != "" {
			b.WriteString("\n" + optional.name + ": " + optional.value)
		}
	}

	if len(s.Resources) > 0 {
		b.WriteString("\nResources:")
		for _, resource := range s.Resources {
			b.WriteString("\n- " + resource)
		}
	}

	return b.String()
}

// How old a sign-in may be, and how far ahead the clock that it was issued by.
const (
	signInAge   = 5 * time.Minute
	signInAhead = 30 * time.Second
)

// maxSignIn is the longest sign-in header that is read, in characters.
const maxSignIn = 4096

var signInNonce = regexp.MustCompile(`^[A-Za-z0-9]{8,128}$`)

// ParseSignIn reads a sign-in header. Errors are *payments.Invalid.
func ParseSignIn(header string) (SignIn, error) {
	var s SignIn
	if len(header) > maxSignIn {
		return s, signInError("is longer than %d characters", maxSignIn)
	}
	if err := DecodeHeader(header, &s); err != nil {
		return s, signInError("is %s; it must be base64 of the signed message's members", err)
	}

	// A line break in a member could make its text that of another message.
	for _, text := range append([]string{s.Domain, s.Address, s.Statement, s.URI, s.Version, s.ChainID, s.Type, s.Nonce,
		s.IssuedAt, s.ExpirationTime, s.NotBefore, s.RequestID, s.Signature}, s.Resources...) {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return s, signInError("has a control character in a member")
		}
	}

	return s, nil
}

// check refuses a sign-in that is for another service, resource or time. It does
// not look at the signature.
func (s SignIn) check(terms Terms, now time.Time) error {
	base, err := url.Parse(terms.Site.BaseURL)
	if err != nil {
		return err
	}

	uri, err := url.Parse(s.URI)
	if err != nil ||
		uri.User != nil ||
		uri.Scheme+"://"+uri.Host+uri.Path != terms.Site.BaseURL+terms.Endpoint.Path {
		return signInError("is for another resource: uri must be resource.url of these terms")
	}

	switch {
	case s.Domain != base.Host:
		return signInError("is for another domain: domain must be %s", base.Host)
	case s.Version != "1" ||
		s.Type != "eip191" ||
		s.ChainID != terms.Site.Network:
		return signInError("must have version 1, type eip191 and chainId %s", terms.Site.Network)
	case !isAddress(s.Address) || !signInNonce.MatchString(s.Nonce):
		return signInError("has a malformed address or nonce")
	}

	return s.checkTime(now)
}

func (s SignIn) checkTime(now time.Time) error {
	issued, err := time.Parse(time.RFC3339, s.IssuedAt)
	isFresh := now.Sub(issued) <= signInAge && issued.Sub(now) <= signInAhead
	if err != nil || !isFresh {
		return signInError("was not issued within the last 5 minutes: sign the one of these terms")
	}

	if s.ExpirationTime != "" {
		end, err := time.Parse(time.RFC3339, s.ExpirationTime)
		if err != nil || !now.Before(end) {
			return signInError("has expired: sign the one of these terms")
		}
	}

	if s.NotBefore != "" {
		begin, err := time.Parse(time.RFC3339, s.NotBefore)
		if err != nil || now.Before(begin) {
			return signInError("is not valid yet")
		}
	}

	return nil
}

func signInError(format string, args ...any) error {
	return invalid("invalid_sign_in", HeaderSignIn+" "+format+".", args...)
}

// signInExtension offers the sign-in in a challenge. Its nonce only distinguishes the
// challenges: a sign-in gives an account only its own stored answers.
func (t Terms) signInExtension(now time.Time) any {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // crypto/rand never fails since Go 1.24
	_, host, _ := strings.Cut(t.Site.BaseURL, "://")
	host, _, _ = strings.Cut(host, "/")
	return object{
		"info": object{
			"domain":   host,
			"uri":      t.Resource,
			"version":  "1",
			"nonce":    hex.EncodeToString(nonce[:]),
			"issuedAt": now.UTC().Format(time.RFC3339),
		},
		"supportedChains": []object{{"chainId": t.Site.Network, "type": "eip191"}},
		"schema":          object{"required": []string{"address", "signature"}},
	}
}

// account gives the account that signed in, lower case, "" without a sign-in.
// Errors: *payments.Invalid, *payments.Unavailable.
func (g *Gate) account(r *http.Request, terms Terms) (string, error) {
	header := strings.Join(r.Header.Values(HeaderSignIn), ",")
	if header == "" || g.Accounts == nil {
		return "", nil
	}

	s, err := ParseSignIn(header)
	if err == nil {
		err = s.check(terms, g.Now())
	}
	if err != nil {
		return "", err
	}

	err = g.Accounts.SignedText(r.Context(), s.Address, s.Message(), s.Signature)
	var invalid *payments.Invalid
	if err != nil && !errors.As(err, &invalid) {
		err = &payments.Unavailable{Cause: err}
	}

	return strings.ToLower(s.Address), err
}

// returning finds the answer that a signed-in account has bought by an equal
// request. found is false for a request without a sign-in.
func (g *Gate) returning(r *http.Request, terms Terms) (answer payments.Answer, found bool, err error) {
	account, err := g.account(r, terms)
	if err != nil || account == "" {
		return payments.Answer{}, false, err
	}
	if terms.Endpoint.Live {
		return payments.Answer{}, false, signInError("was accepted, but this answer is about the moment of the request: what %s bought before is not given again without its payment", account)
	}

	body, err := (&sale{
		gate:  g,
		terms: terms,
		r:     r,
	}).body()

	var wrong *httpapi.Error
	if errors.As(err, &wrong) { // what cannot be bought was not bought
		return payments.Answer{}, false, signInError("cannot be answered: %s", wrong.Detail)
	}

	fingerprint := RequestDigest(r.Method, r.URL, BodyDigest(body), int64(terms.Price))
	answer, err = g.Machine.Returning(r.Context(), account, fingerprint)
	if errors.Is(err, payments.ErrNotFound) {
		return payments.Answer{}, false, signInError("was accepted, but %s has not bought this request, or its answer is no longer kept", account)
	}

	return answer, err == nil, err
}
