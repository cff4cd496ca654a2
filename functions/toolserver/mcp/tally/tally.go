// Package tally counts the entries of the audit chain by type and day. It reads
// each entry once: every count goes on where the last one ended.
package tally

import (
	"bytes"
	"context"
	"sync"
	"time"

	"governance.internal/shared/audit"
)

// Tally counts one chain. It is safe for concurrent use.
type Tally struct {
	store audit.Store
	types map[string]bool

	mu    sync.Mutex
	read  uint64                      // last seq that was counted
	byDay map[string]map[int64]uint64 // type, then days since 1970
}

// New counts the given types of entries.
func New(store audit.Store, types ...string) *Tally {
	t := &Tally{
		store: store,
		types: map[string]bool{},
		byDay: map[string]map[int64]uint64{},
	}
	for _, name := range types {
		t.types[name] = true
		t.byDay[name] = map[int64]uint64{}
	}
	return t
}

// Since counts the entries of a day and later, by type.
func (t *Tally) Since(ctx context.Context, from time.Time) (map[string]uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if err := t.catchUp(ctx); err != nil {
		return nil, err
	}
	counts := map[string]uint64{}
	for name, days := range t.byDay {
		counts[name] = 0
		for day, n := range days {
			if day >= dayOf(from) {
				counts[name] += n
			}
		}
	}

	return counts, nil
}

func dayOf(at time.Time) int64 {
	return at.Unix() / (24 * 60 * 60)
}

func (t *Tally) catchUp(ctx context.Context) error {
	head, err := t.store.Head(ctx)
	if err != nil || head.Seq <= t.read {
		return err
	}

	for block, err := range t.store.Blocks(ctx, t.read+1, head.Seq) {
		if err != nil {
			return err
		}
		for line := range bytes.Lines(block.Lines) {
			t.count(bytes.TrimSuffix(line, []byte("\n")))
		}
		t.read = max(t.read, block.Last)
	}

	return nil
}

// count parses a line only if it names one of the types. It ignores damaged lines, which
// verification reports.
func (t *Tally) count(line []byte) {
	for name := range t.types {
		if !bytes.Contains(line, []byte(`"`+name+`"`)) {
			continue
		}
		if e, err := audit.ParseEntry(line); err == nil && e.Event == name {
			t.byDay[name][dayOf(e.Time)]++
			return
		}
	}
}
