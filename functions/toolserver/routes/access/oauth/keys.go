package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Bounds of the JWK set.
const (
	maxKeySet  = 256 << 10
	maxKeys    = 100
	fetchLimit = 5 * time.Second
	keysLife   = time.Hour        // after which they are read again
	pause      = 30 * time.Second // between two reads, so that unknown key ids cost the server nothing
	minRSABits = 2048
	maxRSABits = 8192
)

// Keys are the keys of an authorization server. They are safe for concurrent use.
type Keys struct {
	URL    string // of the JWK set
	Client *http.Client

	mu    sync.Mutex
	byID  map[string]jose.JSONWebKey
	read  time.Time // when they were read
	tried time.Time // when that was tried last
}

// find gives the key of an id; a set of one key needs no id.
func (k *Keys) find(ctx context.Context, id string, now time.Time) (jose.JSONWebKey, error) {
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
		return jose.JSONWebKey{}, ErrUnavailable
	}

	return jose.JSONWebKey{}, ErrInvalid
}

func (k *Keys) get(id string) (jose.JSONWebKey, bool) {
	if id == "" && len(k.byID) == 1 {
		for _, only := range k.byID {
			return only, true
		}
	}

	found, ok := k.byID[id]
	return found, ok
}

func (k *Keys) fetch(ctx context.Context) (map[string]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchLimit) // a caller that disconnects must not cancel the read for the others
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

// parseKeys keeps the keys that can verify signatures and ignores all others, including
// malformed ones: one unknown key must not lock all callers out.
func parseKeys(text []byte) (map[string]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("no JWK set: %w", err)
	}

	byID := map[string]jose.JSONWebKey{}
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && isUsable(key) {
			byID[key.KeyID] = key
		}
	}
	return byID, nil
}

// isUsable reports whether a key is public, for signatures, and of a kind and size that is used
// here.
func isUsable(key jose.JSONWebKey) bool {
	isForSignatures := key.Use == "" || key.Use == "sig"
	return isForSignatures && key.Valid() && len(algorithmsOf(key)) > 0
}

// algorithms are those that a token may be signed with.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}

// algorithmsOf are the algorithms that a key is fit for, none for a key that is not used here.
func algorithmsOf(key jose.JSONWebKey) []jose.SignatureAlgorithm {
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		bits := public.N.BitLen()
		if bits < minRSABits || bits > maxRSABits || public.E < 3 {
			return nil
		}
		return []jose.SignatureAlgorithm{jose.RS256, jose.PS256}
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return nil
		}
		return []jose.SignatureAlgorithm{jose.ES256}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}

// isFor reports whether a token may be signed with an algorithm by a key. The key decides, never
// the token.
func isFor(key jose.JSONWebKey, algorithm string) bool {
	if key.Algorithm != "" && key.Algorithm != algorithm {
		return false
	}
	return slices.Contains(algorithmsOf(key), jose.SignatureAlgorithm(algorithm))
}
