// Package memory keeps an audit chain in memory, for tests and demonstrations. It
// holds the same bytes as any other store, and loses them with the process.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"iter"
	"sync"
	"time"

	"governance.internal/shared/audit"
)

// Options are the dependencies of a store. The zero value is usable.
type Options struct {
	// Origin says in the genesis entry who keeps the chain; by default "memory".
	Origin string
	// Now is the clock, by default time.Now.
	Now func() time.Time
	// Random makes the id of the genesis entry, by default crypto/rand.Reader.
	Random io.Reader
}

// Store is an [audit.Store] in memory.
type Store struct {
	now func() time.Time

	mu    sync.Mutex
	head  audit.Head
	lines []byte         // append-only: a part of it never changes
	ends  []int          // ends[i] is the end in lines of the entry with seq i+1
	seqs  map[string]int // seq by id
	notes map[string][]byte
}

var _ audit.Store = (*Store)(nil)

// New returns a store that holds the genesis entry of a chain with the given name.
// Its errors are those of [audit.Genesis].
func New(chain string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}

	now := o.Now()
	genesis, err := audit.Genesis(chain, cmp.Or(o.Origin, "memory"), now, o.Random)
	if err != nil {
		return nil, err
	}

	s := &Store{
		now:   o.Now,
		seqs:  map[string]int{},
		notes: map[string][]byte{},
	}
	s.add(genesis, now)
	return s, nil
}

// Append implements [audit.Store].
func (s *Store) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	drafts, err := audit.NewDrafts(events)
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.checkIDs(drafts); err != nil {
		return nil, err
	}

	now := s.now()
	entries := make([]audit.Entry, len(drafts))
	for i, d := range drafts {
		if seq, ok := s.seqs[d.ID()]; ok {
			entries[i], err = audit.ParseEntry(bytes.Clone(s.line(seq)))
			if err != nil {
				return nil, err
			}
			continue
		}

		entries[i] = s.add(d, now)
	}

	return entries, nil
}

// checkIDs reports an id that stands for another event, in the chain or among
// the drafts themselves.
func (s *Store) checkIDs(drafts []audit.Draft) error {
	fresh := make(map[string]audit.Draft, len(drafts))
	for _, d := range drafts {
		id := d.ID()
		seq, isRecorded := s.seqs[id]
		if isRecorded && !d.Same(s.line(seq)) {
			return audit.ReusedID(id)
		}

		other, isRepeated := fresh[id]
		if isRepeated && !d.Equal(other) {
			return audit.ReusedID(id)
		}
		fresh[id] = d
	}

	return nil
}

func (s *Store) add(d audit.Draft, now time.Time) audit.Entry {
	lines, e := s.head.Next(s.lines, d, now)
	s.lines = lines
	s.head = e.Head()
	s.ends = append(s.ends, len(lines))
	s.seqs[d.ID()] = int(e.Seq)
	return e
}

// line returns the line of an entry, without its newline.
func (s *Store) line(seq int) []byte {
	return s.lines[s.start(seq) : s.ends[seq-1]-1]
}

// start returns where the line of an entry begins.
func (s *Store) start(seq int) int {
	if seq == 1 {
		return 0
	}
	return s.ends[seq-2]
}

// Head implements [audit.Store].
func (s *Store) Head(ctx context.Context) (audit.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head, ctx.Err()
}

// Blocks implements [audit.Store]. It yields one block.
func (s *Store) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(audit.Block{}, err)
			return
		}

		if block := s.block(max(from, 1), to); len(block.Lines) > 0 {
			yield(block, nil)
		}
	}
}

func (s *Store) block(from, to uint64) audit.Block {
	s.mu.Lock()
	defer s.mu.Unlock()

	to = min(to, s.head.Seq)
	if from > to {
		return audit.Block{}
	}

	begin := s.start(int(from))
	end := s.ends[to-1]
	return audit.Block{
		First: from,
		Last:  to,
		Lines: s.lines[begin:end:end],
	}
}
