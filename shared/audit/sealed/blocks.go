package sealed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"

	"governance.internal/shared/audit"
)

// ahead is how many segments are read before they are asked for.
const ahead = 2

// Blocks implements [audit.Store]. A segment that is not there, or has far more bytes
// than any, is passed over: who walks over the lines finds the gap.
func (s *Store) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		segments, err := s.Segments(ctx)
		if err != nil {
			yield(audit.Block{}, err)
			return
		}

		next := max(from, 1)
		var wanted []Segment
		for _, segment := range segments {
			if segment.Last >= next && segment.First <= to {
				wanted = append(wanted, segment)
			}
		}

		for lines, err := range s.read(ctx, wanted) {
			if err != nil {
				yield(audit.Block{}, err)
				return
			}

			if block := cut(wanted[0], lines, next, to); len(block.Lines) > 0 &&
				!yield(block, nil) {
				return
			}
			next = wanted[0].Last + 1
			wanted = wanted[1:]
		}

		if next > to {
			return
		}
		for block, err := range s.hot.Blocks(ctx, next, to) {
			if !yield(block, err) {
				return
			}
		}
	}
}

// read yields the lines of segments in order, as they are stored, and reads ahead.
func (s *Store) read(ctx context.Context, segments []Segment) iter.Seq2[[]byte, error] {
	type answer struct {
		lines []byte
		err   error
	}
	return func(yield func([]byte, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		var pending []chan answer
		for i := range segments {
			for len(pending) < min(i+1+ahead, len(segments)) {
				answers := make(chan answer, 1)
				segment := segments[len(pending)]
				pending = append(pending, answers)
				go func() {
					lines, err := s.lines(ctx, segment)
					answers <- answer{lines, err}
				}()
			}

			a := <-pending[i]
			if !yield(a.lines, a.err) || a.err != nil {
				return
			}
		}
	}
}

// lines reads a segment as it is stored, nothing if it is not there.
func (s *Store) lines(ctx context.Context, segment Segment) ([]byte, error) {
	lines, err := s.objects.Get(ctx, segment.Key(), 2*maxBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.ErrShortBuffer) {
		return nil, nil
	}
	return lines, err
}

// cut makes a block of the lines of a segment: those from from to to. A segment that is
// wanted to its end gives all that it has, even if that is more than it should.
func cut(s Segment, lines []byte, from, to uint64) audit.Block {
	b := audit.Block{First: max(s.First, from), Last: min(s.Last, to)}
	for seq := s.First; seq < b.First; seq++ {
		_, lines, _ = bytes.Cut(lines, []byte("\n"))
	}

	b.Lines = lines
	if to >= s.Last {
		return b
	}

	end := 0
	for seq := b.First; seq <= b.Last && end < len(lines); seq++ {
		if n := bytes.IndexByte(lines[end:], '\n'); n >= 0 {
			end += n + 1
		} else {
			end = len(lines)
		}
	}

	b.Lines = lines[:end]
	return b
}
