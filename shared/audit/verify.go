package audit

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// VerifyOptions say what a chain is compared with. The zero value checks the
// chain by itself.
type VerifyOptions struct {
	// Chain is the name that the genesis entry must have; "" accepts any.
	Chain string
	// Anchors are heads noted earlier that the chain must still contain. It may have
	// grown since.
	Anchors []Anchor
	// Strict also checks that every line is spelled canonically, to the last byte of
	// its payload. Without it only the first line and the fixed-width members at the
	// end of every line are checked for spelling. A change of any stored byte is
	// found without it, by the hash; Strict finds a writer that hashed and linked
	// lines which two JSON readers may understand differently.
	Strict bool
	// Tree also computes the root of the tree over the entries, for a checkpoint. It
	// costs about three quarters of the walk again. An anchor with a root asks for it, too.
	Tree bool
	// After is the beginning of the chain that is not read again; nil reads all. A
	// stream then begins with the entry after it. [Verify] also compares anchors
	// within it, which a stream cannot.
	After *Prefix
	// AllowEmpty makes a stream without entries valid if neither Chain nor Anchors
	// demand some.
	AllowEmpty bool
	// Parallelism is the number of goroutines that hash, at least 1. The report does
	// not depend on it.
	Parallelism int
	// Now is the clock for duration_ms and verified_at, by default time.Now.
	Now func() time.Time
}

// Anchor is a head from a source that a writer of the chain cannot change: an answer
// kept from an earlier verification, or a signed checkpoint.
//
// With Size and Hash the entry Size must have that hash. With only a Hash some
// entry must. With only a Size the chain must have so many entries, which shows a
// cut end but not a rewritten chain. With Size and Root the first Size entries must
// have that tree.
type Anchor struct {
	// Kind names the source, in the report; for example expected_head.
	Kind string
	Size uint64
	Hash Hash
	// Root is that of the tree of the first Size entries, zero if not known; of a
	// checkpoint.
	Root Hash
	// Time is when the anchor was made; zero if not known.
	Time time.Time
}

// ExpectHead returns an anchor of kind expected_head. Size may be 0 and hash zero
// if not known, but not both.
func ExpectHead(size uint64, hash Hash) Anchor {
	return Anchor{
		Kind: "expected_head",
		Size: size,
		Hash: hash,
	}
}

// VerifyReader verifies a chain that r yields from its first line to EOF. An error
// means that r could not be read, or that the options are wrong; whatever the
// stream holds, it is no error.
//
// The cost is about 1.15 times that of SHA-256 over the lines, and 1.3 times when
// they are read from a file; with Strict about 1.7 and 1.9 times. Memory is constant.
// BenchmarkVerify and file.BenchmarkMillion measure it.
func VerifyReader(r io.Reader, o VerifyOptions) (Report, error) {
	return verify(context.Background(), &readerSource{r: r}, beginning, o)
}

// VerifyBytes is VerifyReader for a chain that is in memory; it copies nothing.
func VerifyBytes(lines []byte, o VerifyOptions) (Report, error) {
	return verify(context.Background(), &byteSource{lines}, beginning, o)
}

// Verify verifies the chain of a store, up to the head that the store reports when
// it begins: entries appended meanwhile are not looked at, and raise no alarm. The
// head is an anchor of kind store_head. An error means that the store could not be
// read.
//
// With After only what follows that prefix is read, and the mode is incremental; an
// anchor within it is compared with the one entry, or the entries' hashes, that it
// speaks of. A chain that is shorter than the prefix is read in full, with the
// prefix as one more anchor.
func Verify(ctx context.Context, s Store, o VerifyOptions) (Report, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("audit: reading the head: %w", err)
	}

	o.Anchors = slices.Clone(o.Anchors)
	if head.Seq > 0 {
		o.Anchors = append(o.Anchors, Anchor{
			Kind: "store_head",
			Size: head.Seq,
			Hash: head.Hash,
			Time: head.Time,
		})
	}

	from := uint64(1)
	var met []meeting
	if o.After != nil {
		o.Anchors = append(o.Anchors, o.After.anchor())
		if o.After = o.After.within(head, o); o.After != nil {
			from = o.After.Head.Seq + 1
			if met, err = o.After.meet(ctx, s, o.Anchors); err != nil {
				return Report{}, fmt.Errorf("audit: comparing anchors: %w", err)
			}
		}
	}

	r := newBlockReader(s.Blocks(ctx, from, head.Seq))
	defer r.stop()

	return verify(ctx, &readerSource{r: r}, beginning, o, met...)
}

// VerifyRun verifies the entries of blocks that should follow from, as [Verify] does
// a chain. The report is about this run: its first_seq is that after from, its root
// that of the subtree of these entries where they are one, and an anchor at or before
// from is not met.
func VerifyRun(ctx context.Context, from Head, blocks iter.Seq2[Block, error], o VerifyOptions) (Report, error) {
	r := newBlockReader(blocks)
	defer r.stop()
	return verify(ctx, &readerSource{r: r}, placeOf(from), o)
}

func verify(ctx context.Context, src source, at place, o VerifyOptions, met ...meeting) (Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}

	for _, a := range o.Anchors {
		hasRoot := !a.Root.IsZero()
		if a.Size == 0 && (hasRoot || a.Hash.IsZero()) {
			return Report{}, fmt.Errorf("audit: anchor %q has neither size nor hash", a.Kind)
		}
		if hasRoot {
			o.Tree = true
		}
	}

	began := o.Now()
	s := newSession(ctx, src, at, &o)
	s.walker.met = met
	if err := s.run(); err != nil {
		return Report{}, fmt.Errorf("audit: reading the chain: %w", err)
	}

	report := s.report()
	report.VerifiedAt = began.Round(0).UTC()
	report.DurationMS = o.Now().Sub(began).Milliseconds()
	return report, nil
}

// finding is the verdict: the reason and the last seq before the break.
type finding struct {
	reason   Reason
	lastGood uint64
}

// find makes the tests of the whole that follow those of the lines. The order is
// documented at Reason.
func (s *session) find(against []Against) finding {
	w := s.walker
	if w.reason != "" {
		return finding{w.reason, w.seq}
	}

	if w.seq == 0 {
		if s.opts.AllowEmpty &&
			s.opts.Chain == "" &&
			len(s.opts.Anchors) == 0 {
			return finding{}
		}
		return finding{Missing, 0}
	}

	var lowest uint64 // the lowest anchor with another hash or root
	var short, absent, rooted bool
	for _, a := range against {
		switch {
		case a.Result == ResultMissing:
			short = true
		case a.Result == ResultMismatch && a.Size == 0:
			absent = true
		case a.Result == ResultMismatch && (lowest == 0 || a.Size < lowest):
			lowest = a.Size
			rooted = a.Root != nil
		}
	}

	switch {
	case lowest > 0 && rooted:
		return finding{CheckpointMismatch, lowest - 1}
	case lowest > 0:
		return finding{HeadMismatch, lowest - 1}
	case short:
		return finding{Truncated, w.seq}
	case absent:
		return finding{HeadMismatch, w.seq - 1}
	}

	return finding{"", w.seq}
}
