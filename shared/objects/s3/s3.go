// Package s3 stores objects in an S3 bucket.
//
// The function's role needs, on the objects of this bucket alone: s3:PutObject
// and s3:GetObject; for a locked bucket s3:PutObjectRetention too. With
// s3:ListBucket on the bucket a missing object differs from a forbidden one.
package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"

	"governance.internal/shared/telemetry"
)

const (
	attemptLimit = 10 * time.Second // one try of a request, with its body
	maxAttempts  = 4
	firstPause   = 50 * time.Millisecond // before the second try; it doubles
)

// Options name the place of the objects: a bucket, and an Endpoint or Region and Credentials.
type Options struct {
	Bucket      string
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string            // of a local engine, which needs neither region nor credentials; "" for AWS
	Transport   http.RoundTripper // nil: the default one
	Lock        Lock              // of created objects; the bucket must have Object Lock
}

// Lock configures S3 Object Lock for created objects. A writer can still hide a locked
// object under a newer version or a delete marker; the locked version remains.
type Lock struct {
	Retention time.Duration // 0 for no lock
	// Mode is governance, which a principal with s3:BypassGovernanceRetention can lift,
	// or compliance, which cannot be lifted before the retention is over.
	Mode string
}

// Bucket is safe for concurrent use.
type Bucket struct {
	client *s3.Client
	name   string
	lock   Lock
}

// Open prepares the client; it sends nothing.
func Open(o Options) *Bucket {
	transport := o.Transport
	if transport == nil {
		transport = awshttp.NewBuildableClient().GetTransport()
	}

	options := s3.Options{
		Region:      o.Region,
		Credentials: o.Credentials,
		Retryer:     retryer(),
		HTTPClient: &http.Client{
			Transport: telemetry.Transport(transport),
			Timeout:   attemptLimit,
			// A redirect would carry the session token elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
		Logger: logging.Nop{},
		// Only locked objects need a checksum, and Create computes it.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}

	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
		options.Region = "local"
		options.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
		options.UsePathStyle = true
	}

	return &Bucket{
		client: s3.New(options),
		name:   o.Bucket,
		lock:   o.Lock,
	}
}

// retryer tries again after lost answers, errors of the service, and conflicts with another
// upload of the same object under way.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.RateLimiter = ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(pause)
		onConflict := retry.IsErrorRetryableFunc(isConflict)
		o.Retryables = append([]retry.IsErrorRetryable{onConflict}, o.Retryables...)
	})
}

// pause is the time before the try after a number of tries.
func pause(attempts int, _ error) (time.Duration, error) {
	doublings := max(attempts-1, 0)
	return firstPause << doublings, nil
}

func isConflict(err error) aws.Ternary {
	if hasStatus(err, http.StatusConflict) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// Put stores an object under a key of letters, digits, "/", "-" and ".".
func (b *Bucket) Put(ctx context.Context, key string, body []byte) error {
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(b.name),
		Key:    aws.String(key),
		Body:   bytes.NewReader(body),
	})
	if err != nil {
		return fmt.Errorf("s3: put %s: %w", key, err)
	}
	return nil
}

// Create stores an object unless there is one under the key: [fs.ErrExist]. That may be
// the object of an earlier try whose answer was lost.
func (b *Bucket) Create(ctx context.Context, key string, body []byte) error {
	input := &s3.PutObjectInput{
		Bucket:      aws.String(b.name),
		Key:         aws.String(key),
		Body:        bytes.NewReader(body),
		IfNoneMatch: aws.String("*"),
	}

	if b.lock.Retention > 0 {
		b.lock.apply(input, body)
	}

	_, err := b.client.PutObject(ctx, input)
	if hasStatus(err, http.StatusPreconditionFailed) {
		err = fs.ErrExist
	}
	if err != nil {
		return fmt.Errorf("s3: create %s: %w", key, err)
	}

	return nil
}

// apply locks the object of an upload. S3 requires a checksum in a header for that.
func (l Lock) apply(input *s3.PutObjectInput, body []byte) {
	sum := sha256.Sum256(body)
	checksum := base64.StdEncoding.EncodeToString(sum[:])
	until := time.Now().Add(l.Retention).UTC()

	input.ChecksumSHA256 = aws.String(checksum)
	input.ObjectLockMode = types.ObjectLockMode(strings.ToUpper(l.Mode))
	input.ObjectLockRetainUntilDate = aws.Time(until.Truncate(time.Second))
}

// Get reads an object of at most so many bytes. [fs.ErrNotExist] if there is none,
// [io.ErrShortBuffer] if it is longer.
func (b *Bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	body, err := b.read(ctx, key, most)
	if err != nil {
		return nil, fmt.Errorf("s3: get %s: %w", key, err)
	}
	return body, nil
}

// read retries when the connection breaks within the body, which the client does not do.
func (b *Bucket) read(ctx context.Context, key string, most int64) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		out, err := b.client.GetObject(ctx, &s3.GetObjectInput{
			Bucket: aws.String(b.name),
			Key:    aws.String(key),
		})
		var missing *types.NoSuchKey
		if errors.As(err, &missing) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, err
		}

		body, err := io.ReadAll(io.LimitReader(out.Body, most+1))
		_ = out.Body.Close()
		switch {
		case err != nil && attempt < maxAttempts && ctx.Err() == nil:
			continue
		case err != nil:
			return nil, err
		case int64(len(body)) > most:
			return nil, fmt.Errorf("the object has more than %d bytes: %w", most, io.ErrShortBuffer)
		}

		return body, nil
	}
}

func hasStatus(err error, code int) bool {
	var response *awshttp.ResponseError
	if !errors.As(err, &response) {
		return false
	}
	return response.HTTPStatusCode() == code
}
