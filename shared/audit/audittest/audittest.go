// Package audittest is the contract that every [audit.Store] must pass.
package audittest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"governance.internal/shared/audit"
)

// Run runs the contract. For each part it calls open for a fresh store that
// holds only a genesis entry; open registers its own cleanup with t.
func Run(t *testing.T, open func(t *testing.T) audit.Store) {
	parts := []struct {
		name string
		run  func(*testing.T, audit.Store)
	}{
		{"a new store holds its genesis entry", newStore},
		{"append returns the entries in order", appendReturnsEntries},
		{"append without events does nothing", appendNothing},
		{"the same event again returns the first entry", idempotent},
		{"the same id for another event is refused", reusedID},
		{"an append with one bad event records none", allOrNone},
		{"values outside the profile are refused", profile},
		{"concurrent appends are all recorded once", concurrent},
		{"concurrent appends of one event record it once", concurrentSame},
		{"a cancelled context records nothing", cancelled},
		{"blocks yield the range asked for", blockRanges},
		{"reading may stop early", stopEarly},
		{"verify covers the chain up to the head", verify},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(t, open(t)) })
	}
}

// Event returns the n-th of a series of different events.
func Event(n int) audit.Event {
	return audit.Event{
		ID:      fmt.Sprintf("event-%06d", n),
		Actor:   "tester",
		Type:    "test.appended",
		Payload: map[string]any{"n": n, "text": "naïve \"quoted\"\n"},
	}
}

func newStore(t *testing.T, s audit.Store) {
	head := mustHead(t, s)
	lines := Lines(t, s, 1, 1)
	e, reason := audit.Head{}.Check(bytes.TrimSuffix(lines, []byte("\n")))
	if reason != "" ||
		audit.ChainName(e) == "" ||
		e.Head() != head ||
		head.Seq != 1 {
		t.Fatalf("genesis %s with reason %q and head %+v", lines, reason, head)
	}
}

func appendReturnsEntries(t *testing.T, s audit.Store) {
	before := mustHead(t, s)
	entries := mustAppend(t, s, Event(1), Event(2), Event(3))
	if len(entries) != 3 {
		t.Fatalf("%d entries", len(entries))
	}

	for i, e := range entries {
		want := Event(i + 1)
		if e.Seq != before.Seq+1 ||
			e.PrevHash != before.Hash ||
			e.ID != want.ID ||
			e.Actor != want.Actor ||
			e.Event != want.Type {
			t.Errorf("entry %d: %+v after %+v", i, e, before)
		}

		if e.Time.Before(before.Time) {
			t.Errorf("entry %d is dated before its predecessor", i)
		}

		before = e.Head()
	}

	if head := mustHead(t, s); head != before {
		t.Errorf("head %+v, want %+v", head, before)
	}

	var stored []byte
	for _, e := range entries {
		stored = append(e.AppendLine(stored), '\n')
	}

	got := Lines(t, s, entries[0].Seq, before.Seq)
	if !bytes.Equal(got, stored) {
		t.Errorf("stored\n%s\nreturned\n%s", got, stored)
	}
}

func appendNothing(t *testing.T, s audit.Store) {
	before := mustHead(t, s)
	entries := mustAppend(t, s)
	if len(entries) != 0 || mustHead(t, s) != before {
		t.Errorf("got %v", entries)
	}
}

func idempotent(t *testing.T, s audit.Store) {
	first := mustAppend(t, s, Event(1), Event(2))
	head := mustHead(t, s)
	again := mustAppend(t, s, Event(2), Event(1))
	if !equal(first[0], again[1]) ||
		!equal(first[1], again[0]) ||
		mustHead(t, s) != head {
		t.Errorf("first %+v, again %+v", first, again)
	}

	mixed := mustAppend(t, s, Event(3), Event(1), Event(3))
	if !equal(mixed[0], mixed[2]) ||
		!equal(mixed[1], first[0]) ||
		mixed[0].Seq != head.Seq+1 ||
		mustHead(t, s) != mixed[0].Head() {
		t.Errorf("mixed %+v", mixed)
	}
}

func reusedID(t *testing.T, s audit.Store) {
	mustAppend(t, s, Event(1))
	head := mustHead(t, s)
	other := map[string]func(*audit.Event){
		"payload": func(e *audit.Event) { e.Payload = map[string]any{"n": 2} },
		"actor":   func(e *audit.Event) { e.Actor = "another" },
		"type":    func(e *audit.Event) { e.Type = "test.other" },
	}
	for name, change := range other {
		e := Event(1)
		change(&e)
		_, err := s.Append(t.Context(), Event(2), e)
		if !errors.Is(err, audit.ErrIDReused) {
			t.Errorf("other %s: error %v", name, err)
		}
		fresh := Event(3)
		change(&fresh)

		_, err = s.Append(t.Context(), Event(3), fresh)
		if !errors.Is(err, audit.ErrIDReused) {
			t.Errorf("other %s in one append: error %v", name, err)
		}
	}

	if mustHead(t, s) != head {
		t.Error("a refused append recorded something")
	}

	mustAppend(t, s, Event(2), Event(3))
}

func allOrNone(t *testing.T, s audit.Store) {
	head := mustHead(t, s)
	bad := Event(2)
	bad.Payload = map[string]any{"ratio": 0.5}
	_, err := s.Append(t.Context(), Event(1), bad)
	if !errors.Is(err, audit.ErrProfile) {
		t.Errorf("error %v", err)
	}
	if mustHead(t, s) != head {
		t.Error("the good event was recorded")
	}
}

func profile(t *testing.T, s audit.Store) {
	head := mustHead(t, s)
	payloads := map[string]any{
		"float":                 map[string]any{"x": 1.5},
		"minus zero":            json.RawMessage(`{"x":-0}`),
		"large":                 map[string]any{"x": int64(1) << 53},
		"not UTF-8":             map[string]any{"x": "\xff"},
		"half a surrogate pair": json.RawMessage(`{"x":"\ud800"}`),
		"duplicate":             json.RawMessage(`{"x":1,"x":1}`),
		"key beyond ASCII":      map[string]any{"é": 1},
		"array":                 []any{},
		"deep":                  json.RawMessage(strings.Repeat(`{"x":`, 17) + "1" + strings.Repeat("}", 17)),
	}
	for name, p := range payloads {
		e := Event(1)
		e.Payload = p
		_, err := s.Append(t.Context(), e)
		if !errors.Is(err, audit.ErrProfile) {
			t.Errorf("%s: error %v", name, err)
		}
	}

	e := Event(1)
	e.Payload = map[string]any{"x": strings.Repeat("x", audit.MaxLine)}
	_, err := s.Append(t.Context(), e)
	if !errors.Is(err, audit.ErrTooLarge) {
		t.Errorf("too large: error %v", err)
	}
	if mustHead(t, s) != head {
		t.Error("a refused append recorded something")
	}
}

func concurrent(t *testing.T, s audit.Store) {
	const writers, each = 32, 8
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				n := w*each + i
				entries, err := s.Append(t.Context(), Event(n))
				if err != nil ||
					len(entries) != 1 ||
					entries[0].ID != Event(n).ID {
					t.Errorf("event %d: %v, %v", n, entries, err)
				}
			}
		})
	}

	group.Wait()
	head := mustHead(t, s)
	if head.Seq != 1+writers*each {
		t.Errorf("head %d", head.Seq)
	}

	seen := map[string]bool{}
	for line := range bytes.Lines(Lines(t, s, 1, head.Seq)) {
		e, err := audit.ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || e.Seq != uint64(len(seen)+1) || seen[e.ID] {
			t.Fatalf("line %s: %v", line, err)
		}
		seen[e.ID] = true
	}

	verify(t, s)
}

func concurrentSame(t *testing.T, s audit.Store) {
	var group sync.WaitGroup
	seqs := make([]uint64, 16)
	for w := range seqs {
		group.Go(func() {
			if entries, err := s.Append(t.Context(), Event(1)); err != nil {
				t.Error(err)
			} else {
				seqs[w] = entries[0].Seq
			}
		})
	}

	group.Wait()
	for _, seq := range seqs {
		if seq != 2 {
			t.Fatalf("seqs %v", seqs)
		}
	}
}

func cancelled(t *testing.T, s audit.Store) {
	head := mustHead(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := s.Append(ctx, Event(1))
	if !errors.Is(err, context.Canceled) ||
		errors.As(err, new(audit.Unknown)) {
		t.Errorf("append: error %v", err)
	}

	if _, err := s.Head(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("head: error %v", err)
	}

	for _, err := range s.Blocks(ctx, 1, 1) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("blocks: error %v", err)
		}
	}

	if mustHead(t, s) != head {
		t.Error("a cancelled append recorded something")
	}
}

func blockRanges(t *testing.T, s audit.Store) {
	const n = 2500
	events := make([]audit.Event, n-1)
	for i := range events {
		events[i] = Event(i)
	}

	for some := range slices.Chunk(events, 150) {
		mustAppend(t, s, some...)
	}

	all := bytes.SplitAfter(Lines(t, s, 1, n), []byte("\n"))
	ranges := []struct {
		from, to uint64
	}{
		{1, 1},
		{1, n},
		{2, 2},
		{7, 1024},
		{1024, 1026},
		{1025, 2049},
		{n, n},
		{n, n + 10},
		{0, 3},
		{n + 1, n + 5},
		{9, 8},
	}
	for _, r := range ranges {
		first := max(r.from, 1)
		last := min(r.to, n)

		var want []byte
		if first <= last {
			want = bytes.Join(all[first-1:last], nil)
		}

		got := Lines(t, s, r.from, r.to)
		if !bytes.Equal(got, want) {
			t.Errorf("blocks %d to %d: %d bytes, want %d", r.from, r.to, len(got), len(want))
		}
	}
}

func stopEarly(t *testing.T, s audit.Store) {
	for range s.Blocks(t.Context(), 1, 1) {
		break
	}
	mustAppend(t, s, Event(1))
}

func verify(t *testing.T, s audit.Store) {
	mustAppend(t, s, Event(900001), Event(900002))
	head := mustHead(t, s)
	r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Strict: true})
	if err != nil ||
		!r.Valid ||
		r.Entries != head.Seq ||
		*r.Head != head ||
		!r.Truncation.Checked {
		t.Errorf("report %+v, error %v", r, err)
	}
}

// Lines returns the stored lines of a range and checks the numbers of the blocks.
func Lines(t testing.TB, s audit.Store, from, to uint64) []byte {
	t.Helper()
	var lines []byte
	next := max(from, 1)
	for b, err := range s.Blocks(t.Context(), from, to) {
		if err != nil {
			t.Fatal(err)
		}

		n := uint64(bytes.Count(b.Lines, []byte("\n")))
		if b.First != next || b.Last != next+n-1 {
			t.Errorf("block %d to %d of %d lines where %d was due", b.First, b.Last, n, next)
		}
		next = b.Last + 1

		lines = append(lines, b.Lines...)
	}

	return lines
}

func equal(a, b audit.Entry) bool {
	return bytes.Equal(a.AppendLine(nil), b.AppendLine(nil))
}

func mustAppend(t *testing.T, s audit.Store, events ...audit.Event) []audit.Entry {
	t.Helper()
	entries, err := s.Append(t.Context(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func mustHead(t *testing.T, s audit.Store) audit.Head {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}
