package sealed

import (
	"context"
	"iter"

	"governance.internal/shared/audit"
)

// Nodes are the first size entries for a proof: a node for each segment that may
// come as one, from the index, and the entries of the others.
func (s *Store) Nodes(ctx context.Context, size uint64) audit.Nodes {
	return func(whole func(from, to uint64) bool) iter.Seq2[audit.Node, error] {
		return func(yield func(audit.Node, error) bool) {
			segments, err := s.Segments(ctx)
			if err != nil {
				yield(audit.Node{}, err)
				return
			}

			next := uint64(1) // the first entry that no node was yielded for
			leaves := func(to uint64) bool {
				if next > to {
					return true
				}
				for node, err := range audit.LeafNodes(next, s.Blocks(ctx, next, to)) {
					if !yield(node, err) || err != nil {
						return false
					}
				}

				next = to + 1
				return true
			}
			for _, segment := range segments {
				if segment.Last > size || !whole(segment.First-1, segment.Last) {
					continue
				}
				if !leaves(segment.First-1) ||
					!yield(audit.Node{
						Size: segment.size(),
						Hash: segment.Root,
					}, nil) {
					return
				}
				next = segment.Last + 1
			}

			leaves(size)
		}
	}
}
