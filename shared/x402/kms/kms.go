// Package kms keeps the gas wallet's key in AWS KMS: an asymmetric key of the
// spec ECC_SECG_P256K1 for signing. The key never leaves KMS, so who breaks into
// a function can sign while he is there and takes nothing away.
//
// The function's role needs, on this key alone: kms:Sign and kms:GetPublicKey.
package kms

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"governance.internal/shared/awsapi"
)

// Key implements evm.DigestSigner.
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
		return fmt.Errorf("gas key in KMS: %s: %w", operation, err)
	}
	return nil
}

// PublicKey implements evm.DigestSigner.
func (k *Key) PublicKey(ctx context.Context) ([]byte, error) {
	var out struct{ PublicKey []byte }
	err := k.call(ctx, "GetPublicKey", map[string]any{"KeyId": k.id}, &out)
	return out.PublicKey, err
}

// SignDigest implements evm.DigestSigner.
func (k *Key) SignDigest(ctx context.Context, digest [32]byte) ([]byte, error) {
	var out struct{ Signature []byte }
	err := k.call(ctx, "Sign", map[string]any{
		"KeyId": k.id, "Message": digest[:], "MessageType": "DIGEST", "SigningAlgorithm": "ECDSA_SHA_256",
	}, &out)
	return out.Signature, err
}
