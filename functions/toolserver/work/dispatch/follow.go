package dispatch

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	followInterval = 250 * time.Millisecond // between two looks at a log
	mostPart       = 64 << 10               // bytes of a log that are sent at once
)

// Follow sends the log of a dispatch from an offset on, in whole lines, until the dispatch
// has ended. It never splits a private key, so that a reader that redacts secrets in a part
// sees the whole key. An offset inside a line or a key counts as its beginning. Next is the
// offset after a part. The error is [fs.ErrNotExist] for an unknown dispatch.
func (d *Dispatcher) Follow(
	ctx context.Context,
	id string,
	from int64,
	send func(part []byte, next int64) error,
) (Record, error) {
	path, err := d.LogPath(id)
	if err != nil {
		return Record{}, err
	}

	log, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Record{}, err
	}
	defer log.Close()

	parts := &splitter{log: log}
	for {
		record, err := d.read(id)
		if err == nil &&
			!d.watches(id) &&
			!d.alive(record) { // who watches it writes its end
			record, err = d.ended(record)
		}

		if err != nil {
			return Record{}, err
		}
		over := record.State == Ended && record.Reason != ""
		if err := parts.rest(over, from, send); err != nil || over {
			return record, err
		}

		select {
		case <-ctx.Done():
			return Record{}, ctx.Err()
		case <-time.After(followInterval):
		}
	}
}

// splitter reads a log that grows.
type splitter struct {
	log  io.Reader
	held []byte // read and not sent
	at   int64  // where held begins
}

// rest sends what is after an offset. Once the dispatch has ended it holds nothing back.
func (s *splitter) rest(over bool, from int64, send func([]byte, int64) error) error {
	for {
		room := make([]byte, mostPart)
		n, err := s.log.Read(room)
		s.held = append(s.held, room[:n]...)
		if err != nil && err != io.EOF {
			return err
		}

		for {
			size := wholeLines(s.held, over && n == 0)
			if size == 0 {
				break
			}

			part := s.held[:size]
			if skip := from - s.at; skip > 0 &&
				skip < int64(size) &&
				wholeLines(part[:skip], false) == int(skip) {
				part = part[skip:]
			}

			s.at += int64(size)
			if s.at > from {
				if err := send(part, s.at); err != nil {
					return err
				}
			}

			s.held = s.held[size:]
		}

		if n == 0 {
			return nil
		}
	}
}

// Marks of a private key (RFC 7468), which has many lines.
var keyBegins, keyEnds = []byte("-----BEGIN "), []byte("-----END ")

// wholeLines returns how much of a text can be sent: up to the last line break, and not
// into an incomplete key. Text that is too long for a line or a key is treated as neither.
func wholeLines(text []byte, all bool) int {
	if all || len(text) >= 2*mostPart {
		return len(text)
	}
	size := bytes.LastIndexByte(text, '\n') + 1
	if begin := bytes.LastIndex(text[:size], keyBegins); begin >= 0 &&
		!bytes.Contains(text[begin:size], keyEnds) {
		size = bytes.LastIndexByte(text[:begin], '\n') + 1
	}
	return size
}

// LogPath is where the log of a dispatch is; the error is fs.ErrNotExist for no dispatch.
func (d *Dispatcher) LogPath(id string) (string, error) {
	if id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return "", fs.ErrNotExist
	}
	path := filepath.Join(d.dir, id, "log")
	info, err := os.Lstat(path)
	if err == nil &&
		!info.Mode().IsRegular() { // an agent could show what only this server may read
		err = fs.ErrNotExist
	}
	return path, err
}
