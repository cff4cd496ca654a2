package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"

	"governance.internal/shared/audit"
)

// Blocks implements [audit.Store]. It opens the file again by its name, so that it
// reads what other programs read, and yields blocks of up to 256 KB.
func (s *Store) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		s.mu.Lock()
		known := s.view
		s.mu.Unlock()
		from := max(from, 1)
		to := min(to, known.head.Seq)
		if from > to {
			return
		}

		f, err := s.opts.FS.Open(s.path, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}

		if err != nil {
			yield(audit.Block{}, err)
			return
		}
		defer f.Close()

		mark := (from - 1) / markEvery
		b := blocks{
			file:   f,
			offset: known.marks[mark],
			seq:    1 + mark*markEvery,
			from:   from,
			to:     to,
		}
		b.all(ctx, yield)
	}
}

// blocks reads lines from a file; seq is due at offset.
type blocks struct {
	file          File
	offset        int64
	seq, from, to uint64
}

func (b *blocks) all(ctx context.Context, yield func(audit.Block, error) bool) {
	buf := make([]byte, readSize)
	for b.seq <= b.to {
		if err := ctx.Err(); err != nil {
			yield(audit.Block{}, err)
			return
		}

		n, err := b.file.ReadAt(buf, b.offset)
		if err != nil && !errors.Is(err, io.EOF) {
			yield(audit.Block{}, err)
			return
		}

		if n == len(buf) && bytes.IndexByte(buf, '\n') < 0 {
			// Not a valid line: leave it to the verifier.
			yield(audit.Block{
				First: b.seq,
				Last:  b.seq,
				Lines: buf,
			}, nil)
			return
		}

		block := b.cut(buf[:n])
		if len(block.Lines) > 0 && !yield(block, nil) {
			return
		}
		if n < len(buf) {
			return
		}
	}
}

// cut moves past the complete lines in part and returns those that are wanted.
func (b *blocks) cut(part []byte) audit.Block {
	begin, end := 0, 0
	first := max(b.seq, b.from)
	for b.seq <= b.to {
		n := bytes.IndexByte(part[end:], '\n')
		if n < 0 {
			break
		}
		end += n + 1
		b.seq++
		if b.seq <= b.from {
			begin = end
		}
	}

	b.offset += int64(end)
	return audit.Block{
		First: first,
		Last:  b.seq - 1,
		Lines: part[begin:end],
	}
}

// Reader reads a chain from a file as it was when it was opened, up to the last
// complete line. It needs no lock and no permission to write, and does not disturb
// a process that appends. Close it.
type Reader struct {
	*io.SectionReader
	file File
	torn int64
}

// OpenReader opens the file of a chain for reading, usually with [Path].
func OpenReader(path string) (*Reader, error) {
	return OpenReaderFS(osFS{}, path)
}

// OpenReaderFS is OpenReader on another file system.
func OpenReaderFS(fsys FS, path string) (*Reader, error) {
	f, err := fsys.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("audit/file: %w", err)
	}

	size, err := f.Size()
	var end int64
	if err == nil {
		end, err = endOfLines(f, size)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("audit/file: reading %s: %w", path, err), f.Close())
	}
	return &Reader{io.NewSectionReader(f, 0, end), f, size - end}, nil
}

// Torn returns the number of bytes after the last complete line: an append in
// progress, or what a crash left of one. They are not read.
func (r *Reader) Torn() int64 { return r.torn }

// Close closes the file.
func (r *Reader) Close() error {
	return r.file.Close()
}

// endOfLines returns the offset after the last newline of a file.
func endOfLines(f File, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		begin := max(end-int64(len(buf)), 0)
		part := buf[:end-begin]
		if _, err := f.ReadAt(part, begin); err != nil {
			return 0, err
		}
		if n := bytes.LastIndexByte(part, '\n'); n >= 0 {
			return begin + int64(n) + 1, nil
		}
		end = begin
	}
	return 0, nil
}

// Verify verifies the chain in a file with [audit.VerifyReader], as it is now and
// while others append. A file that does not exist holds no entries, which makes the
// report invalid with reason missing unless AllowEmpty is set; a file that cannot be
// read is an error. Bytes after the last complete line are a warning of kind
// torn_tail.
func Verify(path string, o audit.VerifyOptions) (audit.Report, error) {
	r, err := OpenReader(path)
	if errors.Is(err, fs.ErrNotExist) {
		return audit.VerifyReader(strings.NewReader(""), o)
	}
	if err != nil {
		return audit.Report{}, err
	}
	defer r.Close()

	report, err := audit.VerifyReader(r, o)
	if err == nil && r.torn > 0 {
		report.Warnings = append(report.Warnings, audit.Warning{
			Kind:  audit.TornTail,
			Seq:   report.Entries + 1,
			Count: uint64(r.torn),
		})
	}

	return report, err
}
