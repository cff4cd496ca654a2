package sealed_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

// counted counts what is read.
type counted struct {
	sealed.Objects
	reads atomic.Int64
}

func (c *counted) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	c.reads.Add(1)
	return c.Objects.Get(ctx, key, most)
}

// Proofs of a sealed chain are those of the plain one, for all entries and sizes, and
// read only the segments that they cut.
func TestProofsOfASealedChain(t *testing.T) {
	h, b, _ := sealedHot(t)
	c := &counted{Objects: b}
	s := sealed.Open("test", h, c)
	for size := uint64(1); size <= total; size++ {
		plain, short := audit.EntryHashes(t.Context(), h, size), s.Nodes(t.Context(), size)
		for n := uint64(1); n <= size; n++ {
			want, err := audit.ProveInclusion(n, size, plain)
			got, shortErr := audit.ProveInclusion(n, size, short)
			if err != nil || shortErr != nil || !slices.Equal(got, want) {
				t.Fatalf("entry %d of %d: %v (%v, %v)", n, size, got, err, shortErr)
			}
			want, err = audit.ProveConsistency(n, size, plain)
			before := c.reads.Load()
			got, shortErr = audit.ProveConsistency(n, size, short)
			if err != nil || shortErr != nil || !slices.Equal(got, want) {
				t.Fatalf("%d in %d: %v (%v, %v)", n, size, got, err, shortErr)
			}
			// At most the sealed segments that contain n and size.
			if reads := c.reads.Load() - before; reads > 2 || n%length == 0 && size > length*sealedN && reads > 0 {
				t.Fatalf("%d in %d: %d segments read", n, size, reads)
			}
		}
	}
	if _, err := audit.ProveInclusion(1, total+1, s.Nodes(t.Context(), total+1)); err == nil {
		t.Error("a tree larger than the chain is proven")
	}
}
