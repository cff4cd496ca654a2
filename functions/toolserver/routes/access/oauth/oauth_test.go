package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// jwk is a key as the set has it (RFC 7517, RFC 7518 section 6, RFC 8037).
type jwk struct {
	Type  string `json:"kty"`
	ID    string `json:"kid"`
	Use   string `json:"use,omitempty"`
	Alg   string `json:"alg,omitempty"`
	Curve string `json:"crv,omitempty"`
	N     string `json:"n,omitempty"`
	E     string `json:"e,omitempty"`
	X     string `json:"x,omitempty"`
	Y     string `json:"y,omitempty"`
}

var encode = base64.RawURLEncoding.EncodeToString

// server is an authorization server with a key of each kind.
type server struct {
	*testing.T
	keys    map[string]crypto.Signer // by algorithm, which is the key id, too
	set     atomic.Pointer[string]   // what it publishes
	fetched atomic.Int64
	url     string
	now     time.Time
}

func start(t *testing.T) *server {
	t.Helper()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{T: t, keys: map[string]crypto.Signer{"RS256": rsaKey, "PS256": rsaKey, "ES256": ecKey, "EdDSA": edKey}, now: time.Unix(1_800_000_000, 0)}
	point, err := ecKey.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	modulus := encode(rsaKey.N.Bytes())
	s.publish(
		jwk{Type: "RSA", ID: "RS256", Use: "sig", N: modulus, E: "AQAB"}, jwk{Type: "RSA", ID: "PS256", N: modulus, E: "AQAB"},
		jwk{Type: "EC", ID: "ES256", Alg: "ES256", Curve: "P-256", X: encode(point[1:33]), Y: encode(point[33:])},
		jwk{Type: "OKP", ID: "EdDSA", Curve: "Ed25519", X: encode(edPublic)},
		jwk{Type: "RSA", ID: "encryption", Use: "enc", N: modulus, E: "AQAB"}, jwk{Type: "RSA", ID: "short", N: encode(big.NewInt(99).Bytes()), E: "AQAB"},
		jwk{Type: "oct", ID: "symmetric"},
	)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.fetched.Add(1)
		_, _ = w.Write([]byte(*s.set.Load()))
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

func (s *server) publish(keys ...jwk) {
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		s.Fatal(err)
	}
	set := string(text)
	s.set.Store(&set)
}

func (s *server) resource() *Resource {
	return &Resource{
		Issuer: "https://login.example", Audiences: []string{"https://tools.example", "https://tools.example/mcp"}, Scope: "tools",
		Keys: &Keys{URL: s.url, Client: http.DefaultClient}, Now: func() time.Time { return s.now },
	}
}

func (s *server) claims(changes map[string]any) map[string]any {
	c := map[string]any{"iss": "https://login.example", "sub": "u1", "aud": "https://tools.example/mcp", "exp": s.now.Unix() + 60, "scope": "openid tools"}
	maps.Copy(c, changes)
	return c
}

// token signs with the key of an algorithm; the header may say something else.
func (s *server) token(algorithm string, header, claims map[string]any) string {
	s.Helper()
	h := map[string]any{"alg": algorithm, "kid": algorithm, "typ": "at+jwt"}
	maps.Copy(h, header)
	head, err := json.Marshal(h)
	if err != nil {
		s.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		s.Fatal(err)
	}
	signed := encode(head) + "." + encode(body)
	return signed + "." + encode(s.sign(algorithm, signed))
}

func (s *server) sign(algorithm, signed string) []byte {
	s.Helper()
	digest := sha256.Sum256([]byte(signed))
	var signature []byte
	var err error
	switch key := s.keys[algorithm].(type) {
	case *ecdsa.PrivateKey:
		r, v, failed := ecdsa.Sign(rand.Reader, key, digest[:])
		if failed != nil {
			s.Fatal(failed)
		}
		signature = append(r.FillBytes(make([]byte, 32)), v.FillBytes(make([]byte, 32))...)
	case ed25519.PrivateKey:
		signature = ed25519.Sign(key, []byte(signed))
	case *rsa.PrivateKey:
		var options crypto.SignerOpts = crypto.SHA256
		if algorithm == "PS256" {
			options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
		}
		signature, err = key.Sign(rand.Reader, digest[:], options)
	}
	if err != nil {
		s.Fatal(err)
	}
	return signature
}

func TestATokenOfTheIssuerForThisResourceIsGood(t *testing.T) {
	s := start(t)
	r := s.resource()
	for _, algorithm := range []string{"RS256", "PS256", "ES256", "EdDSA"} {
		if subject, err := r.Subject(t.Context(), s.token(algorithm, nil, s.claims(nil))); err != nil || subject != "u1" {
			t.Errorf("%s: %q (%v)", algorithm, subject, err)
		}
	}
	if _, err := r.Subject(t.Context(), s.token("ES256", nil, s.claims(map[string]any{"aud": []string{"x", "https://tools.example"}, "nbf": s.now.Unix(), "exp": 1_800_000_000.5}))); err != nil {
		t.Errorf("a list of audiences: %v", err)
	}
	if n := s.fetched.Load(); n != 1 {
		t.Errorf("the keys were read %d times", n)
	}
}

func TestEveryOtherTokenIsRefused(t *testing.T) {
	s := start(t)
	r := s.resource()
	good := s.token("ES256", nil, s.claims(nil))
	parts := strings.Split(good, ".")
	bad := map[string]string{
		"empty": "", "two parts": parts[0] + "." + parts[1], "no signature": parts[0] + "." + parts[1] + ".", "another claim": parts[0] + "." + encode([]byte(`{"sub":"u2"}`)) + "." + parts[2],
		"padded": good + "=", "long": strings.Repeat("a", maxToken) + "." + parts[1] + "." + parts[2], "no algorithm": encode([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"none with a key": encode([]byte(`{"alg":"none","kid":"ES256"}`)) + "." + parts[1] + "." + parts[2],
		"another key":     s.token("ES256", map[string]any{"kid": "EdDSA"}, s.claims(nil)), "an unknown key": s.token("ES256", map[string]any{"kid": "x"}, s.claims(nil)),
		"HMAC by the public key": s.token("RS256", map[string]any{"alg": "HS256"}, s.claims(nil)), "a key for encryption": s.token("RS256", map[string]any{"kid": "encryption"}, s.claims(nil)),
		"critical": s.token("ES256", map[string]any{"crit": []string{"x"}}, s.claims(nil)), "an id token": s.token("ES256", map[string]any{"typ": "logout+jwt"}, s.claims(nil)),
	}
	for name, change := range map[string]map[string]any{
		"another issuer": {"iss": "https://login.example/"}, "another audience": {"aud": "https://tools.example.evil"}, "no audience": {"aud": nil}, "audience of a wrong type": {"aud": 1},
		"expired": {"exp": s.now.Unix() - 61}, "no end": {"exp": nil}, "an end that is no number": {"exp": "soon"}, "an end beyond time": {"exp": 1e300}, "not yet": {"nbf": s.now.Unix() + 61}, "no subject": {"sub": ""},
	} {
		bad[name] = s.token("ES256", nil, s.claims(change))
	}
	for name, token := range bad {
		if subject, err := r.Subject(t.Context(), token); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %q (%v)", name, subject, err)
		}
	}
	if _, err := r.Subject(t.Context(), s.token("ES256", nil, s.claims(map[string]any{"scope": "toolset tools:read"}))); !errors.Is(err, ErrScope) {
		t.Errorf("another scope: %v", err)
	}
}

// New keys are found, an unknown key does not cause repeated requests, and known callers
// still get in while the authorization server is down.
func TestKeysAreReadWhenNeeded(t *testing.T) {
	s := start(t)
	r := s.resource()
	set := *s.set.Load()
	none := `{"keys":[]}`
	s.set.Store(&none)
	token := s.token("ES256", nil, s.claims(map[string]any{"exp": s.now.Unix() + 100_000}))
	for range 5 {
		if _, err := r.Subject(t.Context(), token); !errors.Is(err, ErrInvalid) {
			t.Errorf("without its key: %v", err)
		}
	}
	s.set.Store(&set)
	s.now = s.now.Add(pause)
	if _, err := r.Subject(t.Context(), token); err != nil || s.fetched.Load() != 2 {
		t.Errorf("a new key: %v, read %d times", err, s.fetched.Load())
	}
	broken := `no json`
	s.set.Store(&broken)
	s.now = s.now.Add(keysLife)
	if _, err := r.Subject(t.Context(), token); err != nil || s.fetched.Load() != 3 {
		t.Errorf("the server is down: %v, read %d times", err, s.fetched.Load())
	}
	never := s.resource()
	if _, err := never.Subject(t.Context(), token); !errors.Is(err, ErrUnavailable) {
		t.Errorf("keys never read: %v", err)
	}
}

func FuzzToken(f *testing.F) {
	f.Add("a.b.c")
	f.Add(encode([]byte(`{"alg":"ES256","kid":"k"}`)) + "." + encode([]byte(`{"aud":["x"],"exp":1}`)) + "." + encode(make([]byte, 64)))
	keys, err := parseKeys([]byte(`{"keys":[{"kty":"OKP","kid":"k","crv":"Ed25519","x":"` + encode(make([]byte, 32)) + `"}]}`))
	if err != nil {
		f.Fatal(err)
	}
	r := &Resource{Keys: &Keys{byID: keys, read: time.Unix(1, 0), tried: time.Unix(1, 0)}, Now: func() time.Time { return time.Unix(2, 0) }}
	f.Fuzz(func(t *testing.T, token string) {
		if subject, err := r.Subject(t.Context(), token); err == nil {
			t.Errorf("%q is a token of %q", token, subject)
		}
	})
}

func FuzzKeySet(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AQ","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"","y":"AA"},{"kty":"OKP","crv":"Ed25519","x":"AA"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		keys, err := parseKeys(text)
		if err != nil {
			return
		}
		for id, k := range keys {
			if !k.IsPublic() || isFor(k, "HS256") || isFor(k, "none") {
				t.Errorf("%q is no public key for signatures", id)
			}
		}
	})
}
