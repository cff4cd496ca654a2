package audit

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// The tree is that of RFC 6962 section 2.1 over the entries of a chain: the leaf
// with index seq-1 is the entry's hash, 32 bytes. Its root commits to all entries
// as the head does, and unlike the head it has short proofs: that an entry is in
// it, and that a longer tree begins with a shorter one.

// Tree computes the root of a growing chain. It keeps the hashes of the complete
// subtrees at its edge, at most 64. The zero Tree is empty.
//
// Within this package a tree may also begin behind the first entry. It then has no
// root, but a tree that ends where it begins can be joined with it.
type Tree struct {
	from, size uint64
	edge       []Hash // from left to right
}

// begin empties the tree and has it begin behind the first entries.
func (t *Tree) begin(from uint64) { t.from, t.size, t.edge = from, from, t.edge[:0] }

// Append adds the next entry's hash.
func (t *Tree) Append(entry Hash) { t.push(leafHash(entry), 1) }

// push adds a complete subtree with so many leaves, a power of two that divides
// the size of the tree.
func (t *Tree) push(node Hash, leaves uint64) {
	t.size += leaves
	// A left sibling that begins within the tree is the last of the edge.
	for at := t.size - leaves; at&leaves != 0 && at-leaves >= t.from; leaves <<= 1 {
		last := len(t.edge) - 1
		node = nodeHash(t.edge[last], node)
		t.edge = t.edge[:last]
		at -= leaves
	}
	t.edge = append(t.edge, node)
}

// join adds a tree that begins where t ends.
func (t *Tree) join(next *Tree) {
	for _, node := range next.edge {
		t.push(node, edgeLeaves(t.size, next.size))
	}
}

// edgeLeaves is the size of the subtree that begins at a leaf in a tree of the
// given size: the largest power of two that divides the place and still fits.
func edgeLeaves(at, size uint64) uint64 {
	fits := uint64(1) << (bits.Len64(size-at) - 1)
	if at == 0 {
		return fits
	}
	return min(at&-at, fits)
}

// Size is the number of entries.
func (t *Tree) Size() uint64 { return t.size }

// Root is the tree's hash. That of the empty tree is SHA-256 of nothing.
func (t *Tree) Root() Hash {
	if len(t.edge) == 0 {
		return sha256.Sum256(nil)
	}
	root := t.edge[len(t.edge)-1]
	for _, left := range slices.Backward(t.edge[:len(t.edge)-1]) {
		root = nodeHash(left, root)
	}
	return root
}

// leafHash is the hash of a leaf (RFC 6962 section 2.1).
func leafHash(entry Hash) Hash {
	var data [1 + len(entry)]byte
	copy(data[1:], entry[:])
	return sha256.Sum256(data[:])
}

// nodeHash is the hash of a subtree from those of its halves.
func nodeHash(left, right Hash) Hash {
	data := [1 + len(left) + len(right)]byte{1}
	copy(data[1:], left[:])
	copy(data[1+len(left):], right[:])
	return sha256.Sum256(data[:])
}

// span is a range of leaves, the end excluded.
type span struct{ from, to uint64 }

// split is the size of the left subtree: the largest power of two below n.
func split(n uint64) uint64 {
	k := uint64(1)
	for k<<1 < n {
		k <<= 1
	}
	return k
}

// inclusionSpans are the subtrees whose hashes prove leaf index in a tree of the
// range, lowest first (RFC 6962 section 2.1.1).
func inclusionSpans(index uint64, all span) []span {
	if all.to-all.from == 1 {
		return nil
	}
	middle := all.from + split(all.to-all.from)
	if index < middle {
		return append(inclusionSpans(index, span{all.from, middle}), span{middle, all.to})
	}
	return append(inclusionSpans(index, span{middle, all.to}), span{all.from, middle})
}

// consistencySpans are the subtrees whose hashes prove that the tree of the range
// begins with that of its first old leaves (RFC 6962 section 2.1.2). whole says
// that the old tree, and its root, is known to whoever checks.
func consistencySpans(old uint64, all span, whole bool) []span {
	n := all.to - all.from
	if old == n {
		if whole {
			return nil
		}
		return []span{all}
	}
	k := split(n)
	middle := all.from + k
	if old <= k {
		return append(consistencySpans(old, span{all.from, middle}, whole), span{middle, all.to})
	}
	return append(consistencySpans(old-k, span{middle, all.to}, false), span{all.from, middle})
}

// hashSpans computes the hashes of disjoint spans in one pass over the entries'
// hashes, which come in order from the first on.
func hashSpans(spans []span, entries iter.Seq2[Hash, error]) ([]Hash, error) {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(int64(spans[a].from) - int64(spans[b].from)) })
	hashes := make([]Hash, len(spans))
	index, at := uint64(0), 0
	var tree Tree
	for entry, err := range entries {
		if err != nil {
			return nil, err
		}
		if at == len(order) {
			break
		}
		if s := spans[order[at]]; index >= s.from {
			tree.Append(entry)
			if index+1 == s.to {
				hashes[order[at]], tree, at = tree.Root(), Tree{}, at+1
			}
		}
		index++
	}
	if at < len(order) {
		return nil, fmt.Errorf("audit: the chain has %d entries, the proof needs %d", index, spans[order[len(order)-1]].to)
	}
	return hashes, nil
}

// ProveInclusion gives the hashes that prove entry seq in the tree of the first
// size entries, whose hashes are read in order. It needs 1 <= seq <= size.
func ProveInclusion(seq, size uint64, entries iter.Seq2[Hash, error]) ([]Hash, error) {
	if seq == 0 || seq > size {
		return nil, fmt.Errorf("audit: no entry %d in a tree of %d", seq, size)
	}
	return hashSpans(inclusionSpans(seq-1, span{0, size}), entries)
}

// ProveConsistency gives the hashes that prove that the tree of the first size
// entries begins with that of the first old. It needs 1 <= old <= size.
func ProveConsistency(old, size uint64, entries iter.Seq2[Hash, error]) ([]Hash, error) {
	if old == 0 || old > size {
		return nil, fmt.Errorf("audit: a tree of %d does not begin with one of %d", size, old)
	}
	return hashSpans(consistencySpans(old, span{0, size}, true), entries)
}

// CheckInclusion verifies that a tree holds an entry under a seq.
func CheckInclusion(proof []Hash, c Checkpoint, seq uint64, entry Hash) error {
	if seq == 0 || seq > c.Size || c.Size > maxSize {
		return fmt.Errorf("audit: no entry %d in a tree of %d", seq, c.Size)
	}
	err := tlog.CheckRecord(treeHashes(proof), int64(c.Size), tlog.Hash(c.Root), int64(seq-1), tlog.RecordHash(entry[:]))
	if err != nil {
		return fmt.Errorf("audit: the proof does not lead from entry %d to the root", seq)
	}
	return nil
}

// CheckConsistency verifies that a tree begins with an older one.
func CheckConsistency(proof []Hash, old, now Checkpoint) error {
	if old.Size == 0 || old.Size > now.Size || now.Size > maxSize {
		return fmt.Errorf("audit: a tree of %d does not begin with one of %d", now.Size, old.Size)
	}
	err := tlog.CheckTree(treeHashes(proof), int64(now.Size), tlog.Hash(now.Root), int64(old.Size), tlog.Hash(old.Root))
	if err != nil {
		return fmt.Errorf("audit: the tree of %d entries does not begin with that of %d", now.Size, old.Size)
	}
	return nil
}

// maxSize is what the tree library counts to.
const maxSize = 1<<63 - 1

func treeHashes(hashes []Hash) []tlog.Hash {
	converted := make([]tlog.Hash, len(hashes))
	for i, h := range hashes {
		converted[i] = tlog.Hash(h)
	}
	return converted
}
