package file

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"governance.internal/shared/audit"
)

var _ audit.Notes = (*Store)(nil)

func (s *Store) notePath(name string) string {
	return filepath.Join(s.dir, s.chain+"."+name+".note")
}

// Note implements [audit.Notes]: a file beside the chain, named after it and the note.
func (s *Store) Note(_ context.Context, name string) ([]byte, error) {
	if err := audit.CheckNoteName(name); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.notePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// SetNote implements [audit.Notes]. A crash leaves the old text or the new one.
func (s *Store) SetNote(ctx context.Context, name string, old, next []byte) (err error) {
	if err := audit.CheckNoteName(name); err != nil {
		return err
	}
	s.notes.Lock()
	defer s.notes.Unlock()

	if err := s.lockNotes(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.noteLock.Unlock()) }()

	stored, err := s.Note(ctx, name)
	if err != nil {
		return err
	}
	if !bytes.Equal(stored, old) {
		return audit.ErrNoteChanged
	}

	return s.replace(s.notePath(name), next)
}

// lockNotes keeps other processes away from the notes.
func (s *Store) lockNotes() (err error) {
	if s.noteLock == nil {
		s.noteLock, err = s.opts.FS.Open(filepath.Join(s.dir, s.chain+".notes.lock"), os.O_RDWR|os.O_CREATE)
		if err != nil {
			s.noteLock = nil
			return err
		}
	}
	return s.noteLock.Lock()
}

// replace makes text the content of a file, durably.
func (s *Store) replace(path string, text []byte) error {
	fresh := path + ".new"
	f, err := s.opts.FS.Open(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}

	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	return s.opts.FS.SyncDir(s.dir)
}
