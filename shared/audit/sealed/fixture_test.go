package sealed_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/memory"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/objects/dir"
)

// hot is a chain in memory with an index.
type hot struct {
	*memory.Store

	mu       sync.Mutex
	segments []sealed.Segment
}

func newHot(t testing.TB) *hot {
	t.Helper()
	store, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &hot{Store: store}
}

func (h *hot) Segments(ctx context.Context, after uint64) ([]sealed.Segment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.segments, func(s sealed.Segment) bool { return s.First > after })
	if at < 0 {
		return nil, ctx.Err()
	}
	return slices.Clone(h.segments[at:]), ctx.Err()
}

func (h *hot) AddSegment(ctx context.Context, s sealed.Segment) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.segments {
		if other.First == s.First && other != s {
			return audit.ErrTampered
		}
		if other.First == s.First {
			return ctx.Err()
		}
	}
	h.segments = append(h.segments, s)
	return ctx.Err()
}

func newObjects(t testing.TB) *dir.Directory {
	t.Helper()
	d, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// grow appends events from to to.
func grow(t testing.TB, s audit.Store, from, to int) {
	t.Helper()
	var events []audit.Event
	for n := from; n <= to; n++ {
		events = append(events, audittest.Event(n))
	}
	if _, err := s.Append(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

func seal(t testing.TB, s *sealed.Store) []sealed.Segment {
	t.Helper()
	segments, err := s.Seal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return segments
}

// ranges words the segments, as 1-8 9-16.
func ranges(segments []sealed.Segment) string {
	var text []string
	for _, s := range segments {
		text = append(text, fmt.Sprintf("%d-%d", s.First, s.Last))
	}
	return fmt.Sprint(text)
}

func verifyFull(t testing.TB, s audit.Store) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Chain: "test", Strict: true, Tree: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
