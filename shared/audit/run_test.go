package audit_test

import (
	"fmt"
	"iter"
	"testing"

	"governance.internal/shared/audit"
)

func blockOf(lines [][]byte, from, to int) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		yield(audit.Block{First: uint64(from), Last: uint64(to), Lines: join(lines[from-1 : to])}, nil)
	}
}

// subtree is the size of the largest one that begins at a leaf.
func subtree(leaf int) int { return leaf & -leaf }

// Every run of a chain is verified from the head before it, and nothing else
// passes for it.
func TestARunIsVerifiedFromTheHeadBeforeIt(t *testing.T) {
	const most = 40
	lines, foreign := makeChain(t, "test", most, 1), makeChain(t, "test", most, 2)
	before := func(from int) audit.Head {
		if from == 1 {
			return audit.Head{}
		}
		return headOf(t, lines[:from-1])
	}
	for from := 1; from <= most; from++ {
		for to := from; to <= most; to++ {
			end := headOf(t, lines[:to])
			o := audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(end.Seq, end.Hash)}, Tree: true, Parallelism: 1 + to%2}
			run := func(lines [][]byte, from, to int) audit.Report {
				r, err := audit.VerifyRun(t.Context(), before(from), blockOf(lines, from, to), o)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			r := run(lines, from, to)
			expectBreak(t, r, "", 0)
			var tree audit.Tree
			for i := from; i <= to; i++ {
				tree.Append(headOf(t, lines[:i]).Hash)
			}
			count := uint64(to - from + 1)
			if r.FirstSeq != uint64(from) || r.Entries != count || r.Rehashed.Entries != count || r.Rehashed.From != uint64(from) || r.Head.Hash != end.Hash {
				t.Fatalf("%d to %d: %+v", from, to, r)
			}
			// Within one subtree that begins with entry from, hence with leaf from-1.
			within := from == 1 || (from-1)/subtree(from-1) == (to-1)/subtree(from-1)
			if within != (r.Root != nil) || within && *r.Root != tree.Root() {
				t.Fatalf("%d to %d: root %v", from, to, r.Root)
			}
			if from < to {
				expectBreak(t, run(lines, from, to-1), audit.Truncated, uint64(to))
				expectBreak(t, run(edit(lines, to-1, "settled", "settles"), from, to), audit.HashMismatch, uint64(to))
			}
			if from > 1 {
				expectBreak(t, run(foreign, from, to), audit.PrevMismatch, uint64(from))
			}
		}
	}
	empty := func(func(audit.Block, error) bool) {}
	r, err := audit.VerifyRun(t.Context(), before(10), empty, audit.VerifyOptions{Anchors: []audit.Anchor{{Kind: "end", Size: 12}}})
	if err != nil {
		t.Fatal(err)
	}
	expectBreak(t, r, audit.Truncated, 10)
	if r.Head != nil || r.Entries != 0 {
		t.Errorf("%+v", r)
	}
	down := fmt.Errorf("storage down")
	if _, err := audit.VerifyRun(t.Context(), before(10), func(yield func(audit.Block, error) bool) { yield(audit.Block{}, down) }, audit.VerifyOptions{}); err == nil {
		t.Error("no error")
	}
}
