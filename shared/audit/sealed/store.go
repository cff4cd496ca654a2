package sealed

import (
	"context"
	"slices"
	"sync"

	"governance.internal/shared/audit"
)

// Objects keeps segments.
type Objects interface {
	// Create stores an object, or answers [fs.ErrExist] if there is one under the key.
	Create(ctx context.Context, key string, body []byte) error
	// Get reads an object of at most so many bytes. [fs.ErrNotExist] if there is none,
	// [io.ErrShortBuffer] if it is longer.
	Get(ctx context.Context, key string, most int64) ([]byte, error)
}

// Index knows the segments of one chain.
type Index interface {
	// Segments are those that begin after an entry, in order.
	Segments(ctx context.Context, after uint64) ([]Segment, error)
	// AddSegment adds one. The same one again is no error; another one with the same
	// first entry is [audit.ErrTampered].
	AddSegment(ctx context.Context, s Segment) error
}

// Hot is where a chain grows.
type Hot interface {
	audit.Store
	Index
}

// Store is an [audit.Store] that reads what is sealed from objects. It is safe for
// concurrent use.
type Store struct {
	chain      string
	hot        Hot
	objects    Objects
	maxEntries uint64
	maxBytes   int

	mu    sync.Mutex
	known []Segment // from the first entry on, without a gap
}

var _ audit.Store = (*Store)(nil)

// Open takes the chain with this name of hot; it reads nothing.
func Open(chain string, hot Hot, objects Objects) *Store {
	return &Store{
		chain:      chain,
		hot:        hot,
		objects:    objects,
		maxEntries: maxEntries,
		maxBytes:   maxBytes,
	}
}

// Append implements [audit.Store]: it appends to the hot part.
func (s *Store) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	return s.hot.Append(ctx, events...)
}

// Head implements [audit.Store].
func (s *Store) Head(ctx context.Context) (audit.Head, error) {
	return s.hot.Head(ctx)
}

// Segments returns the consecutive segments from the first entry on. Entries after a gap in
// the index are read from the hot part.
func (s *Store) Segments(ctx context.Context) ([]Segment, error) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	var end uint64
	if n := len(known); n > 0 {
		end = known[n-1].Last
	}

	found, err := s.hot.Segments(ctx, end)
	if err != nil {
		return nil, err
	}

	fresh := slices.Clip(known)
	for _, next := range found {
		if next.First != end+1 || next.Chain != s.chain {
			break
		}
		fresh = append(fresh, next)
		end = next.Last
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if len(fresh) > len(s.known) {
		s.known = fresh
	}

	return fresh, nil
}
