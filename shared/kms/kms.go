// Package kms signs with asymmetric keys in AWS KMS: the gas wallet's
// (ECC_SECG_P256K1) and that of the audit chain's checkpoints
// (ECC_NIST_EDWARDS25519). A key never leaves KMS: an intruder in a function can sign while
// the intrusion lasts, and takes no key away.
//
// The function's role needs, on the keys that it uses alone: kms:Sign and
// kms:GetPublicKey.
package kms

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"governance.internal/shared/telemetry"
)

const (
	attemptLimit = 3 * time.Second // one try of a request
	mostAttempts = 4
)

// Options say how KMS is reached: Endpoint, or Region and Credentials.
type Options struct {
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string // of a double in a test, which needs neither region nor credentials; "" for AWS
}

// Key is a key for signing. It is safe for concurrent use.
type Key struct {
	client *kms.Client
	id     string // id, ARN or alias
}

// Open prepares the client; it sends nothing. The id may be an ARN or an alias, too.
func Open(id string, o Options) *Key {
	transport := awshttp.NewBuildableClient().GetTransport()
	options := kms.Options{
		Region:      o.Region,
		Credentials: o.Credentials,
		HTTPClient: &http.Client{
			Transport: telemetry.Transport(transport),
			Timeout:   attemptLimit,
			// A redirect would carry the session token elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
		Retryer: retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = mostAttempts
			r.RateLimiter = ratelimit.None
		}),
	}

	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
		options.Region = "local"
		options.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}

	return &Key{client: kms.New(options), id: id}
}

// PublicKey gives the public half, as DER of a SubjectPublicKeyInfo (RFC 5280).
func (k *Key) PublicKey(ctx context.Context) ([]byte, error) {
	out, err := k.client.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: aws.String(k.id)})
	if err != nil {
		return nil, fmt.Errorf("key in KMS: %w", err)
	}
	return out.PublicKey, nil
}

// SignDigest signs a SHA-256 or Keccak digest by ECDSA. The signature is DER of an
// Ecdsa-Sig-Value (RFC 3279).
func (k *Key) SignDigest(ctx context.Context, digest [32]byte) ([]byte, error) {
	return k.sign(ctx, digest[:], types.MessageTypeDigest, types.SigningAlgorithmSpecEcdsaSha256)
}

// SignMessage signs a message by Ed25519 (RFC 8032, not pre-hashed). The signature
// has 64 bytes.
func (k *Key) SignMessage(ctx context.Context, message []byte) ([]byte, error) {
	return k.sign(ctx, message, types.MessageTypeRaw, types.SigningAlgorithmSpecEd25519Sha512)
}

func (k *Key) sign(
	ctx context.Context,
	message []byte,
	kind types.MessageType,
	algorithm types.SigningAlgorithmSpec,
) ([]byte, error) {
	out, err := k.client.Sign(ctx, &kms.SignInput{
		KeyId:            aws.String(k.id),
		Message:          message,
		MessageType:      kind,
		SigningAlgorithm: algorithm,
	})
	if err != nil {
		return nil, fmt.Errorf("key in KMS: %w", err)
	}
	return out.Signature, nil
}
