package facilitator

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
)

func pemOf(t *testing.T, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// part decodes one part of a token.
func part(t *testing.T, text string) (raw []byte, object map[string]any) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(raw, &object) // the signature is none
	return raw, object
}

func TestCDPTokenIsSignedForOneRequest(t *testing.T) {
	public, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(curve)
	first := pemOf(t, "EC PRIVATE KEY", sec1, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(curve)
	onES256 := func(text string, signature []byte) bool {
		sum := sha256.Sum256([]byte(text))
		return len(signature) == 64 && ecdsa.Verify(&curve.PublicKey, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	for name, tc := range map[string]struct {
		secret, algorithm string
		good              func(text string, signature []byte) bool
	}{
		"Ed25519":     {base64.StdEncoding.EncodeToString(edwards), "EdDSA", func(text string, s []byte) bool { return ed25519.Verify(public, []byte(text), s) }},
		"SEC 1":       {first, "ES256", onES256},
		"PKCS 8":      {pemOf(t, "PRIVATE KEY", pkcs8, err), "ES256", onES256},
		"on one line": {strings.ReplaceAll(first, "\n", `\n`), "ES256", onES256},
	} {
		key, err := ParseCDPKey("organizations/1/apiKeys/2", tc.secret)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		now := time.Unix(1_800_000_000, 0)
		token, err := key.Token("POST", CDPHost, "/platform/v2/x402/verify", now)
		parts := strings.Split(token, ".")
		if err != nil || len(parts) != 3 {
			t.Fatalf("%s: %q, %v", name, token, err)
		}
		_, head := part(t, parts[0])
		_, claims := part(t, parts[1])
		signature, _ := part(t, parts[2])
		if !tc.good(parts[0]+"."+parts[1], signature) {
			t.Errorf("%s: the signature is wrong", name)
		}
		if nonce := fmt.Sprint(head["nonce"]); head["alg"] != tc.algorithm || head["typ"] != "JWT" || head["kid"] != "organizations/1/apiKeys/2" || len(nonce) != 32 {
			t.Errorf("%s: head %v", name, head)
		}
		want := map[string]any{"iss": "cdp", "sub": "organizations/1/apiKeys/2", "uris": []any{"POST api.cdp.coinbase.com/platform/v2/x402/verify"},
			"iat": 1_800_000_000.0, "nbf": 1_800_000_000.0, "exp": 1_800_000_120.0}
		if fmt.Sprint(claims) != fmt.Sprint(want) {
			t.Errorf("%s: claims %v", name, claims)
		}
		if again, _ := key.Token("POST", CDPHost, "/platform/v2/x402/verify", now); again == token {
			t.Errorf("%s: two tokens are equal", name)
		}
	}
}

func TestAKeyThatIsNoneIsRefusedWithoutQuotingIt(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(other)
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	pkcs8, wrong := x509.MarshalPKCS8PrivateKey(edwards)
	for name, secret := range map[string]string{
		"empty": "", "text": "c2VjcmV0", "32 bytes": base64.StdEncoding.EncodeToString(edwards[:32]),
		"halves of two keys": base64.StdEncoding.EncodeToString(append(edwards[:32:32], make([]byte, 32)...)),
		"another curve":      pemOf(t, "EC PRIVATE KEY", der, err), "another kind": pemOf(t, "PRIVATE KEY", pkcs8, wrong),
	} {
		key, err := ParseCDPKey("id", secret)
		if err == nil || key != nil || secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
