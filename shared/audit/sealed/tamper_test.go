package sealed_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

// bucket keeps objects in memory, where a test can change them.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
}

func (b *bucket) Create(ctx context.Context, key string, body []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.objects[key]; ok {
		return fs.ErrExist
	}
	b.objects[key] = bytes.Clone(body)
	return ctx.Err()
}

func (b *bucket) Get(ctx context.Context, key string, most int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, ok := b.objects[key]
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case int64(len(body)) > most:
		return nil, io.ErrShortBuffer
	}
	return body, ctx.Err()
}

const (
	length  = 16 // entries of a segment
	sealedN = 4  // segments
	total   = length*sealedN + 6
)

// sealedChain has 4 segments of 16 entries and 6 entries behind them.
func sealedChain(t *testing.T) (*sealed.Store, *bucket, []sealed.Segment) {
	t.Helper()
	h, b, segments := sealedHot(t)
	return sealed.Open("test", h, b), b, segments
}

func sealedHot(t *testing.T) (*hot, *bucket, []sealed.Segment) {
	t.Helper()
	h, b := newHot(t), &bucket{objects: map[string][]byte{}}
	grow(t, h, 1, total-1)
	segments := seal(t, sealed.Small(sealed.Open("test", h, b), length, 1<<20))
	if len(segments) != sealedN {
		t.Fatal(ranges(segments))
	}
	return h, b, segments
}

// brokenAt is where a full walk finds the break, 0 if nowhere.
func brokenAt(t *testing.T, r audit.Report) uint64 {
	t.Helper()
	if r.Valid != (r.BrokenAt == nil) || r.Valid != (r.Reason == "") {
		t.Fatalf("%+v", r)
	}
	if r.Valid {
		return 0
	}
	return *r.BrokenAt
}

func check(t *testing.T, s *sealed.Store, segment sealed.Segment) audit.Report {
	t.Helper()
	r, err := s.Check(t.Context(), segment)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A flipped byte of a sealed object is found by a walk over the chain and by a look at
// the segment, at the entry that it is in; for a newline also at the next. Of the bytes
// every seventh is tried, from a random one on, and each newline.
func TestAFlippedByteOfASegmentIsFound(t *testing.T) {
	s, b, segments := sealedChain(t)
	offset := rand.IntN(7)
	t.Logf("offset %d", offset)
	flips := 0
	for _, segment := range segments {
		object := b.objects[segment.Key()]
		seq := segment.First
		for i := range object {
			bit := byte(1) << (i % 8)
			newline := object[i] == '\n'
			if i%7 != offset && !newline {
				continue
			}
			object[i] ^= bit
			for _, r := range []audit.Report{verifyFull(t, s), check(t, s, segment)} {
				if at := brokenAt(t, r); at != seq && !(newline && at == seq+1) {
					t.Fatalf("byte %d of %s, entry %d: %q at %d", i, segment.Key(), seq, r.Reason, at)
				}
			}
			object[i] ^= bit
			flips++
			if newline {
				seq++
			}
		}
		if seq != segment.Last+1 {
			t.Fatalf("%s ends with entry %d", segment.Key(), seq-1)
		}
	}
	if r := verifyFull(t, s); !r.Valid || flips < 2000 {
		t.Errorf("%+v after %d flips", r, flips)
	}
}

// relink recomputes the hashes of lines, from an index on, as a forger does.
func relink(lines [][]byte, from int) {
	for i := from; i < len(lines); i++ {
		line := bytes.TrimSuffix(lines[i], []byte("\n"))
		if i > 0 {
			prev := audit.HashLine(bytes.TrimSuffix(lines[i-1], []byte("\n")))
			at := bytes.LastIndex(line, []byte(`,"prev_hash":"`)) + len(`,"prev_hash":"`)
			hex.Encode(line[at:], prev[:])
		}
		h := audit.HashLine(line)
		hex.Encode(line[len(line)-66:], h[:])
	}
}

// Other changes of the objects and of the index are found at their place, too.
func TestDamageToTheSegments(t *testing.T) {
	const second = 1 // the segment 17-32 is damaged
	type damage struct {
		name      string
		change    func(lines [][]byte) [][]byte
		reason    audit.Reason
		at        uint64
		checked   audit.Reason // what Check finds
		checkedAt uint64       // where, 0 for the same place
	}
	foreign := func(n int) []byte {
		h := newHot(t)
		grow(t, h, 1000, 1000+n)
		for b := range h.Blocks(t.Context(), uint64(n), uint64(n)) {
			return bytes.Clone(b.Lines)
		}
		return nil
	}
	for _, tc := range []damage{
		{name: "nothing", change: func(l [][]byte) [][]byte { return l }},
		{name: "emptied", change: func([][]byte) [][]byte { return nil }, reason: audit.SeqGap, at: 17, checked: audit.Truncated},
		{name: "the first line removed", change: func(l [][]byte) [][]byte { return l[1:] }, reason: audit.SeqGap, at: 17, checked: audit.SeqGap},
		{name: "a line removed", change: func(l [][]byte) [][]byte { return slices.Delete(l, 5, 6) }, reason: audit.SeqGap, at: 22, checked: audit.SeqGap},
		{name: "the last line removed", change: func(l [][]byte) [][]byte { return l[:15] }, reason: audit.SeqGap, at: 32, checked: audit.Truncated},
		{name: "the last byte removed", change: func(l [][]byte) [][]byte { l[15] = l[15][:len(l[15])-1]; return l }, reason: audit.Malformed, at: 32, checked: audit.Malformed},
		{name: "half of the last line removed", change: func(l [][]byte) [][]byte { l[15] = l[15][:99]; return l }, reason: audit.Malformed, at: 32, checked: audit.Malformed},
		{name: "a line twice", change: func(l [][]byte) [][]byte { return slices.Insert(l, 6, bytes.Clone(l[5])) }, reason: audit.DuplicateSeq, at: 23, checked: audit.DuplicateSeq},
		{name: "two lines swapped", change: func(l [][]byte) [][]byte { l[5], l[6] = l[6], l[5]; return l }, reason: audit.SeqGap, at: 22, checked: audit.SeqGap},
		{name: "a line of another chain", change: func(l [][]byte) [][]byte { l[5] = foreign(22); return l }, reason: audit.PrevMismatch, at: 22, checked: audit.PrevMismatch},
		{name: "a blank line", change: func(l [][]byte) [][]byte { return slices.Insert(l, 5, []byte("\n")) }, reason: audit.Noncanonical, at: 22, checked: audit.Noncanonical},
		{name: "a line altered and rehashed", change: func(l [][]byte) [][]byte { l[5][12] ^= 1; relink(l[5:6], 0); return l }, reason: audit.PrevMismatch, at: 23, checked: audit.PrevMismatch},
		{name: "rewritten to the end", change: func(l [][]byte) [][]byte { l[5][12] ^= 1; relink(l, 5); return l }, reason: audit.PrevMismatch, at: 33, checked: audit.HeadMismatch, checkedAt: 32},
		{name: "a line too many", change: func(l [][]byte) [][]byte { return append(l, next(t, l[15])) }, reason: audit.DuplicateSeq, at: 34, checked: audit.HeadMismatch, checkedAt: 33},
	} {
		s, b, segments := sealedChain(t)
		key := segments[second].Key()
		lines := slices.Collect(bytes.Lines(bytes.Clone(b.objects[key])))
		b.objects[key] = bytes.Join(tc.change(lines), nil)
		if r := verifyFull(t, s); r.Reason != tc.reason || brokenAt(t, r) != tc.at {
			t.Errorf("%s: %q at %d, want %q at %d", tc.name, r.Reason, brokenAt(t, r), tc.reason, tc.at)
		}
		want := tc.at
		if tc.checkedAt > 0 {
			want = tc.checkedAt
		}
		if r := check(t, s, segments[second]); r.Reason != tc.checked || brokenAt(t, r) != want {
			t.Errorf("%s: check: %q at %d, want %q at %d", tc.name, r.Reason, brokenAt(t, r), tc.checked, want)
		}
		for i, segment := range segments {
			if i != second && !check(t, s, segment).Valid {
				t.Errorf("%s: %s is damaged too", tc.name, segment.Key())
			}
		}
	}
}

// next is some line that may follow.
func next(t *testing.T, line []byte) []byte {
	t.Helper()
	e, err := audit.ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	d, err := audit.NewDraft(sized(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	appended, _ := e.Head().Next(nil, d, e.Time)
	return appended
}

func TestDamageToTheBucket(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(b *bucket, keys []string)
		at     uint64
	}{
		"the first object removed": {func(b *bucket, keys []string) { delete(b.objects, keys[0]) }, 1},
		"an object removed":        {func(b *bucket, keys []string) { delete(b.objects, keys[2]) }, 33},
		"the last object removed":  {func(b *bucket, keys []string) { delete(b.objects, keys[3]) }, 49},
		"all objects removed":      {func(b *bucket, _ []string) { clear(b.objects) }, 1},
		"two objects exchanged": {func(b *bucket, keys []string) {
			b.objects[keys[1]], b.objects[keys[2]] = b.objects[keys[2]], b.objects[keys[1]]
		}, 17},
		"an object in the place of another": {func(b *bucket, keys []string) { b.objects[keys[2]] = b.objects[keys[1]] }, 33},
		"an object as large as no segment":  {func(b *bucket, keys []string) { b.objects[keys[2]] = make([]byte, 16<<20+1) }, 33},
	} {
		s, b, segments := sealedChain(t)
		var keys []string
		for _, segment := range segments {
			keys = append(keys, segment.Key())
		}
		before := maps.Clone(b.objects)
		tc.change(b, keys)
		if r := verifyFull(t, s); brokenAt(t, r) != tc.at {
			t.Errorf("%s: %q at %d, want %d", name, r.Reason, brokenAt(t, r), tc.at)
		}
		if _, err := audit.ProveInclusion(tc.at, total, s.Nodes(t.Context(), total)); err == nil && name != "two objects exchanged" && name != "an object in the place of another" {
			t.Errorf("%s: there is a proof of entry %d", name, tc.at)
		}
		for i, segment := range segments {
			same := bytes.Equal(before[keys[i]], b.objects[keys[i]])
			if r := check(t, s, segment); r.Valid != same || !same && brokenAt(t, r) != segment.First {
				t.Errorf("%s: check %s: %q at %d", name, segment.Key(), r.Reason, brokenAt(t, r))
			}
		}
	}
}

// The index is a hint; the lines decide. Its data about a segment is verified with the
// segment.
func TestDamageToTheIndex(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(segments []sealed.Segment) []sealed.Segment
		at     uint64 // of a full walk
		reason audit.Reason
		checks audit.Reason // of Check of the second, tampered: the manifest is wrong
	}{
		{"all gone", func([]sealed.Segment) []sealed.Segment { return nil }, 0, "", ""},
		{"one gone", func(l []sealed.Segment) []sealed.Segment { return slices.Delete(l, 2, 3) }, 0, "", ""},
		{"the second of another chain", func(l []sealed.Segment) []sealed.Segment { l[1].Chain = "other"; return l }, 0, "", audit.Truncated},
		{"a segment that is none", func(l []sealed.Segment) []sealed.Segment {
			return append(l, sealed.Segment{Chain: "test", First: 65, Last: 66})
		}, 65, audit.SeqGap, ""},
		{"another end", func(l []sealed.Segment) []sealed.Segment { l[1].Last--; return l }, 17, audit.SeqGap, audit.Truncated},
		{"another hash of the end", func(l []sealed.Segment) []sealed.Segment { l[1].LastHash[0]++; return l }, 0, "", audit.HeadMismatch},
		{"another hash before it", func(l []sealed.Segment) []sealed.Segment { l[1].PrevHash[0]++; return l }, 0, "", audit.PrevMismatch},
		{"another root", func(l []sealed.Segment) []sealed.Segment { l[1].Root[0]++; return l }, 0, "", audit.CheckpointMismatch},
		{"another digest", func(l []sealed.Segment) []sealed.Segment { l[1].SHA256[0]++; return l }, 0, "", "tampered"},
	} {
		h, b, segments := sealedHot(t)
		h.segments = tc.change(slices.Clone(segments))
		s := sealed.Open("test", h, b)
		if r := verifyFull(t, s); r.Reason != tc.reason || brokenAt(t, r) != tc.at {
			t.Errorf("%s: %q at %d, want %q at %d", tc.name, r.Reason, brokenAt(t, r), tc.reason, tc.at)
		}
		if len(h.segments) < 2 {
			continue
		}
		r, err := s.Check(t.Context(), h.segments[1])
		if errors.Is(err, audit.ErrTampered) != (tc.checks == "tampered") || err == nil && r.Reason != tc.checks {
			t.Errorf("%s: check: %q (%v), want %q", tc.name, r.Reason, err, tc.checks)
		}
	}
}
