package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// FS is the file system of a store. Tests use one that fails, or that loses writes
// that were not synced.
type FS interface {
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// Open opens a file with flags of package os; a new file is for the owner only.
	Open(name string, flag int) (File, error)
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.Writer
	// Size returns the length in bytes.
	Size() (int64, error)
	// Truncate changes the length.
	Truncate(size int64) error
	// Sync makes contents and length durable.
	Sync() error
	// Moved reports whether the name it was opened by now leads to another file or
	// to none.
	Moved() (bool, error)
	// Lock waits for an exclusive lock among all processes; Unlock releases it.
	Lock() error
	Unlock() error
	Close() error
}

// osFS is the operating system.
type osFS struct{}

func (osFS) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o700) }

func (osFS) Open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &osFile{f}, nil
}

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

type osFile struct{ *os.File }

func (f *osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *osFile) Sync() error { return syncData(f.File) }

func (f *osFile) Moved() (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}

	named, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return !os.SameFile(opened, named), nil
}

func (f *osFile) Lock() error   { return lock(f.File) }
func (f *osFile) Unlock() error { return unlock(f.File) }
