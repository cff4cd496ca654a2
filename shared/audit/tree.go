package audit

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// The tree is that of RFC 6962 section 2.1 over the entries of a chain: the leaf
// with index seq-1 is the entry's hash, 32 bytes. Its root commits to all entries
// as the head does. Unlike the head it has short proofs: that the tree holds an
// entry, and that a longer tree begins with a shorter one.

// Tree computes the root of a growing chain. It keeps one hash for each level: those
// of the complete subtrees before the last appended node, from left to right, and
// that of the node. The zero Tree is empty.
//
// Within this package a tree may also begin after the first entry. Its root then is
// that of its own entries, and a tree that ends where it begins can join it.
type Tree struct {
	from, size uint64
	last       uint64 // leaves of the last node
	edge       []Hash
}

// TreeOf returns the tree with this size and this edge. It fails if there is none.
func TreeOf(size uint64, edge []Hash) (Tree, error) {
	if size == 0 && len(edge) == 0 {
		return Tree{}, nil
	}
	// The last node has 1, 2, 4 leaves or more, as far as the size has that factor:
	// each doubling merges two hashes of the edge.
	last := uint64(1)
	for size&last == 0 &&
		last < size &&
		bits.OnesCount64(size-last)+1 > len(edge) {
		last <<= 1
	}

	if size == 0 ||
		size > maxSize ||
		bits.OnesCount64(size-last)+1 != len(edge) {
		return Tree{}, fmt.Errorf("audit: %d hashes are not the edge of a tree of %d", len(edge), size)
	}

	return Tree{0, size, last, slices.Clone(edge)}, nil
}

// begin empties the tree. It then begins after the first entries.
func (t *Tree) begin(from uint64) {
	*t = Tree{from: from, size: from, edge: t.edge[:0]}
}

// clone returns a copy of t.
func (t Tree) clone() Tree {
	t.edge = slices.Clone(t.edge)
	return t
}

// Append adds the next entry's hash.
func (t *Tree) Append(entry Hash) {
	t.push(LeafNode(entry))
}

// AppendNode adds the entries of a complete subtree. It fails if no subtree of this
// size can begin here.
func (t *Tree) AppendNode(n Node) error {
	if bits.OnesCount64(n.Size) != 1 ||
		t.size%n.Size != 0 ||
		n.Size > maxSize-t.size {
		return fmt.Errorf("audit: no subtree of %d entries begins after %d", n.Size, t.size)
	}
	t.push(n)
	return nil
}

// push adds a node. Before that it merges the last node with its left siblings, as
// far as they begin within the tree.
func (t *Tree) push(n Node) {
	at := t.size - t.last
	for bit := t.last; at&bit != 0 && at-bit >= t.from; bit <<= 1 {
		last := len(t.edge) - 1
		left := t.edge[last-1]
		right := t.edge[last]

		t.edge[last-1] = nodeHash(left, right)
		t.edge = t.edge[:last]
		at -= bit
	}

	t.edge = append(t.edge, n.Hash)
	t.size += n.Size
	t.last = n.Size
}

// join adds a tree that begins where t ends.
func (t *Tree) join(next *Tree) {
	for i, node := range next.edge {
		if i == len(next.edge)-1 {
			t.push(Node{next.last, node})
			break
		}
		t.push(Node{edgeLeaves(t.size, next.size-next.last), node})
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

// Edge returns the hashes that the tree keeps, at most 64; see [TreeOf].
func (t *Tree) Edge() []Hash {
	return slices.Clone(t.edge)
}

// Root returns the tree's hash. The hash of the empty tree is SHA-256 of the empty string.
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

// LastProof returns the inclusion proof of the last entry without reading the chain.
// It reports false if there is no entry, or if it came within a larger subtree.
func (t *Tree) LastProof() ([]Hash, bool) {
	if t.last != 1 {
		return nil, false
	}
	proof := slices.Clone(t.edge[:len(t.edge)-1])
	slices.Reverse(proof)
	return proof, true
}

// leafHash is the hash of a leaf (RFC 6962 section 2.1).
func leafHash(entry Hash) Hash {
	var data [1 + len(entry)]byte
	copy(data[1:], entry[:])
	return sha256.Sum256(data[:])
}

// nodeHash returns the hash of a subtree from those of its halves.
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
// that the checker knows the old tree and its root.
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

// hashSpans computes the hashes of disjoint spans in one pass over nodes.
func hashSpans(spans []span, nodes Nodes) ([]Hash, error) {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}

	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(spans[a].from, spans[b].from)
	})
	hashes := make([]Hash, len(spans))
	index := uint64(0)
	at := 0
	var tree Tree
	for node, err := range nodes(uncut(spans)) {
		if err != nil {
			return nil, err
		}
		if at == len(order) {
			break
		}

		end := index + node.Size
		if s := spans[order[at]]; end > s.from {
			if index < s.from || end > s.to {
				return nil, fmt.Errorf("audit: the subtree of entries %d to %d does not fit the proof",
					index+1, end)
			}
			if err := tree.AppendNode(node); err != nil {
				return nil, err
			}
			if end == s.to {
				hashes[order[at]] = tree.Root()
				tree = Tree{}
				at++
			}
		}

		index = end
	}

	if at < len(order) {
		return nil, fmt.Errorf("audit: the chain has %d entries, the proof needs %d",
			index, spans[order[len(order)-1]].to)
	}

	return hashes, nil
}

// uncut reports whether no span begins or ends strictly inside a range of leaves.
func uncut(spans []span) func(from, to uint64) bool {
	return func(from, to uint64) bool {
		for _, s := range spans {
			beginsInside := from < s.from && s.from < to
			endsInside := from < s.to && s.to < to
			if beginsInside || endsInside {
				return false
			}
		}
		return true
	}
}

// ProveInclusion returns the hashes that prove entry seq in the tree of the first
// size entries, whose nodes are read in order. It needs 1 <= seq <= size.
func ProveInclusion(seq, size uint64, nodes Nodes) ([]Hash, error) {
	if seq == 0 || seq > size {
		return nil, fmt.Errorf("audit: no entry %d in a tree of %d", seq, size)
	}
	return hashSpans(inclusionSpans(seq-1, span{0, size}), nodes)
}

// ProveConsistency returns the hashes that prove that the tree of the first size
// entries begins with that of the first old. It needs 1 <= old <= size.
func ProveConsistency(old, size uint64, nodes Nodes) ([]Hash, error) {
	if old == 0 || old > size {
		return nil, fmt.Errorf("audit: a tree of %d does not begin with one of %d", size, old)
	}
	return hashSpans(consistencySpans(old, span{0, size}, true), nodes)
}

// CheckInclusion verifies that a tree holds an entry under a seq.
func CheckInclusion(proof []Hash, c Checkpoint, seq uint64, entry Hash) error {
	if seq == 0 || seq > c.Size || c.Size > maxSize {
		return fmt.Errorf("audit: no entry %d in a tree of %d", seq, c.Size)
	}
	err := tlog.CheckRecord(
		treeHashes(proof),
		int64(c.Size),
		tlog.Hash(c.Root),
		int64(seq-1),
		tlog.RecordHash(entry[:]),
	)
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
	err := tlog.CheckTree(
		treeHashes(proof),
		int64(now.Size),
		tlog.Hash(now.Root),
		int64(old.Size),
		tlog.Hash(old.Root),
	)
	if err != nil {
		return fmt.Errorf("audit: the tree of %d entries does not begin with that of %d", now.Size, old.Size)
	}
	return nil
}

// maxSize is the largest size of the tree library.
const maxSize = 1<<63 - 1

func treeHashes(hashes []Hash) []tlog.Hash {
	converted := make([]tlog.Hash, len(hashes))
	for i, h := range hashes {
		converted[i] = tlog.Hash(h)
	}
	return converted
}
