// Package s3 puts objects into an S3 bucket and gets them back.
//
// The function's role needs, on the objects of this bucket alone: s3:PutObject
// and s3:GetObject; for a locked bucket s3:PutObjectRetention too. With
// s3:ListBucket on the bucket a missing object is told from a forbidden one.
package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"governance.internal/shared/awsapi"
)

// Bucket is safe for concurrent use.
type Bucket struct {
	client    *awsapi.Client
	base      string
	retention time.Duration // of created objects, 0 for none
	lockMode  string        // of their lock, as S3 spells it
}

// Open prepares the client; it sends nothing.
func Open(bucket string, a awsapi.Account) *Bucket {
	base := "https://" + bucket + ".s3." + a.Region + ".amazonaws.com/"
	if a.Endpoint != "" {
		base = a.Endpoint + "/" + bucket + "/"
	}
	return &Bucket{client: awsapi.New("s3", a), base: base}
}

// Lock says for how long S3 Object Lock keeps what Create makes.
type Lock struct {
	Retention time.Duration // 0 for no lock
	// Mode is governance, which a principal with s3:BypassGovernanceRetention can lift,
	// or compliance, which no one can lift before the retention is over.
	Mode string
}

// OpenLocked is Open with a lock on created objects. The bucket must have Object Lock.
// A writer can still cover a locked object with a newer version or a delete marker; the
// locked version stays beneath.
func OpenLocked(bucket string, a awsapi.Account, lock Lock) *Bucket {
	b := Open(bucket, a)
	b.retention = lock.Retention
	b.lockMode = strings.ToUpper(lock.Mode)
	return b
}

// Put stores an object under a key of letters, digits, "/", "-" and ".".
func (b *Bucket) Put(ctx context.Context, key string, body []byte) error {
	if _, err := b.client.Do(ctx, http.MethodPut, b.base+key, nil, body, 0); err != nil {
		return fmt.Errorf("s3: put %s: %w", key, err)
	}
	return nil
}

// Create stores an object unless there is one under the key: [fs.ErrExist], also
// when that is our own of an earlier try whose answer was lost.
func (b *Bucket) Create(ctx context.Context, key string, body []byte) error {
	header := http.Header{"If-None-Match": {"*"}}
	if b.retention > 0 {
		// S3 locks only what comes with a checksum in a header.
		sum := sha256.Sum256(body)
		header.Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(sum[:]))
		header.Set("X-Amz-Object-Lock-Mode", b.lockMode)
		header.Set("X-Amz-Object-Lock-Retain-Until-Date", time.Now().Add(b.retention).UTC().Format(time.RFC3339))
	}
	_, err := b.client.Do(ctx, http.MethodPut, b.base+key, header, body, 0)
	if hasStatus(err, http.StatusPreconditionFailed) {
		err = fs.ErrExist
	}
	if err != nil {
		return fmt.Errorf("s3: create %s: %w", key, err)
	}
	return nil
}

// Get reads an object of at most so many bytes. [fs.ErrNotExist] if there is none,
// [io.ErrShortBuffer] if it is longer.
func (b *Bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	body, err := b.client.Do(ctx, http.MethodGet, b.base+key, nil, nil, most)
	if hasStatus(err, http.StatusNotFound) && !strings.Contains(err.Error(), "NoSuchBucket") {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("s3: get %s: %w", key, err)
	}
	return body, nil
}

func hasStatus(err error, code int) bool {
	var status *awsapi.Status
	return errors.As(err, &status) && status.Code == code
}
