package audit

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// pieceSize is the number of bytes read and walked at a time. It holds several of
// the longest lines and fits the second-level cache, so that hashing reads from it.
const pieceSize = 256 << 10

// piece is a part of a stream: complete lines, and what follows the last of them
// if the stream ends there or the line exceeds a piece.
type piece struct {
	lines, rest []byte
	last        bool // the stream ends here
}

// source cuts a stream into pieces. A piece may lie in buf, which belongs to the
// caller and is made when first needed.
type source interface {
	next(buf *[]byte) (piece, error)
}

// byteSource is a stream that is in memory; its pieces are parts of it.
type byteSource struct{ stream []byte }

func (s *byteSource) next(*[]byte) (piece, error) {
	n := min(len(s.stream), pieceSize)
	isLast := n == len(s.stream)
	p := cut(s.stream[:n], isLast)

	taken := len(p.lines) + len(p.rest)
	s.stream = s.stream[taken:]
	return p, nil
}

// readerSource is a stream that is read.
type readerSource struct {
	r     io.Reader
	carry []byte // the beginning of a line that the last piece did not hold whole
}

func (s *readerSource) next(buf *[]byte) (piece, error) {
	if *buf == nil {
		*buf = make([]byte, pieceSize)
	}

	b := *buf
	n := copy(b, s.carry)
	k := 0
	err := error(nil)
	// io.ReadFull would return the error of a broken connection, io.ErrUnexpectedEOF,
	// at the end of a stream.
	for n < len(b) && err == nil {
		k, err = s.r.Read(b[n:])
		n += k
	}

	last := errors.Is(err, io.EOF)
	if err != nil && !last {
		return piece{}, err
	}

	p := cut(b[:n], last)
	s.carry = append(s.carry[:0], b[len(p.lines)+len(p.rest):n]...)
	return p, nil
}

// cut makes a piece of b. Unless it is the last one, the beginning of a line at
// its end is left for the next.
func cut(b []byte, last bool) piece {
	end := bytes.LastIndexByte(b, '\n') + 1
	if last || end == 0 {
		return piece{
			lines: b[:end],
			rest:  b[end:],
			last:  last,
		}
	}
	return piece{lines: b[:end]}
}

// blockReader reads the lines of blocks in sequence.
type blockReader struct {
	next func() (Block, error, bool)
	stop func()
	rest []byte
}

func newBlockReader(blocks iter.Seq2[Block, error]) *blockReader {
	r := &blockReader{}
	r.next, r.stop = iter.Pull2(blocks)
	return r
}

// Read copies from the current block and fetches the next one at its end.
func (r *blockReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		block, err, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		r.rest = block.Lines
	}

	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
