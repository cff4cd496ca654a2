package sealed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"

	"governance.internal/shared/audit"
)

// Seal seals what can be sealed and returns it, also with an error what was sealed
// before that. The error is [audit.ErrTampered] if the chain does not verify from its last
// segment to its head, or if another object is in the way; then nothing of
// the run is recorded.
func (s *Store) Seal(ctx context.Context) ([]Segment, error) {
	head, err := s.hot.Head(ctx)
	if err != nil {
		return nil, err
	}

	segments, err := s.Segments(ctx)
	if err != nil {
		return nil, err
	}

	var from audit.Head
	if n := len(segments); n > 0 {
		from = segments[n-1].end()
	}
	if !s.enough(from, head) {
		return nil, nil
	}
	if err := s.verifyHot(ctx, from, head); err != nil {
		return nil, err
	}

	var fresh []Segment
	for s.enough(from, head) {
		lines, err := s.run(ctx, from, head)
		if err != nil || lines == nil {
			return fresh, err
		}
		segment, err := s.seal(ctx, from, lines)
		if err != nil {
			return fresh, err
		}
		fresh = append(fresh, segment)
		from = segment.end()
	}

	return fresh, nil
}

// enough reports whether the entries after from may make a segment certain; if not, they
// need not be read.
func (s *Store) enough(from, head audit.Head) bool {
	if head.Seq <= from.Seq {
		return false
	}

	entries := head.Seq - from.Seq
	if entries >= s.longest(from) {
		return true
	}

	most := entries * (audit.MaxLine + 1) // bytes, with their newlines
	return most > uint64(s.maxBytes)
}

// longest is the length of the longest run that may begin after from.
func (s *Store) longest(from audit.Head) uint64 {
	if from.Seq == 0 {
		return s.maxEntries
	}
	return min(s.maxEntries, 1<<bits.TrailingZeros64(from.Seq))
}

// verifyHot walks over all entries that are not sealed: a run that was rewritten after
// the last segment is valid by itself, but does not lead to the head.
func (s *Store) verifyHot(ctx context.Context, from, head audit.Head) error {
	anchor := audit.Anchor{
		Kind: "store_head",
		Size: head.Seq,
		Hash: head.Hash,
	}

	blocks := s.hot.Blocks(ctx, from.Seq+1, head.Seq)
	r, err := audit.VerifyRun(ctx, from, blocks, audit.VerifyOptions{
		Chain:   s.chain,
		Anchors: []audit.Anchor{anchor},
	})
	return sound(r, err)
}

// sound returns an error for a report that is not valid.
func sound(r audit.Report, err error) error {
	if err == nil && !r.Valid {
		err = fmt.Errorf("audit: %s at entry %d, nothing is sealed: %w",
			r.Reason, *r.BrokenAt, audit.ErrTampered)
	}
	return err
}

// run reads the next segment's lines, nil if it is not certain yet where it ends.
func (s *Store) run(ctx context.Context, from, head audit.Head) ([]byte, error) {
	longest := s.longest(from)
	last := min(from.Seq+longest, head.Seq)

	var lines []byte
	ends := []int{0} // ends[n] is where the first n lines end
	for block, err := range s.hot.Blocks(ctx, from.Seq+1, last) {
		if err != nil {
			return nil, err
		}

		for line := range bytes.Lines(block.Lines) {
			lines = append(lines, line...)
			ends = append(ends, len(lines))
			if len(lines) > s.maxBytes {
				fits := max(len(ends)-2, 1)
				power := 1 << (bits.Len(uint(fits)) - 1) // the greatest power of 2 that fits
				return lines[:ends[power]], nil
			}
		}
	}

	if uint64(len(ends)-1) < longest {
		return nil, nil
	}
	return lines, nil
}

// seal makes one segment. Each step can be done again: what it makes depends on
// the lines alone, and is recorded in the index at last.
func (s *Store) seal(ctx context.Context, from audit.Head, lines []byte) (Segment, error) {
	r, err := verify(ctx, from, lines, s.chain)
	if err := sound(r, err); err != nil {
		return Segment{}, err
	}

	segment := newSegment(s.chain, from, lines, r)
	if err := s.create(ctx, segment.Key(), lines); err != nil {
		return Segment{}, err
	}

	err = s.create(ctx, segment.ManifestKey(), segment.Manifest())
	if err != nil {
		return Segment{}, err
	}

	r, err = s.Check(ctx, segment)
	if err := sound(r, err); err != nil {
		return Segment{}, err
	}

	return segment, s.hot.AddSegment(ctx, segment)
}

// create makes an object, or finds it there from an earlier try.
func (s *Store) create(ctx context.Context, key string, body []byte) error {
	err := s.objects.Create(ctx, key, body)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	stored, err := s.objects.Get(ctx, key, int64(len(body)))
	if err == nil && bytes.Equal(stored, body) {
		return nil
	}
	return foreign(key, err)
}

// foreign is the error for an object that stands where another one should; err is of
// reading it. It was there a moment ago, so one that is missing or longer is another.
func foreign(key string, err error) error {
	if err != nil &&
		!errors.Is(err, fs.ErrNotExist) &&
		!errors.Is(err, io.ErrShortBuffer) {
		return err
	}
	return fmt.Errorf("audit: %s holds something else: %w", key, audit.ErrTampered)
}
