// Package kms keeps the gas wallet's key in AWS KMS: an asymmetric key of the
// spec ECC_SECG_P256K1 for signing. The key never leaves KMS, so who breaks into
// a function can sign while he is there and takes nothing away.
//
// The function's role needs, on this key alone: kms:Sign and kms:GetPublicKey.
package kms

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
)

// callLimit is the time for one call, so that a signature never uses up the time
// that its settlement needs.
const callLimit = 5 * time.Second

// Options say which key it is and how it is reached.
type Options struct {
	Key         string // id, ARN or alias
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string // of a local engine, which needs neither region nor credentials; "" for AWS
}

// Key implements evm.DigestSigner.
type Key struct {
	client *kms.Client
	id     *string
}

// Open prepares the client; it sends nothing.
func Open(o Options) *Key {
	settings := kms.Options{Region: o.Region, Credentials: o.Credentials, HTTPClient: awshttp.NewBuildableClient().WithTimeout(callLimit)}
	if o.Endpoint != "" {
		settings.BaseEndpoint, settings.Region = aws.String(o.Endpoint), "local"
		settings.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	return &Key{client: kms.New(settings), id: aws.String(o.Key)}
}

// PublicKey implements evm.DigestSigner.
func (k *Key) PublicKey(ctx context.Context) ([]byte, error) {
	out, err := k.client.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: k.id})
	if err != nil {
		return nil, fmt.Errorf("gas key in KMS: %w", err)
	}
	return out.PublicKey, nil
}

// SignDigest implements evm.DigestSigner.
func (k *Key) SignDigest(ctx context.Context, digest [32]byte) ([]byte, error) {
	out, err := k.client.Sign(ctx, &kms.SignInput{
		KeyId: k.id, Message: digest[:], MessageType: types.MessageTypeDigest, SigningAlgorithm: types.SigningAlgorithmSpecEcdsaSha256,
	})
	if err != nil {
		return nil, fmt.Errorf("gas key in KMS: %w", err)
	}
	return out.Signature, nil
}
