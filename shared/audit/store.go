package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Store keeps one chain. It is safe for concurrent use. A store that is opened
// without a chain writes the genesis entry.
type Store interface {
	// Append records the events, in order, and returns their entries when they are
	// durable. An event whose id was recorded before with the same content is not
	// recorded again: its first entry is returned.
	//
	// An error other than [Unknown] means that nothing was written: [ErrProfile],
	// [ErrTooLarge], [ErrIDReused], [ErrPoisoned], [ErrTampered], the error of ctx,
	// or one of the storage. After Unknown, append the same events again: that
	// resolves it and records nothing twice.
	//
	// Append without events records nothing. It fails if the store is known to take no
	// appends; only the first such call asks a remote service.
	Append(ctx context.Context, events ...Event) ([]Entry, error)

	// Head returns the last entry known to be durable, the zero Head if there is
	// none. It succeeds on damaged bytes: a verification compares them with its
	// result.
	Head(ctx context.Context) (Head, error)

	// Blocks yields the stored lines of the entries from to to, both included, in
	// order and as stored, as far as they exist. An error ends the sequence and means
	// that the storage could not be read; damaged or missing entries are no error. A
	// Block is valid until the next iteration.
	Blocks(ctx context.Context, from, to uint64) iter.Seq2[Block, error]
}

// Block is a run of stored lines.
type Block struct {
	// First and Last are the seqs that the store has on record for the lines.
	First, Last uint64
	// Lines are the stored bytes, each line ended by a newline. They must not be
	// changed.
	Lines []byte
}

var (
	// ErrIDReused reports that the id was recorded before with other content.
	ErrIDReused = errors.New("id was used before for another event")
	// ErrTooLarge reports that the line would exceed [MaxLine].
	ErrTooLarge = errors.New("entry is too large")
	// ErrProfile reports that a value is outside the profile of the format.
	ErrProfile = errors.New("outside the profile of " + Version)
	// ErrPoisoned reports that the storage failed and that its contents are unknown.
	// The store takes no more appends until it is opened again.
	ErrPoisoned = errors.New("store failed and must be opened again")
	// ErrTampered reports that the stored chain is not the one that was written. The
	// store takes no more appends; verify the chain to find the break.
	ErrTampered = errors.New("stored chain was tampered with")
)

// ReusedID returns [ErrIDReused] with the id in its text.
func ReusedID(id string) error { return fmt.Errorf("audit: %s: %w", id, ErrIDReused) }

// Unknown is the error of an append whose outcome is unknown. Append the same
// events again to resolve it.
type Unknown struct {
	// ID is that of the first event of the append.
	ID string
	// Err is the cause.
	Err error
}

// Error returns a text with the id and the reason.
func (u Unknown) Error() string {
	return "audit: unknown whether " + u.ID + " was recorded: " + u.Err.Error()
}

// Unwrap returns Err.
func (u Unknown) Unwrap() error { return u.Err }
