package auditor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

// Archive is a [Sink] that keeps every checkpoint as an object of its own, named
// after its size. In a bucket with Object Lock it cannot be replaced or removed.
type Archive struct {
	Label   string
	Objects sealed.Objects
	Chain   string
}

// Name implements [Sink].
func (s Archive) Name() string { return s.Label }

// Every implements [Sink].
func (s Archive) Every() time.Duration { return 0 }

// maxCheckpoint bounds a signed checkpoint, in bytes.
const maxCheckpoint = 4096

// Put implements [Sink]. Ed25519 signatures have no randomness, so the same
// checkpoint has the same bytes.
func (s Archive) Put(ctx context.Context, p Publication) (string, error) {
	key := fmt.Sprintf("%s/checkpoint/%016d", s.Chain, p.Size)
	err := s.Objects.Create(ctx, key, p.Signed)
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}

	stored, err := s.Objects.Get(ctx, key, maxCheckpoint)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(stored, p.Signed) {
		return "", fmt.Errorf("another checkpoint of %d entries was archived before: %w",
			p.Size, audit.ErrTampered)
	}
	return "", nil
}
