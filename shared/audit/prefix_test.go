package audit_test

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/memory"
)

// grown returns a store of some entries, and what a full walk of it said when it had
// fewer.
func grown(t *testing.T, walked, all int) (audit.Store, *audit.Prefix) {
	t.Helper()
	s, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var prefix *audit.Prefix
	for n := 1; n < all; n++ {
		if n == walked {
			prefix = walk(t, s)
		}
		if _, err := s.Append(t.Context(), audittest.Event(n)); err != nil {
			t.Fatal(err)
		}
	}
	if all == walked {
		prefix = walk(t, s)
	}
	return s, prefix
}

func walk(t *testing.T, s audit.Store) *audit.Prefix {
	t.Helper()
	r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Tree: true})
	if err != nil || !r.Valid {
		t.Fatalf("%+v (%v)", r, err)
	}
	return r.AsPrefix()
}

func verifyAfter(t *testing.T, s audit.Store, prefix *audit.Prefix, anchors ...audit.Anchor) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Chain: "test", Strict: true, Tree: true, After: prefix, Anchors: anchors})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The report of what follows a prefix says the same of the chain as the report of
// the whole, and how much of it was read.
func TestOnlyWhatFollowsThePrefixIsRead(t *testing.T) {
	for _, size := range []struct{ walked, all int }{{1, 2}, {1, 40}, {20, 40}, {39, 40}, {40, 40}} {
		s, prefix := grown(t, size.walked, size.all)
		whole, r := verifyAfter(t, s, nil), verifyAfter(t, s, prefix)
		if !r.Valid || r.Mode != "incremental" || r.Entries != uint64(size.all) || *r.Head != *whole.Head || *r.Root != *whole.Root || r.Chain != "test" {
			t.Errorf("%v: %+v", size, r)
		}
		if r.Prefix.To != uint64(size.walked) || r.Rehashed.Entries != uint64(size.all-size.walked) || r.Rehashed.Bytes >= whole.Rehashed.Bytes {
			t.Errorf("%v: prefix %+v, rehashed %+v", size, r.Prefix, r.Rehashed)
		}
		if r.Claims[0].Verdict != audit.Conditional || !strings.Contains(r.Claims[0].Why, "would not see") {
			t.Errorf("%v: %+v", size, r.Claims[0])
		}
	}
}

// edited is a store with changed lines.
type edited struct {
	audit.Store
	edit func(seq uint64, line []byte) []byte
	head *audit.Head
}

func (e edited) Head(ctx context.Context) (audit.Head, error) {
	if e.head != nil {
		return *e.head, nil
	}
	return e.Store.Head(ctx)
}

func (e edited) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		for b, err := range e.Store.Blocks(ctx, from, to) {
			seq, changed := b.First, []byte(nil)
			for line := range bytes.Lines(b.Lines) {
				changed = append(changed, e.edit(seq, line)...)
				seq++
			}
			b.Lines = changed
			if !yield(b, err) {
				return
			}
		}
	}
}

func flip(at uint64) func(uint64, []byte) []byte {
	return func(seq uint64, line []byte) []byte {
		if seq == at {
			line = bytes.Clone(line)
			line[12] ^= 1 // in the actor
		}
		return line
	}
}

func TestWhatAnIncrementalVerificationSees(t *testing.T) {
	s, prefix := grown(t, 20, 40)
	head, _ := s.Head(t.Context())
	for _, c := range []struct {
		name   string
		store  audit.Store
		valid  bool
		reason audit.Reason
		broken uint64
	}{
		{"a change after the prefix", edited{Store: s, edit: flip(30)}, false, audit.HashMismatch, 30},
		{"the first entry after the prefix", edited{Store: s, edit: flip(21)}, false, audit.HashMismatch, 21},
		{"a change before it, which the claim says it cannot", edited{Store: s, edit: flip(10)}, true, "", 0},
		{"the end of the prefix was cut off", edited{s, flip(0), headAt(t, s, 15)}, false, audit.Truncated, 16},
		{"a rewritten end", edited{s, flip(0), &audit.Head{Seq: head.Seq, Hash: audit.Hash{1}}}, false, audit.HeadMismatch, 40},
	} {
		r := verifyAfter(t, c.store, prefix)
		if r.Valid != c.valid || r.Reason != c.reason || !c.valid && *r.BrokenAt != c.broken {
			t.Errorf("%s: %v %s %v", c.name, r.Valid, r.Reason, r.BrokenAt)
		}
	}
}

func headAt(t *testing.T, s audit.Store, seq uint64) *audit.Head {
	t.Helper()
	e, err := audit.ParseEntry(bytes.TrimSuffix(audittest.Lines(t, s, seq, seq), []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	head := e.Head()
	return &head
}

// An anchor within the prefix is compared with what is stored there now.
func TestAnchorsWithinThePrefixAreCompared(t *testing.T) {
	s, prefix := grown(t, 20, 40)
	other, _ := grown(t, 1, 2)
	old := walk(t, prefixOf(t, s, 12))
	anchors := map[string]struct {
		a      audit.Anchor
		result string
	}{
		"an entry":           {audit.ExpectHead(12, old.Head.Hash), audit.ResultMatch},
		"another entry":      {audit.ExpectHead(12, audit.Hash{1}), audit.ResultMismatch},
		"only a number":      {audit.ExpectHead(12, audit.Hash{}), audit.ResultMatch},
		"a checkpoint":       {audit.Anchor{Kind: "c", Size: 12, Root: old.Tree.Root()}, audit.ResultMatch},
		"another's":          {audit.Anchor{Kind: "c", Size: 2, Root: walk(t, other).Tree.Root()}, audit.ResultMismatch},
		"at its end":         {audit.Anchor{Kind: "c", Size: 20, Root: prefix.Tree.Root(), Hash: prefix.Head.Hash}, audit.ResultMatch},
		"another at its end": {audit.Anchor{Kind: "c", Size: 20, Root: old.Tree.Root()}, audit.ResultMismatch},
		"behind it":          {audit.ExpectHead(30, headAt(t, s, 30).Hash), audit.ResultMatch},
		"beyond the end":     {audit.ExpectHead(41, audit.Hash{}), audit.ResultMissing},
	}
	for name, c := range anchors {
		r := verifyAfter(t, s, prefix, c.a)
		if got := r.Truncation.Against[0].Result; got != c.result || r.Valid != (c.result == audit.ResultMatch) || r.Mode != "incremental" {
			t.Errorf("%s: %s, %v, %s", name, got, r.Valid, r.Mode)
		}
	}
	// Only reading everything can tell whether some entry has a hash.
	if r := verifyAfter(t, s, prefix, audit.ExpectHead(0, old.Head.Hash)); !r.Valid || r.Mode != "full" {
		t.Errorf("%+v", r)
	}
}

// prefixOf is the beginning of a store as a store.
func prefixOf(t *testing.T, s audit.Store, size uint64) audit.Store {
	t.Helper()
	return edited{s, flip(0), headAt(t, s, size)}
}

func TestAStreamMayBeginAfterThePrefix(t *testing.T) {
	s, prefix := grown(t, 20, 40)
	lines := audittest.Lines(t, s, 21, 40)
	for _, workers := range []int{1, 2} {
		r, err := audit.VerifyBytes(lines, audit.VerifyOptions{After: prefix, Parallelism: workers, Now: func() time.Time { return prefix.VerifiedAt.Add(90 * time.Second) }})
		if err != nil || !r.Valid || r.Head.Seq != 40 || r.Prefix.AgeS != 90 {
			t.Errorf("%+v (%v)", r, err)
		}
		r, err = audit.VerifyBytes(slices.Concat(lines[:200], lines), audit.VerifyOptions{After: prefix, Parallelism: workers})
		if err != nil || r.Valid || *r.BrokenAt != 21 {
			t.Errorf("%+v (%v)", r, err)
		}
	}
}
