package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"governance.internal/shared/audit"
)

const (
	typicalLine = 400       // bytes; a guess for the size of the index
	markEvery   = 1024      // entries between two marks
	readSize    = 256 << 10 // bytes read at a time; holds the longest line
)

// tip is the end of the chain and the way to its lines.
type tip struct {
	head audit.Head
	size int64 // of the file up to and including the line of head
	last int64 // offset of that line
	prev int64 // offset of the line before it

	// marks are the offsets of the entries 1, 1+markEvery, … It is append-only, so
	// that readers may hold it.
	marks []int64
	hash  digits // of head.Hash
}

// digits is a hash as it is written in a line.
type digits [2 * sha256.Size]byte

func newTip() tip {
	return tip{hash: digits(bytes.Repeat([]byte("0"), len(digits{})))}
}

// advance moves on to an entry whose line lies between two offsets.
func (t *tip) advance(head audit.Head, begin, end int64) {
	if head.Seq%markEvery == 1 {
		t.marks = append(t.marks, begin)
	}
	t.prev = t.last
	t.last = begin
	t.size = end
	t.head = head
	hex.Encode(t.hash[:], head.Hash[:])
}

func (s *Store) tampered(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	return fmt.Errorf("audit/file: %s: %s: %w", s.path, what, audit.ErrTampered)
}

// refresh updates the store from the file, under the lock. It returns errors of
// reading; it stores a finding in s.failed.
func (s *Store) refresh() error {
	if s.failed != nil {
		return nil
	}
	moved, err := s.data.Moved()
	if err != nil {
		return err
	}

	size, err := s.data.Size()
	if err != nil {
		return err
	}

	switch {
	case moved:
		err = s.tampered("the file was replaced or removed")
	case size < s.tip.size:
		err = s.tampered("the file became shorter")
	default:
		if err = s.checkEnd(); err == nil && size > s.tip.size {
			err = s.catchUp(size)
		}
	}

	if s.failed == nil && errors.Is(err, audit.ErrTampered) {
		s.failed = err
	}
	if s.failed != nil {
		return nil
	}

	return err
}

// checkEnd checks whether the last known line still ends with its hash.
func (s *Store) checkEnd() error {
	length := len(s.tip.hash) + len("\"}\n")
	end := make([]byte, length)
	_, err := s.data.ReadAt(end, s.tip.size-int64(length))
	if err != nil {
		return err
	}

	if !bytes.HasPrefix(end, s.tip.hash[:]) {
		return s.tampered("entry %d was changed", s.tip.head.Seq)
	}
	return nil
}

// catchUp reads the lines between the known end and size, and repairs an
// incomplete last one.
func (s *Store) catchUp(size int64) error {
	before := s.tip
	rest, err := s.scan(size)
	if err == nil && s.tip.head.Seq > before.head.Seq {
		err = s.checkLast()
	}

	if err != nil {
		s.tip = before
		return err
	}

	// The writer of these lines may have died before they were durable.
	if err := s.data.Sync(); err != nil {
		return s.poison(err)
	}
	s.publish()
	if rest > 0 {
		return s.recover(size)
	}

	return nil
}

// scan learns the complete lines between the known end and size. It returns the
// number of bytes after the last of them.
func (s *Store) scan(size int64) (rest int64, err error) {
	buf := make([]byte, min(readSize, size-s.tip.size))
	for s.tip.size < size {
		part := buf[:min(int64(len(buf)), size-s.tip.size)]
		if _, err := s.data.ReadAt(part, s.tip.size); err != nil {
			return 0, err
		}

		known := s.tip.size
		for n := bytes.IndexByte(part, '\n'); n >= 0; n = bytes.IndexByte(part, '\n') {
			if err := s.learn(part[:n]); err != nil {
				return 0, err
			}
			part = part[n+1:]
		}

		if s.tip.size > known {
			continue
		}
		if len(part) > audit.MaxLine {
			return 0, s.tampered("the line due at entry %d is too long", s.tip.head.Seq+1)
		}

		break
	}

	return size - s.tip.size, nil
}

// learn adds a line to the index. It checks the place of the line as far as that
// needs no hashing.
func (s *Store) learn(line []byte) error {
	seq := s.tip.head.Seq + 1
	l, ok := audit.SplitLine(line)
	follows := ok && l.Seq == seq && bytes.Equal(l.PrevHash, s.tip.hash[:])
	if !follows {
		return s.tampered("another line stands where entry %d is due", seq)
	}

	if seq == 1 {
		e, reason := audit.Head{}.Check(line)
		if reason != "" || audit.ChainName(e) != s.chain {
			return s.tampered("entry 1 does not begin the chain %s", s.chain)
		}
	}

	begin := s.tip.size
	key := s.index.key(l.ID)
	s.index.add(key, begin)
	if seq%markEvery == 1 {
		s.tip.marks = append(s.tip.marks, begin)
	}

	s.tip.head.Seq = seq
	s.tip.hash = digits(l.Hash)
	s.tip.prev = s.tip.last
	s.tip.last = begin
	s.tip.size = begin + int64(len(line)) + 1
	return nil
}

// checkLast examines the last line in full, against the recomputed hash of the one
// before it, and takes the head from it.
func (s *Store) checkLast() error {
	line, err := s.lineAt(s.tip.last)
	if err != nil {
		return err
	}

	before := audit.Head{Seq: s.tip.head.Seq - 1}
	if before.Seq > 0 {
		prev, err := s.lineAt(s.tip.prev)
		if err != nil {
			return err
		}
		before.Hash = audit.HashLine(prev)
	}

	e, reason := before.Check(line)
	if reason != "" {
		return s.tampered("the last entry, %d, is broken: %s", s.tip.head.Seq, reason)
	}

	s.tip.head = e.Head()
	return nil
}

// lineAt reads the line at an offset, without its newline.
func (s *Store) lineAt(offset int64) ([]byte, error) {
	begin := offset - s.staged.begin
	if begin >= 0 && begin < int64(len(s.staged.lines)) {
		line, _, _ := bytes.Cut(s.staged.lines[begin:], []byte("\n"))
		return bytes.Clone(line), nil
	}

	for size := int64(1024); ; size *= 8 {
		buf := make([]byte, size)
		n, err := s.data.ReadAt(buf, offset)
		if line, _, ok := bytes.Cut(buf[:n], []byte("\n")); ok {
			return line, nil
		}
		if errors.Is(err, io.EOF) || size > audit.MaxLine {
			return nil, s.tampered("a line that was there is gone")
		}
		if err != nil {
			return nil, err
		}
	}
}

// recover moves the incomplete line between the known end and size to a file of
// its own and records that. If it is interrupted before it truncates the chain, it
// runs again and leaves a second copy.
func (s *Store) recover(size int64) error {
	torn := make([]byte, size-s.tip.size)
	_, err := s.data.ReadAt(torn, s.tip.size)
	if err != nil {
		return err
	}

	now := s.opts.Now()
	name, err := s.save(torn, now)
	if err != nil {
		return err
	}
	if err := s.data.Truncate(s.tip.size); err != nil {
		return err
	}
	if err := s.data.Sync(); err != nil {
		return s.poison(err)
	}

	if s.tip.head.Seq == 0 {
		if err := s.begin(now); err != nil {
			return err
		}
	}

	id, err := audit.NewID(now, s.opts.Random)
	if err != nil {
		return err
	}

	d, err := audit.NewDraft(audit.Event{
		ID:    id,
		Actor: audit.System,
		Type:  audit.EventRecovered,
		Payload: map[string]any{
			"bytes":  len(torn),
			"file":   name,
			"sha256": audit.Hash(sha256.Sum256(torn)).String(),
		},
	})
	if err != nil {
		return err
	}

	return s.appendOwn(d, now)
}

// begin appends the genesis entry.
func (s *Store) begin(now time.Time) error {
	genesis, err := audit.Genesis(s.chain, s.opts.Origin, now, s.opts.Random)
	if err != nil {
		return err
	}
	return s.appendOwn(genesis, now)
}

// save writes a torn line to a new file in the directory of the store, durably,
// and returns its name. If there is one of that time, it takes the next nanosecond.
func (s *Store) save(torn []byte, at time.Time) (string, error) {
	stamp := at.UTC().Format("20060102T150405.000000000Z")
	name := s.chain + ".torn-" + stamp
	path := filepath.Join(s.dir, name)

	f, err := s.opts.FS.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return s.save(torn, at.Add(time.Nanosecond))
	}
	if err != nil {
		return "", err
	}

	_, err = f.Write(torn)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return "", err
	}

	return name, s.opts.FS.SyncDir(s.dir)
}
