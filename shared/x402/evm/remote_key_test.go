package evm

import (
	"context"
	"encoding/asn1"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/kms"
)

type subjectPublicKeyInfo struct {
	Algorithm struct{ Algorithm, Curve asn1.ObjectIdentifier }
	Key       asn1.BitString
}

type ecdsaSigValue struct{ R, S *big.Int }

func publicKeyInfo(t testing.TB, key *Key, curve asn1.ObjectIdentifier) []byte {
	t.Helper()
	point := crypto.FromECDSAPub(&key.private.PublicKey)
	info := subjectPublicKeyInfo{Key: asn1.BitString{Bytes: point, BitLength: 8 * len(point)}}
	info.Algorithm.Algorithm, info.Algorithm.Curve = oidPublicKey, curve
	der, err := asn1.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// keyService answers like AWS KMS (JSON 1.1) for one key. Its signatures have a
// high s, which KMS gives every other time.
func keyService(t *testing.T, key *Key) *kms.Key {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct {
			KeyID            string `json:"KeyId"`
			Message          []byte
			MessageType      string
			SigningAlgorithm string
		}
		if err := json.Unmarshal(body, &in); err != nil || in.KeyID != "alias/gas" {
			t.Errorf("request %s, %v", body, r.Header)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		switch r.Header.Get("X-Amz-Target") {
		case "TrentService.GetPublicKey":
			_ = json.NewEncoder(w).Encode(map[string]any{"PublicKey": publicKeyInfo(t, key, oidSecp256k1)})
		case "TrentService.Sign":
			if in.MessageType != "DIGEST" || in.SigningAlgorithm != "ECDSA_SHA_256" || len(in.Message) != 32 {
				t.Errorf("request %s", body)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"Signature": highSignature(t, key, common.BytesToHash(in.Message))})
		default:
			t.Errorf("target %s", r.Header.Get("X-Amz-Target"))
		}
	}))
	t.Cleanup(server.Close)
	return kms.Open("alias/gas", kms.Options{Endpoint: server.URL})
}

func highSignature(t testing.TB, key *Key, hash common.Hash) []byte {
	t.Helper()
	signature, err := crypto.Sign(hash[:], key.private)
	if err != nil {
		t.Fatal(err)
	}
	s := new(big.Int).SetBytes(signature[32:64])
	der, err := asn1.Marshal(ecdsaSigValue{new(big.Int).SetBytes(signature[:32]), s.Sub(crypto.S256().Params().N, s)})
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestAKeyInKMSSignsLikeALocalOne(t *testing.T) {
	local := testKey(t, "22")
	remote, err := NewRemoteKey(t.Context(), keyService(t, local))
	if err != nil || remote.Address() != local.Address() {
		t.Fatalf("%v (%v), want %s", remote, err, local.Address())
	}
	for i := range 20 {
		hash := crypto.Keccak256Hash([]byte{byte(i)})
		want, _ := local.sign(t.Context(), hash)
		got, err := remote.sign(t.Context(), hash)
		if err != nil || string(got) != string(want) {
			t.Errorf("%x (%v), want %x", got, err, want)
		}
	}
}

func TestAKeyOfAnotherCurveIsNoWallet(t *testing.T) {
	good := publicKeyInfo(t, testKey(t, "22"), oidSecp256k1)
	for name, der := range map[string][]byte{
		"P-256": publicKeyInfo(t, testKey(t, "22"), asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}),
		"empty": nil, "cut": good[:len(good)-1], "more": append(good, 0), "no point": append(good[:len(good)-64], make([]byte, 64)...),
	} {
		if _, err := NewRemoteKey(t.Context(), fixed{public: der}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestASignatureOfAnotherKeyIsRefused(t *testing.T) {
	hash := common.Hash{1}
	for name, der := range map[string][]byte{
		"other key": highSignature(t, testKey(t, "33"), hash), "other hash": highSignature(t, testKey(t, "22"), common.Hash{2}),
		"empty": nil, "negative": {0x30, 6, 2, 1, 0xff, 2, 1, 1}, "zero": {0x30, 6, 2, 1, 0, 2, 1, 1},
	} {
		remote, err := NewRemoteKey(t.Context(), fixed{publicKeyInfo(t, testKey(t, "22"), oidSecp256k1), der})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := remote.sign(t.Context(), hash); err == nil {
			t.Errorf("%s: %x", name, got)
		}
	}
}

// fixed is a keeper that always answers the same.
type fixed struct{ public, signature []byte }

func (f fixed) PublicKey(context.Context) ([]byte, error) { return f.public, nil }

func (f fixed) SignDigest(context.Context, [32]byte) ([]byte, error) { return f.signature, nil }

func FuzzKeeper(f *testing.F) {
	f.Add(publicKeyInfo(f, testKey(f, "22"), oidSecp256k1), highSignature(f, testKey(f, "22"), common.Hash{}))
	f.Fuzz(func(t *testing.T, public, signature []byte) {
		key, err := NewRemoteKey(t.Context(), fixed{public, signature})
		if err != nil {
			return
		}
		got, err := key.sign(t.Context(), common.Hash{})
		if err != nil {
			return
		}
		signer, err := crypto.SigToPub(make([]byte, 32), got)
		if err != nil || crypto.PubkeyToAddress(*signer).Hex() != key.Address() || !crypto.ValidateSignatureValues(got[64], new(big.Int).SetBytes(got[:32]), new(big.Int).SetBytes(got[32:64]), true) {
			t.Errorf("a signature that the chain refuses: %x", got)
		}
	})
}
