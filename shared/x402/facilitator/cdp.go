package facilitator

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"time"
)

// CDPHost is the host of the facilitator of the Coinbase Developer Platform.
const CDPHost = "api.cdp.coinbase.com"

// cdpLife is how long one of its tokens is good for.
const cdpLife = 2 * time.Minute

// CDPKey is an API key of the Coinbase Developer Platform. Each request carries a
// token (JWT, RFC 7519) that the key signs for that request alone: EdDSA for an
// Ed25519 key (RFC 8037), ES256 for a P-256 key (RFC 7518).
type CDPKey struct {
	id        string
	algorithm string
	private   crypto.Signer
}

var errCDPKey = errors.New("CDP_KEY_SECRET is neither base64 of an Ed25519 key of 64 bytes nor a PEM block of a P-256 key")

// ParseCDPKey reads a key as the platform hands it out. Its error never quotes
// the secret.
func ParseCDPKey(id, secret string) (*CDPKey, error) {
	secret = strings.TrimSpace(strings.ReplaceAll(secret, `\n`, "\n"))
	raw, err := base64.StdEncoding.DecodeString(secret)
	if err == nil &&
		len(raw) == ed25519.PrivateKeySize {
		private := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
		if !private.Equal(ed25519.PrivateKey(raw)) {
			return nil, errCDPKey // the public half belongs to another key
		}
		return &CDPKey{id, "EdDSA", private}, nil
	}

	block, _ := pem.Decode([]byte(secret))
	if block == nil {
		return nil, errCDPKey
	}

	private, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		parsed, _ := x509.ParsePKCS8PrivateKey(block.Bytes) // no key is no *ecdsa.PrivateKey either
		private, _ = parsed.(*ecdsa.PrivateKey)
	}

	if private == nil || private.Curve != elliptic.P256() {
		return nil, errCDPKey
	}
	return &CDPKey{id, "ES256", private}, nil
}

// Token signs for one request.
func (k *CDPKey) Token(method, host, path string, now time.Time) (string, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // crypto/rand never fails since Go 1.24
	head, err := json.Marshal(map[string]string{
		"alg":   k.algorithm,
		"typ":   "JWT",
		"kid":   k.id,
		"nonce": hex.EncodeToString(nonce[:]),
	})
	if err != nil {
		return "", err
	}

	claims, err := json.Marshal(map[string]any{
		"iss":  "cdp",
		"sub":  k.id,
		"uris": []string{method + " " + host + path},
		"iat":  now.Unix(),
		"nbf":  now.Unix(),
		"exp":  now.Add(cdpLife).Unix(),
	})
	if err != nil {
		return "", err
	}

	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	signature, err := k.sign([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// sign gives the signature in the form of RFC 7515: for ES256 r and s, 32 bytes
// each.
func (k *CDPKey) sign(text []byte) ([]byte, error) {
	private, ok := k.private.(*ecdsa.PrivateKey)
	if !ok {
		return k.private.Sign(rand.Reader, text, crypto.Hash(0))
	}
	sum := sha256.Sum256(text)
	r, s, err := ecdsa.Sign(rand.Reader, private, sum[:])
	if err != nil {
		return nil, err
	}
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
}
