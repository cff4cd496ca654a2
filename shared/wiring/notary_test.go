package wiring

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/audit/memory"
	"governance.internal/shared/kms"
)

// checkpointKeyService answers like AWS KMS (JSON 1.1) for one key of the spec
// ECC_NIST_EDWARDS25519.
func checkpointKeyService(t *testing.T, public any, key ed25519.PrivateKey) *kms.Key {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct {
			KeyID            string `json:"KeyId"`
			Message          []byte
			MessageType      string
			SigningAlgorithm string
		}
		if err := json.Unmarshal(body, &in); err != nil || in.KeyID != "alias/checkpoint" {
			t.Errorf("request %s", body)
		}
		switch r.Header.Get("X-Amz-Target") {
		case "TrentService.GetPublicKey":
			der, err := x509.MarshalPKIXPublicKey(public)
			if err != nil {
				t.Error(err)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"PublicKey": der})
		case "TrentService.Sign":
			if in.MessageType != "RAW" || in.SigningAlgorithm != "ED25519_SHA_512" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"Signature": ed25519.Sign(key, in.Message)})
		}
	}))
	t.Cleanup(server.Close)
	return kms.Open("alias/checkpoint", kms.Options{Endpoint: server.URL})
}

// A checkpoint that KMS signed opens with the verifier key, like one by a key in a file.
func TestAKeyInKMSSignsCheckpoints(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	notary, err := remoteNotary(checkpointKeyService(t, public, private), "shop.example/governance")
	if err != nil {
		t.Fatal(err)
	}
	store, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := auditor.Auditor{Store: store, Notes: store, Notary: notary, Chain: "test", Now: time.Now}
	v, err := a.Verify(t.Context(), auditor.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := notary.Open([]byte(v.Checkpoint)); err != nil || c.Size != 1 || !strings.HasPrefix(v.VKey, "shop.example/governance+") {
		t.Errorf("%+v, %s (%v)", c, v.VKey, err)
	}
	other, _, _ := ed25519.GenerateKey(nil)
	stranger, err := audit.NewNotary("shop.example/governance", other, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Open([]byte(v.Checkpoint)); err == nil {
		t.Error("a checkpoint opens with another key")
	}
}

func TestAKeyOfAnotherKindSignsNoCheckpoints(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, err = remoteNotary(checkpointKeyService(t, &key.PublicKey, nil), "shop.example/governance")
	if err == nil || !strings.Contains(err.Error(), "ECC_NIST_EDWARDS25519") {
		t.Error(err)
	}
}
