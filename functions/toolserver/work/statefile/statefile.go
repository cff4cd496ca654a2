// Package statefile reads and writes the small files in which the server keeps its state
// over restarts. Agents may run as the same user and replace them with a pipe, a link, a
// folder or an endless file, from which a plain read may never return.
package statefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"governance.internal/functions/toolserver/work/descriptors"
)

// most is the longest file that is read, in bytes.
const most = 4 << 20

// Errors of Read and Lock, besides those of package os.
var (
	ErrNotRegular = errors.New("this is no regular file")
	ErrTooLarge   = errors.New("the file is too large")
	ErrLocked     = errors.New("another process holds the lock")
)

// Read reads a regular file of at most 4 MiB. It uses a spare descriptor when no other is
// left, so that a lack of descriptors does not make a file unreadable.
func Read(path string) ([]byte, error) {
	text, err := read(path)
	if !descriptors.Exhausted(err) {
		return text, err
	}
	again := descriptors.Free()
	defer again()
	return read(path)
}

func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}

	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if len(text) > most {
		return nil, ErrTooLarge
	}

	return text, err
}

// Replace writes a file atomically and durably with the permissions 0600: after a crash it
// is the old one or the new.
func Replace(path string, text []byte) error {
	if err := swap(path, text, (*os.File).Sync); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Note is [Replace] for content that is useless after a reboot: it does not wait for the
// disk.
func Note(path string, text []byte) error {
	return swap(path, text, func(*os.File) error { return nil })
}

// swap replaces a file by a new one, once keep has made it durable.
func swap(path string, text []byte, keep func(*os.File) error) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new") // a name that no other process can take first
	if err != nil {
		return err
	}

	_, err = fresh.Write(text)
	if err = errors.Join(err, keep(fresh), fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}
