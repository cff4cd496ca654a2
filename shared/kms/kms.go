// Package kms signs with asymmetric keys in AWS KMS: the gas wallet's
// (ECC_SECG_P256K1) and that of the audit chain's checkpoints
// (ECC_NIST_EDWARDS25519). A key never leaves KMS, so who breaks into a function can
// sign while he is there and takes nothing away.
//
// The function's role needs, on the keys that it uses alone: kms:Sign and
// kms:GetPublicKey.
package kms

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"governance.internal/shared/awsapi"
)

// Key is a key for signing. It is safe for concurrent use.
type Key struct {
	client *awsapi.Client
	url    string
	id     string // id, ARN or alias
}

// Open prepares the client; it sends nothing.
func Open(id string, a awsapi.Account) *Key {
	url := a.Endpoint
	if url == "" {
		url = "https://kms." + a.Region + ".amazonaws.com/"
	}
	return &Key{awsapi.New("kms", a), url, id}
}

// mostAnswer is more than either operation answers, in bytes.
const mostAnswer = 16 << 10

// call does one operation of the API version 2014-11-01 (JSON 1.1).
func (k *Key) call(ctx context.Context, operation string, input, output any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/x-amz-json-1.1"}, "X-Amz-Target": {"TrentService." + operation}}
	answer, err := k.client.Do(ctx, http.MethodPost, k.url, header, body, mostAnswer)
	if err == nil {
		err = json.Unmarshal(answer, output)
	}
	if err != nil {
		return fmt.Errorf("key in KMS: %s: %w", operation, err)
	}
	return nil
}

// PublicKey gives the public half, as DER of a SubjectPublicKeyInfo (RFC 5280).
func (k *Key) PublicKey(ctx context.Context) ([]byte, error) {
	var out struct{ PublicKey []byte }
	err := k.call(ctx, "GetPublicKey", map[string]any{"KeyId": k.id}, &out)
	return out.PublicKey, err
}

// SignDigest signs a SHA-256 or Keccak digest by ECDSA. The signature is DER of an
// Ecdsa-Sig-Value (RFC 3279).
func (k *Key) SignDigest(ctx context.Context, digest [32]byte) ([]byte, error) {
	return k.sign(ctx, digest[:], "DIGEST", "ECDSA_SHA_256")
}

// SignMessage signs a message by Ed25519 (RFC 8032, not pre-hashed). The signature
// has 64 bytes.
func (k *Key) SignMessage(ctx context.Context, message []byte) ([]byte, error) {
	return k.sign(ctx, message, "RAW", "ED25519_SHA_512")
}

func (k *Key) sign(ctx context.Context, message []byte, kind, algorithm string) ([]byte, error) {
	var out struct{ Signature []byte }
	err := k.call(ctx, "Sign", map[string]any{
		"KeyId": k.id, "Message": message, "MessageType": kind, "SigningAlgorithm": algorithm,
	}, &out)
	return out.Signature, err
}
