package audit

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// reference is RFC 6962 section 2.1 word by word.
func reference(entries []Hash) Hash {
	switch n := uint64(len(entries)); n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, entries[0][:]...))
	default:
		k := split(n)
		left, right := reference(entries[:k]), reference(entries[k:])
		return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
	}
}

func someEntries(n int) []Hash {
	entries := make([]Hash, n)
	for i := range entries {
		entries[i] = sha256.Sum256(fmt.Append(nil, i))
	}
	return entries
}

func each(entries []Hash) Nodes {
	return func(func(from, to uint64) bool) iter.Seq2[Node, error] {
		return func(yield func(Node, error) bool) {
			for _, e := range entries {
				if !yield(LeafNode(e), nil) {
					return
				}
			}
		}
	}
}

// lumps yields the same entries, as larger nodes wherever it may and the dice say so.
func lumps(entries []Hash, dice *mathrand.Rand) Nodes {
	return func(whole func(from, to uint64) bool) iter.Seq2[Node, error] {
		return func(yield func(Node, error) bool) {
			for from := uint64(0); from < uint64(len(entries)); {
				size := uint64(1) << dice.IntN(8)
				for size > 1 && (from%size != 0 || from+size > uint64(len(entries)) || !whole(from, from+size)) {
					size /= 2
				}
				node := LeafNode(entries[from])
				if size > 1 {
					node = Node{size, reference(entries[from : from+size])}
				}
				if !yield(node, nil) {
					return
				}
				from += size
			}
		}
	}
}

func newDice(t *testing.T) *mathrand.Rand {
	seed := mathrand.Uint64()
	t.Logf("seed %d", seed)
	return mathrand.New(mathrand.NewPCG(seed, 0))
}

const treeSizes = 130 // beyond two levels of complete trees

func TestEveryRootIsThatOfTheStandard(t *testing.T) {
	entries := someEntries(treeSizes)
	var tree Tree
	for n := range entries {
		if got, want := tree.Root(), reference(entries[:n]); got != want || tree.Size() != uint64(n) {
			t.Fatalf("root of %d is %s, want %s", n, got, want)
		}
		tree.Append(entries[n])
	}
}

// Trees of the parts of a chain, wherever it is cut, join to the tree of the whole.
func TestTreesOfPartsJoin(t *testing.T) {
	entries := someEntries(treeSizes)
	want := reference(entries)
	for first := range entries {
		for second := first; second <= len(entries); second++ {
			var whole Tree
			for _, part := range []span{{0, uint64(first)}, {uint64(first), uint64(second)}, {uint64(second), treeSizes}} {
				var tree Tree
				tree.begin(part.from)
				for _, entry := range entries[part.from:part.to] {
					tree.Append(entry)
				}
				whole.join(&tree)
			}
			if whole.Root() != want || whole.Size() != treeSizes {
				t.Fatalf("cut at %d and %d: another root", first, second)
			}
		}
	}
}

// A tree that grows by nodes of any size is the one that grows by entries, and is
// restored from its edge at any size.
func TestATreeGrowsByNodesAndIsRestoredFromItsEdge(t *testing.T) {
	const most = 300
	entries, dice := someEntries(most), newDice(t)
	for range 20 {
		var tree Tree
		nodes := lumps(entries, dice)
		for node, err := range nodes(func(uint64, uint64) bool { return true }) {
			if err != nil {
				t.Fatal(err)
			}
			restored, err := TreeOf(tree.Size(), tree.Edge())
			if err != nil || restored.Root() != tree.Root() {
				t.Fatalf("restored at %d: %v", tree.Size(), err)
			}
			if errors.Join(tree.AppendNode(node), restored.AppendNode(node)) != nil || restored.Root() != tree.Root() || !slices.Equal(restored.Edge(), tree.Edge()) {
				t.Fatalf("a node of %d before %d", node.Size, tree.Size())
			}
			if tree.Root() != reference(entries[:tree.Size()]) {
				t.Fatalf("root of %d", tree.Size())
			}
			if _, ok := tree.LastProof(); ok != (node.Size == 1) {
				t.Fatalf("last proof %v after a node of %d", ok, node.Size)
			}
		}
	}
}

func TestTheLastEntryIsProvenFromTheEdge(t *testing.T) {
	const most = 300
	entries := someEntries(most)
	var tree Tree
	if _, ok := tree.LastProof(); ok {
		t.Error("an empty tree has a last entry")
	}
	for n := uint64(1); n <= most; n++ {
		tree.Append(entries[n-1])
		want, err := ProveInclusion(n, n, each(entries))
		restored, restoreErr := TreeOf(n, tree.Edge())
		if err != nil || restoreErr != nil {
			t.Fatal(err, restoreErr)
		}
		got, ok := tree.LastProof()
		again, okAgain := restored.LastProof()
		if !ok || !okAgain || !slices.Equal(got, want) || !slices.Equal(again, want) {
			t.Fatalf("%d: %v, want %v", n, got, want)
		}
	}
}

func TestWhatIsNoTreeIsRefused(t *testing.T) {
	for _, n := range []Node{{}, {Size: 3}, {Size: 8}, {Size: 1 << 63}} {
		tree := Tree{}
		for _, e := range someEntries(4) {
			tree.Append(e)
		}
		root := tree.Root()
		if tree.AppendNode(n) == nil || tree.Size() != 4 || tree.Root() != root {
			t.Errorf("a node of %d after 4 entries", n.Size)
		}
	}
	for size, lengths := range map[uint64][]int{0: {1}, 1: {0, 2}, 4: {0, 4}, 7: {2, 4}, 6: {1, 4}, 1 << 63: {1}} {
		for _, n := range lengths {
			if _, err := TreeOf(size, make([]Hash, n)); err == nil {
				t.Errorf("%d hashes are the edge of %d", n, size)
			}
		}
	}
}

func TestEveryEntryIsProvenInEveryTreeAndNothingElse(t *testing.T) {
	entries, dice := someEntries(treeSizes), newDice(t)
	for size := 1; size <= treeSizes; size++ {
		c := Checkpoint{Size: uint64(size), Root: reference(entries[:size])}
		for seq := uint64(1); seq <= c.Size; seq++ {
			proof, err := ProveInclusion(seq, c.Size, each(entries))
			if err != nil {
				t.Fatal(err)
			}
			if same, err := ProveInclusion(seq, c.Size, lumps(entries, dice)); err != nil || !slices.Equal(same, proof) {
				t.Fatalf("%d of %d from larger nodes: %v", seq, size, err)
			}
			if err := CheckInclusion(proof, c, seq, entries[seq-1]); err != nil {
				t.Fatalf("%d of %d: %v", seq, size, err)
			}
			if CheckInclusion(proof, c, seq, entries[seq%uint64(treeSizes)]) == nil || CheckInclusion(proof, c, seq%c.Size+1, entries[seq-1]) == nil && c.Size > 1 {
				t.Fatalf("%d of %d proves something else too", seq, size)
			}
		}
	}
}

func TestEveryTreeBeginsWithEveryShorterOne(t *testing.T) {
	entries, dice := someEntries(treeSizes), newDice(t)
	other := someEntries(treeSizes)
	other[0] = Hash{}
	for size := 1; size <= treeSizes; size++ {
		now := Checkpoint{Size: uint64(size), Root: reference(entries[:size])}
		for n := 1; n <= size; n++ {
			old := Checkpoint{Size: uint64(n), Root: reference(entries[:n])}
			proof, err := ProveConsistency(old.Size, now.Size, each(entries))
			if err != nil {
				t.Fatal(err)
			}
			if same, err := ProveConsistency(old.Size, now.Size, lumps(entries, dice)); err != nil || !slices.Equal(same, proof) {
				t.Fatalf("%d of %d from larger nodes: %v", n, size, err)
			}
			if err := CheckConsistency(proof, old, now); err != nil {
				t.Fatalf("%d of %d: %v", n, size, err)
			}
			old.Root = reference(other[:n])
			if CheckConsistency(proof, old, now) == nil {
				t.Fatalf("%d of %d: a rewritten beginning is proven", n, size)
			}
		}
	}
}

func TestWhatCannotBeProvenIsAnError(t *testing.T) {
	entries := someEntries(5)
	down := errors.New("storage down")
	failing := func(func(from, to uint64) bool) iter.Seq2[Node, error] {
		return func(yield func(Node, error) bool) { _ = yield(LeafNode(entries[0]), nil) && yield(Node{}, down) }
	}
	deaf := func(func(from, to uint64) bool) iter.Seq2[Node, error] {
		return func(yield func(Node, error) bool) { yield(Node{4, reference(entries[:4])}, nil) }
	}
	for _, err := range []error{
		second(ProveInclusion(0, 5, each(entries))), second(ProveInclusion(6, 5, each(entries))), second(ProveInclusion(1, 6, each(entries))),
		second(ProveConsistency(0, 5, each(entries))), second(ProveConsistency(6, 5, each(entries))), second(ProveInclusion(5, 5, failing)),
		second(ProveInclusion(1, 5, deaf)), second(ProveConsistency(2, 5, deaf)),
		CheckInclusion(nil, Checkpoint{}, 1, Hash{}), CheckInclusion(nil, Checkpoint{Size: 1 << 63}, 1, Hash{}), CheckConsistency(nil, Checkpoint{}, Checkpoint{Size: 1}),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second(_ []Hash, err error) error { return err }

// keyPair makes a signer and the key that checks it.
func keyPair(t testing.TB, name string) (note.Signer, note.Verifiers) {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, note.VerifierList(verifier)
}

func TestACheckpointIsOfItsOriginAndItsKey(t *testing.T) {
	signer, keys := keyPair(t, "shop.example/audit")
	_, others := keyPair(t, "shop.example/audit")
	c := Checkpoint{Origin: "shop.example/audit", Size: 7, Root: Hash{1}}
	signed, err := c.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := OpenCheckpoint(signed, c.Origin, keys); err != nil || got != c {
		t.Errorf("%+v (%v)", got, err)
	}
	if _, err := OpenCheckpoint(signed, c.Origin, others); err == nil {
		t.Error("another key opens it")
	}
	if _, err := OpenCheckpoint(signed, "other.example/audit", keys); err == nil {
		t.Error("it is another chain's too")
	}
	for i := range signed {
		if bytes.IndexByte(signed, '\n') == i {
			continue
		}
		changed := bytes.Clone(signed)
		changed[i] ^= 1
		if got, err := OpenCheckpoint(changed, c.Origin, keys); err == nil && got != c {
			t.Errorf("byte %d changed: %+v", i, got)
		}
	}
	for _, origin := range []string{"", " a", "a\nb", "a "} {
		if _, err := (Checkpoint{Origin: origin}).Sign(signer); err == nil {
			t.Errorf("origin %q is signed", origin)
		}
	}
}

func TestAProofFileIsCheckedWithoutTheChain(t *testing.T) {
	signer, keys := keyPair(t, "shop.example/audit")
	entries := someEntries(9)
	signed, err := Checkpoint{Origin: "shop.example/audit", Size: 9, Root: reference(entries)}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := ProveInclusion(4, 9, each(entries))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Proof{Seq: 4, Hashes: hashes, Checkpoint: signed}.MarshalText()
	if err != nil || !strings.HasPrefix(string(text), "c2sp.org/tlog-proof@v1\nindex 3\n") {
		t.Fatalf("%s (%v)", text, err)
	}
	for _, file := range []string{string(text), strings.Replace(string(text), "\nindex", "\nextra YWdl\nindex", 1)} {
		var p Proof
		if err := p.UnmarshalText([]byte(file)); err != nil {
			t.Fatal(err)
		}
		if c, err := p.Check(entries[3], "shop.example/audit", keys); err != nil || c.Size != 9 {
			t.Errorf("%+v (%v)", c, err)
		}
		if _, err := p.Check(entries[4], "shop.example/audit", keys); err == nil {
			t.Error("it proves another entry")
		}
	}
}

func FuzzProof(f *testing.F) {
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\na\n1\nb\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Proof
		if p.UnmarshalText(text) != nil {
			return
		}
		again, err := p.MarshalText()
		var q Proof
		if err != nil || q.UnmarshalText(again) != nil || q.Seq != p.Seq || !slices.Equal(q.Hashes, p.Hashes) || !bytes.Equal(q.Checkpoint, p.Checkpoint) {
			t.Errorf("%q becomes %q (%v)", text, again, err)
		}
	})
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(Checkpoint{Origin: "a", Size: 1}.Text())
	f.Add("a\n1\n" + strings.Repeat("A", 20) + "\r" + strings.Repeat("A", 23) + "=\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCheckpoint(text); err == nil && c.Text() != text {
			t.Errorf("%q is read as %q", text, c.Text())
		}
	})
}
