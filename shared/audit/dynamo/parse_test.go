package dynamo

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"governance.internal/shared/audit"
)

// FuzzIntent: of the bytes in the inbox only those are taken that some append left
// there, and they fit into one transaction.
func FuzzIntent(f *testing.F) {
	event := `{"actor":"a","event":"e","id":"%d","payload":{"text":"<\u0001>"}}` + "\n"
	f.Add(fmt.Appendf(nil, event+event, 1, 2))
	f.Add(fmt.Appendf(nil, event+event, 1, 1))
	f.Add([]byte("\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		drafts, ok := parseIntent(content)
		if !ok {
			return
		}
		var again []byte
		for _, d := range drafts {
			again = append(append(again, d.Content()...), '\n')
		}
		if len(drafts) == 0 || len(drafts) > maxEvents || !bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), bytes.TrimSuffix(content, []byte("\n"))) {
			t.Fatalf("%d events of %q", len(drafts), content)
		}
	})
}

// FuzzCut: whatever the bytes of a block are, a part of them comes out, whole lines
// up to the last, and reading them in two parts gives the same.
func FuzzCut(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree\n"), uint64(7), uint64(8))
	f.Add([]byte("\n\nno end"), uint64(1), uint64(1))
	f.Add([]byte{}, uint64(3), uint64(4))
	f.Fuzz(func(t *testing.T, stored []byte, first, middle uint64) {
		if first == 0 || first > maxSeq {
			return
		}
		middle = first + middle%8
		i := item{sorting: text(blockSorting(first)), lines: binary(stored)}
		all, head, tail := cut(i, first, maxSeq+1), cut(i, first, middle), cut(i, middle+1, maxSeq+1)
		if joined := append(bytes.Clone(head.Lines), tail.Lines...); !bytes.Equal(all.Lines, stored) || !bytes.Equal(joined, stored) {
			t.Fatalf("%q and %q of %q", head.Lines, tail.Lines, stored)
		}
		if len(head.Lines) > 0 && head.First != first || head.Last > max(middle, first-1) {
			t.Fatalf("%d to %d from %d to %d", head.First, head.Last, first, middle)
		}
	})
}

// Every limit of a transaction holds for any mix of waiting groups.
func TestABatchFitsIntoOneTransaction(t *testing.T) {
	s := &Store{chain: "test"}
	var groups []group
	for i, n := range []int{1, 3, 40, 2, 60, 1} {
		g := group{intent: key("q", fmt.Sprint(i))}
		for j := range n {
			d, err := audit.NewDraft(audit.Event{ID: fmt.Sprintf("%d-%d", i, j), Actor: "a", Type: "e"})
			if err != nil {
				t.Fatal(err)
			}
			g.drafts = append(g.drafts, d)
		}
		groups = append(groups, g)
	}
	for begin := range groups {
		for head := uint64(65530); head < 65540; head++ {
			b := newBatch(audit.Head{Seq: head}, groups[begin:], time.Unix(1, 0))
			if n := len(s.actions(b)); n > maxActions || len(b.intents) == 0 || len(b.blocks) > 2 {
				t.Errorf("%d actions, %d intents, %d blocks", n, len(b.intents), len(b.blocks))
			}
			for _, block := range b.blocks {
				if bucket(block.First) != bucket(block.Last) {
					t.Errorf("block %d to %d", block.First, block.Last)
				}
			}
		}
	}
}
