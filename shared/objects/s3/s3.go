// Package s3 puts objects into an S3 bucket and gets them back.
//
// The function's role needs, on the objects of this bucket alone: s3:PutObject
// and s3:GetObject.
package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"governance.internal/shared/awsapi"
)

// ErrNotFound says that there is no object under the key.
var ErrNotFound = errors.New("s3: no such object")

// Bucket is safe for concurrent use.
type Bucket struct {
	client *awsapi.Client
	base   string
}

// Open prepares the client; it sends nothing.
func Open(bucket string, a awsapi.Account) *Bucket {
	base := "https://" + bucket + ".s3." + a.Region + ".amazonaws.com/"
	if a.Endpoint != "" {
		base = a.Endpoint + "/" + bucket + "/"
	}
	return &Bucket{awsapi.New("s3", a), base}
}

// Put stores an object under a key of letters, digits, "/", "-" and ".".
func (b *Bucket) Put(ctx context.Context, key string, body []byte) error {
	if _, err := b.client.Do(ctx, http.MethodPut, b.base+key, nil, body, 0); err != nil {
		return fmt.Errorf("s3: put %s: %w", key, err)
	}
	return nil
}

// Get reads an object of at most so many bytes. ErrNotFound if there is none.
func (b *Bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	body, err := b.client.Do(ctx, http.MethodGet, b.base+key, nil, nil, most)
	var status *awsapi.Status
	switch {
	case errors.As(err, &status) && status.Code == http.StatusNotFound:
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("s3: get %s: %w", key, err)
	}
	return body, nil
}
