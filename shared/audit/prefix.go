package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"time"
)

// Prefix is the beginning of a chain that an earlier verification read and hashed
// in full. A verification trusts the prefix that it is given.
type Prefix struct {
	Chain      string
	Head       Head // its last entry
	Tree       Tree // over its entries
	VerifiedAt time.Time
}

// FullWalk is the kind of the anchor that a [Prefix] is.
const FullWalk = "full_walk"

func (p *Prefix) anchor() Anchor {
	return Anchor{
		Kind: FullWalk,
		Size: p.Head.Seq,
		Hash: p.Head.Hash,
		Root: p.Tree.Root(),
		Time: p.VerifiedAt,
	}
}

// within returns p if a chain with this head can be verified from there on. It
// returns nil if the chain is shorter or has another name, or if an anchor has no
// size, so that any entry may match it.
func (p *Prefix) within(head Head, o VerifyOptions) *Prefix {
	if head.Seq < p.Head.Seq || o.Chain != "" && o.Chain != p.Chain {
		return nil
	}
	if slices.ContainsFunc(o.Anchors, func(a Anchor) bool { return a.Size == 0 }) {
		return nil
	}
	return p
}

// begin puts a walker at the end of the prefix.
func (p *Prefix) begin(w *walker, o *VerifyOptions) {
	w.begin(o, placeOf(p.Head))
	w.chain = p.Chain
	w.tree = p.Tree.clone()

	written := p.Head.Time.UTC().Format(timeLayout)
	copy(w.time[:], written)
}

// meet compares the anchors that lie within the prefix with the stored entries.
func (p *Prefix) meet(ctx context.Context, s Store, anchors []Anchor) ([]meeting, error) {
	var met []meeting
	for i, a := range anchors {
		if a.Size > p.Head.Seq {
			continue
		}
		hash, root, err := p.at(ctx, s, a)
		if err != nil {
			return nil, err
		}

		sameHash := a.Hash.IsZero() || a.Hash == hash
		sameRoot := a.Root.IsZero() || a.Root == root
		met = append(met, meeting{
			anchor: i,
			seq:    a.Size,
			match:  sameHash && sameRoot,
		})
	}
	return met, nil
}

// at returns the hash of the entry and the root of the tree that an anchor within the
// prefix refers to, each only if the anchor has one.
func (p *Prefix) at(ctx context.Context, s Store, a Anchor) (hash, root Hash, err error) {
	if a.Size == p.Head.Seq {
		return p.Head.Hash, p.Tree.Root(), nil
	}
	if !a.Hash.IsZero() {
		if hash, err = storedHash(ctx, s, a.Size); err != nil {
			return hash, root, err
		}
	}

	if !a.Root.IsZero() {
		root, err = rootOf(a.Size, NodesOf(ctx, s, a.Size))
	}
	return hash, root, err
}

// storedHash recomputes the hash of one stored entry, zero if there is none.
func storedHash(ctx context.Context, s Store, seq uint64) (Hash, error) {
	for block, err := range s.Blocks(ctx, seq, seq) {
		if err != nil {
			return Hash{}, err
		}
		line := bytes.TrimSuffix(block.Lines, []byte("\n"))
		if len(line) < maxTail-maxSeqDigits+1 {
			return Hash{}, nil
		}
		return sha256.Sum256(append(bytes.Clone(line[:len(line)-hashWidth]), '}')), nil
	}
	return Hash{}, nil
}

// rootOf is the root of the tree over the first size entries, zero if there are fewer.
func rootOf(size uint64, nodes Nodes) (Hash, error) {
	var t Tree
	for node, err := range nodes(func(_, to uint64) bool { return to <= size }) {
		if err == nil {
			err = t.AppendNode(node)
		}
		if err != nil {
			return Hash{}, err
		}
	}

	if t.Size() != size {
		return Hash{}, nil
	}
	return t.Root(), nil
}
