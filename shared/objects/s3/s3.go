// Package s3 puts objects into an S3 bucket and gets them back. It signs plain
// HTTP requests with the SDK's signer: the SDK's client would add 1.1 MB to each
// function for these two calls.
//
// The function's role needs, on the objects of this bucket alone: s3:PutObject
// and s3:GetObject.
package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

const (
	attemptLimit = 3 * time.Second
	mostAttempts = 4
	pause        = 50 * time.Millisecond // before the second attempt; it doubles
)

// ErrNotFound says that there is no object under the key.
var ErrNotFound = errors.New("s3: no such object")

// Options say which bucket and how it is reached. Bucket and either Endpoint or
// Region and Credentials are required.
type Options struct {
	Bucket      string
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string            // of a local engine, which needs neither region nor credentials; "" for AWS
	Transport   http.RoundTripper // nil: the default one
}

// Bucket is safe for concurrent use.
type Bucket struct {
	base   string
	region string
	keys   aws.CredentialsProvider
	signer *v4.Signer
	client *http.Client
}

// Open prepares the client; it sends nothing.
func Open(o Options) *Bucket {
	b := &Bucket{
		base: "https://" + o.Bucket + ".s3." + o.Region + ".amazonaws.com/", region: o.Region, keys: o.Credentials,
		signer: v4.NewSigner(func(s *v4.SignerOptions) { s.DisableURIPathEscaping = true }),
		client: &http.Client{Transport: o.Transport, Timeout: attemptLimit},
	}
	if o.Endpoint != "" {
		b.base, b.region = o.Endpoint+"/"+o.Bucket+"/", "local"
		b.keys = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	return b
}

// Put stores an object under a key of letters, digits, "/", "-" and ".".
func (b *Bucket) Put(ctx context.Context, key string, body []byte) error {
	_, err := b.try(ctx, http.MethodPut, key, body, 0)
	return err
}

// Get reads an object of at most so many bytes. ErrNotFound if there is none.
func (b *Bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	return b.try(ctx, http.MethodGet, key, nil, most)
}

// try sends a request until it is answered; both calls may be repeated.
func (b *Bucket) try(ctx context.Context, method, key string, body []byte, most int64) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		answer, again, err := b.send(ctx, method, key, body, most)
		if err == nil || !again || attempt == mostAttempts {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause << (attempt - 1)):
		}
	}
}

func (b *Bucket) send(ctx context.Context, method, key string, body []byte, most int64) (answer []byte, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, method, b.base+key, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	if err := b.sign(ctx, req, body); err != nil {
		return nil, false, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, true, fmt.Errorf("s3: %w", err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case resp.StatusCode == http.StatusNotFound && method == http.MethodGet:
		return nil, false, ErrNotFound
	case resp.StatusCode != http.StatusOK:
		again = resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests
		return nil, again, fmt.Errorf("s3: %s of %s: %s", method, key, resp.Status)
	case err != nil:
		return nil, true, fmt.Errorf("s3: %w", err)
	case method == http.MethodGet && int64(len(answer)) > most:
		return nil, false, fmt.Errorf("s3: %s has more than %d bytes", key, most)
	}
	return answer, false, nil
}

func (b *Bucket) sign(ctx context.Context, req *http.Request, body []byte) error {
	keys, err := b.keys.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("s3: %w", err)
	}
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	req.Header.Set("X-Amz-Content-Sha256", digest)
	return b.signer.SignHTTP(ctx, keys, req, digest, "s3", b.region, time.Now())
}
