package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
)

// Node is a complete subtree: the hash of a power of two of entries that begins at
// a multiple of that power.
type Node struct {
	Size uint64 // entries
	Hash Hash
}

// LeafNode is the node of one entry.
func LeafNode(entry Hash) Node { return Node{1, leafHash(entry)} }

// Nodes yields nodes for the entries of a chain in order, from the first on and
// without a gap, each as large as it likes. It must first ask whether the leaves
// with the indices from to to, to excluded, may come as one node; a single leaf
// always may.
type Nodes func(whole func(from, to uint64) bool) iter.Seq2[Node, error]

// NodesOf returns the first entries of a store: from its method Nodes, which may know
// subtrees, or else from [EntryHashes].
func NodesOf(ctx context.Context, s Store, to uint64) Nodes {
	own, ok := s.(interface {
		Nodes(ctx context.Context, to uint64) Nodes
	})
	if ok {
		return own.Nodes(ctx, to)
	}
	return EntryHashes(ctx, s, to)
}

// EntryHashes are the first entries of a store, each a node, from the hash members
// of their lines as stored. They are what a verification that passed has recomputed.
func EntryHashes(ctx context.Context, s Store, to uint64) Nodes {
	return func(func(from, to uint64) bool) iter.Seq2[Node, error] {
		return LeafNodes(1, s.Blocks(ctx, 1, to))
	}
}

// LeafNodes are the entries of blocks, the first of which begins with entry first.
// Entries that are missing are an error, as is a line too short to hold a hash.
func LeafNodes(first uint64, blocks iter.Seq2[Block, error]) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		next := first
		for block, err := range blocks {
			if err == nil && block.First != next {
				err = fmt.Errorf("audit: entry %d is missing", next)
			}

			if err != nil {
				yield(Node{}, err)
				return
			}

			for line := range bytes.Lines(block.Lines) {
				if len(line) < hashWidth+1 {
					yield(Node{}, errors.New("audit: a line is too short to hold a hash"))
					return
				}

				if !yield(LeafNode(parseHex(line[len(line)-1-len(lineEnd)-hexLen:][:hexLen])), nil) {
					return
				}
				next++
			}
		}
	}
}
