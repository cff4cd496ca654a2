package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Bounds of the JWK set.
const (
	maxKeySet  = 256 << 10
	maxKeys    = 100
	fetchLimit = 5 * time.Second
	keysLife   = time.Hour        // after which they are read again
	pause      = 30 * time.Second // between two reads, so that unknown key ids cost the server nothing
	minRSABits = 2048
)

// Keys are the keys of an authorization server. They are safe for concurrent use.
type Keys struct {
	URL    string // of the JWK set
	Client *http.Client

	mu    sync.Mutex
	byID  map[string]key
	read  time.Time // when they were read
	tried time.Time // when that was tried last
}

type key struct {
	public crypto.PublicKey
	alg    string // "" for all that the key is fit for
}

// find gives the key of an id; a set of one key needs no id.
func (k *Keys) find(ctx context.Context, id string, now time.Time) (key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()

	found, ok := k.get(id)
	if ok && now.Sub(k.read) < keysLife {
		return found, nil
	}

	if now.Sub(k.tried) >= pause {
		k.tried = now
		byID, err := k.fetch(ctx)
		if err == nil {
			k.byID, k.read = byID, now
		} else {
			slog.WarnContext(ctx, "oauth: keys not read", "error", err.Error())
		}
	}

	if found, ok = k.get(id); ok {
		return found, nil // an hour-old key is better than locking everybody out
	}
	if k.byID == nil {
		return key{}, ErrUnavailable
	}

	return key{}, ErrInvalid
}

func (k *Keys) get(id string) (key, bool) {
	if id == "" && len(k.byID) == 1 {
		for _, only := range k.byID {
			return only, true
		}
	}

	found, ok := k.byID[id]
	return found, ok
}

func (k *Keys) fetch(ctx context.Context) (map[string]key, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchLimit) // one caller's hanging up must not cost the others
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.URL, nil)
	if err != nil {
		return nil, err
	}

	answer, err := k.Client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()

	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeySet))
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d (%w)", answer.StatusCode, err)
	}

	return parseKeys(text)
}

// jwk is a key as the set has it (RFC 7517, RFC 7518 section 6, RFC 8037).
type jwk struct {
	Type  string `json:"kty"`
	ID    string `json:"kid"`
	Use   string `json:"use"`
	Alg   string `json:"alg"`
	Curve string `json:"crv"`
	N     string `json:"n"`
	E     string `json:"e"`
	X     string `json:"x"`
	Y     string `json:"y"`
}

// parseKeys keeps the keys that can verify signatures and leaves out all others.
func parseKeys(text []byte) (map[string]key, error) {
	var set struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("no JWK set: %w", err)
	}

	byID := map[string]key{}
	for _, each := range set.Keys[:min(len(set.Keys), maxKeys)] {
		if public := each.public(); public != nil && (each.Use == "" || each.Use == "sig") {
			byID[each.ID] = key{public, each.Alg}
		}
	}
	return byID, nil
}

// public is nil for a key of a kind or size that is not used here.
func (j jwk) public() crypto.PublicKey {
	switch {
	case j.Type == "RSA":
		return j.rsaKey()
	case j.Type == "EC" && j.Curve == "P-256":
		return j.ecKey()
	case j.Type == "OKP" && j.Curve == "Ed25519":
		if x := decode(j.X); len(x) == ed25519.PublicKeySize {
			return ed25519.PublicKey(x)
		}
	}

	return nil
}

// rsaKey gives a key of RSA within sane bounds, else nil.
func (j jwk) rsaKey() crypto.PublicKey {
	n := number(j.N)
	e := number(j.E)
	if n.BitLen() < minRSABits || n.BitLen() > 8192 {
		return nil
	}
	if e.BitLen() > 31 || e.Int64() < 3 {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}
}

// ecKey gives a key on P-256, nil if the point is not on the curve.
func (j jwk) ecKey() crypto.PublicKey {
	x := decode(j.X)
	y := decode(j.Y)
	if len(x) != 32 || len(y) != 32 {
		return nil
	}
	point := slices.Concat([]byte{4}, x, y)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return nil
	}
	return public
}

// decode is empty for what is not base64url.
func decode(text string) []byte {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return raw
}

func number(text string) *big.Int {
	return new(big.Int).SetBytes(decode(text))
}

// verifies checks a signature. The key decides which algorithms there are: a token
// cannot choose another kind.
func (k key) verifies(algorithm, signed string, signature []byte) bool {
	if k.alg != "" && k.alg != algorithm {
		return false
	}
	digest := sha256.Sum256([]byte(signed))
	switch public := k.public.(type) {
	case *rsa.PublicKey:
		if algorithm == "PS256" {
			return rsa.VerifyPSS(
				public,
				crypto.SHA256,
				digest[:],
				signature,
				&rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash},
			) == nil
		}
		return algorithm == "RS256" &&
			rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && len(signature) == 64 &&
			ecdsa.Verify(
				public,
				digest[:],
				new(big.Int).SetBytes(signature[:32]),
				new(big.Int).SetBytes(signature[32:]),
			)
	case ed25519.PublicKey:
		return algorithm == "EdDSA" && ed25519.Verify(public, []byte(signed), signature)
	}

	return false
}
