package audit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

// Notes keeps a few small texts beside a chain that, unlike it, are replaced: the last
// signed checkpoint and the result of the last full walk. It is safe for
// concurrent use.
type Notes interface {
	// Note returns the text with this name, nil if there is none.
	Note(ctx context.Context, name string) ([]byte, error)

	// SetNote makes next the text if it still is old, nil for none yet. The error is
	// [ErrNoteChanged] if it is another one by now, perhaps one that followed next.
	// After any other error the outcome is unknown.
	SetNote(ctx context.Context, name string, old, next []byte) error
}

// ErrNoteChanged reports that another writer replaced the note meanwhile.
var ErrNoteChanged = errors.New("audit: the note was changed meanwhile")

var noteName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// CheckNoteName reports whether a note may have this name: up to 64 of a-z, 0-9 and
// the hyphen.
func CheckNoteName(name string) error {
	if !noteName.MatchString(name) {
		return fmt.Errorf("audit: %q is no name of a note", name)
	}
	return nil
}
