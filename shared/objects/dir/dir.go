// Package dir keeps objects as files of a directory, with the verbs and errors of
// package s3. It is for one machine, and its files are not locked.
package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Directory is safe for concurrent use, by several processes too.
type Directory struct{ root *os.Root }

// Open opens a directory and creates it if missing.
func Open(name string) (*Directory, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Directory{root}, nil
}

// Close releases the directory.
func (d *Directory) Close() error {
	return d.root.Close()
}

// Put stores an object under a key of letters, digits, "/", "-" and ".".
func (d *Directory) Put(ctx context.Context, key string, body []byte) error {
	return d.store(ctx, "put", key, body, d.root.Rename)
}

// Create stores an object unless there is one under the key: [fs.ErrExist].
func (d *Directory) Create(ctx context.Context, key string, body []byte) error {
	return d.store(ctx, "create", key, body, d.root.Link)
}

// A placing gives a temporary file the name of an object, as Rename and Link do.
type placing func(from, to string) error

func (d *Directory) store(ctx context.Context, verb, key string, body []byte, place placing) error {
	err := d.replace(ctx, key, body, place)
	if err != nil {
		return fmt.Errorf("directory: %s %s: %w", verb, key, err)
	}
	return nil
}

// replace writes a temporary file and places it when it is durable, so that there is never
// a part of an object under its key.
func (d *Directory) replace(ctx context.Context, key string, body []byte, place placing) error {
	err := ctx.Err()
	if err != nil {
		return err
	}

	folder := path.Dir(key)
	err = d.root.MkdirAll(folder, 0o700)
	if err != nil {
		return err
	}

	fresh := path.Join(folder, ".new-"+rand.Text())
	err = d.write(fresh, body)
	if err != nil {
		return err
	}

	err = place(fresh, key)
	_ = d.root.Remove(fresh) // a link of it has the key, or it was not placed
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}

	// The writer of an object that exists may have died before it synced.
	return errors.Join(err, d.sync(folder))
}

func (d *Directory) write(name string, body []byte) error {
	file, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}

	_, err = file.Write(body)
	return errors.Join(err, file.Sync(), file.Close())
}

// sync makes the names in a folder durable, and those of the folders on the way to it.
func (d *Directory) sync(folder string) error {
	for {
		file, err := d.root.Open(folder)
		if err != nil {
			return err
		}

		err = errors.Join(file.Sync(), file.Close())
		if err != nil {
			return err
		}
		if folder == "." {
			return nil
		}
		folder = path.Dir(folder)
	}
}

// Get reads an object of at most so many bytes. [fs.ErrNotExist] if there is none,
// [io.ErrShortBuffer] if it is longer.
func (d *Directory) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	body, err := d.read(ctx, key, most)
	if err != nil {
		return nil, fmt.Errorf("directory: get %s: %w", key, err)
	}
	return body, nil
}

func (d *Directory) read(ctx context.Context, key string, most int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := d.root.Open(key)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("the file has more than %d bytes: %w", most, io.ErrShortBuffer)
	}

	body := make([]byte, info.Size())
	_, err = io.ReadFull(file, body)
	return body, err
}
