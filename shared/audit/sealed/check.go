package sealed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"

	"governance.internal/shared/audit"
)

// Check reads a segment again and verifies it as the manifest has it: the lines, where
// they begin and end, their tree. The error is [audit.ErrTampered] for lines that
// are good while the manifest names other bytes; any other means that they could not be read.
func (s *Store) Check(ctx context.Context, segment Segment) (audit.Report, error) {
	lines, err := s.lines(ctx, segment)
	if err != nil {
		return audit.Report{}, err
	}

	r, err := verify(ctx, segment.before(), lines, s.chain, segment.anchors()...)
	if err != nil || !r.Valid {
		return r, err
	}

	if r.Head.Seq > segment.Last {
		broken := segment.Last + 1
		r.Valid = false
		r.Reason = audit.HeadMismatch
		r.LastGoodSeq = segment.Last
		r.BrokenAt = &broken
		return r, nil
	}

	if audit.Hash(sha256.Sum256(lines)) != segment.SHA256 {
		err = fmt.Errorf("audit: the manifest of segment %s names other bytes: %w",
			segment.Key(), audit.ErrTampered)
	}

	return r, err
}

// anchors are the end and the tree, separately, so that a report distinguishes them.
func (s Segment) anchors() []audit.Anchor {
	return []audit.Anchor{
		{Kind: "segment_end", Size: s.Last, Hash: s.LastHash, Time: s.LastTime},
		{Kind: "segment_tree", Size: s.Last, Root: s.Root},
	}
}

// verify walks over lines that should follow from, and computes their tree.
func verify(
	ctx context.Context,
	from audit.Head,
	lines []byte,
	chain string,
	anchors ...audit.Anchor,
) (audit.Report, error) {
	return audit.VerifyRun(ctx, from, one(audit.Block{
		First: from.Seq + 1,
		Lines: lines,
	}), audit.VerifyOptions{
		Chain:   chain,
		Anchors: anchors,
		Strict:  true,
		Tree:    true,
	})
}

func one(b audit.Block) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		yield(b, nil)
	}
}
