package memory

import (
	"bytes"
	"context"

	"governance.internal/shared/audit"
)

var _ audit.Notes = (*Store)(nil)

// Note implements [audit.Notes].
func (s *Store) Note(_ context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notes[name], audit.CheckNoteName(name)
}

// SetNote implements [audit.Notes].
func (s *Store) SetNote(_ context.Context, name string, old, next []byte) error {
	if err := audit.CheckNoteName(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	if !bytes.Equal(s.notes[name], old) {
		return audit.ErrNoteChanged
	}
	s.notes[name] = bytes.Clone(next)
	return nil
}
