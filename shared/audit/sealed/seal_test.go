package sealed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/sealed"
)

// sized is an event whose line has about so many bytes more than the smallest.
func sized(n, size int) audit.Event {
	return audit.Event{ID: fmt.Sprint("e-", n), Actor: "tester", Type: "test.appended", Payload: map[string]any{"x": strings.Repeat("x", size)}}
}

// Where a segment ends is certain as soon as the whole run is there, or the bytes show
// that a longer one does not fit; until then nothing is sealed.
func TestASegmentEndsWhereItsEntriesSay(t *testing.T) {
	const most, bytesMost = 8, 4000 // some 15 of the smallest lines
	for _, tc := range []struct {
		name  string
		sizes []int // of the entries after the genesis entry
		want  string
	}{
		{"too few", []int{0, 0, 0, 0, 0, 0}, "[]"},
		{"just enough", []int{0, 0, 0, 0, 0, 0, 0}, "[1-8]"},
		{"twice", make([]int, 15), "[1-8 9-16]"},
		{"a large third entry ends the first at two", []int{0, 3000, 0}, "[1-2 3-4]"},
		{"what follows a short one is as short as its place says", []int{0, 3000, 0, 0, 0, 0, 0, 0}, "[1-2 3-4 5-8]"},
		{"a pair that is too large is two", []int{0, 3000, 1000}, "[1-2 3-3 4-4]"},
		{"an entry above the limit is sealed by itself", []int{0, 5000}, "[1-2 3-3]"},
		{"so is one that does not fit beside its neighbour", []int{3500, 3500, 3500, 3500, 3500}, "[1-1 2-2 3-3 4-4 5-5 6-6]"},
		{"the genesis entry alone", []int{5000}, "[1-1 2-2]"},
	} {
		h := newHot(t)
		for i, size := range tc.sizes {
			if _, err := h.Append(t.Context(), sized(i, size)); err != nil {
				t.Fatal(err)
			}
		}
		s := sealed.Small(sealed.Open("test", h, newObjects(t)), most, bytesMost)
		if got := ranges(seal(t, s)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// A chain sealed at every step, and the same chain sealed at once, have the same
// objects, byte for byte.
func TestSegmentsDoNotDependOnWhenTheyAreMade(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	h, often, once := newHot(t), newObjects(t), newObjects(t)
	eager := sealed.Small(sealed.Open("test", h, often), 16, 8000)
	for n := range 300 {
		if _, err := h.Append(t.Context(), sized(n, dice.IntN(1+dice.IntN(3000)))); err != nil {
			t.Fatal(err)
		}
		if dice.IntN(3) == 0 {
			seal(t, eager)
		}
	}
	seal(t, eager)
	want, err := eager.Segments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := &hot{Store: h.Store}
	if got := ranges(seal(t, sealed.Small(sealed.Open("test", other, once), 16, 8000))); got != ranges(want) {
		t.Fatalf("%s, want %s", got, ranges(want))
	}
	for _, s := range want {
		for _, key := range []string{s.Key(), s.ManifestKey()} {
			a, errA := often.Get(t.Context(), key, 1<<20)
			b, errB := once.Get(t.Context(), key, 1<<20)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs (%v, %v)", key, errA, errB)
			}
		}
		manifest, err := often.Get(t.Context(), s.ManifestKey(), 1<<20)
		if parsed, parseErr := sealed.ParseSegment(manifest); err != nil || parseErr != nil || parsed != s {
			t.Errorf("%s is %+v (%v, %v)", manifest, parsed, err, parseErr)
		}
	}
}

func TestManySealersMakeOneChain(t *testing.T) {
	h, objects := newHot(t), newObjects(t)
	grow(t, h, 1, 399)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := sealed.Small(sealed.Open("test", h, objects), 16, 1<<20).Seal(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s := sealed.Open("test", h, objects)
	segments, err := s.Segments(t.Context())
	if r := verifyFull(t, s); err != nil || len(segments) != 25 || !r.Valid || r.Entries != 400 {
		t.Errorf("%s: %+v (%v)", ranges(segments), r, err)
	}
}

// forged is a hot part with changed lines.
type forged struct {
	*hot
	change func(seq uint64, line []byte) []byte
}

func (f forged) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		for block, err := range f.hot.Blocks(ctx, from, to) {
			var lines []byte
			seq := block.First
			for line := range bytes.Lines(block.Lines) {
				lines = append(lines, f.change(seq, bytes.Clone(line))...)
				seq++
			}
			block.Lines = lines
			if !yield(block, err) {
				return
			}
		}
	}
}

// A chain that does not verify up to the head is not sealed, whether the change is in the
// run or after it.
func TestWhatDoesNotVerifyIsNotSealed(t *testing.T) {
	for _, at := range []uint64{1, 5, 16, 17, 20} {
		h := newHot(t)
		grow(t, h, 1, 19)
		objects := newObjects(t)
		s := sealed.Small(sealed.Open("test", forged{h, func(seq uint64, line []byte) []byte {
			if seq == at {
				line[20] ^= 1
			}
			return line
		}}, objects), 16, 1<<20)
		if segments, err := s.Seal(t.Context()); !errors.Is(err, audit.ErrTampered) || len(segments) != 0 || len(h.segments) != 0 {
			t.Errorf("entry %d changed: %s (%v)", at, ranges(segments), err)
		}
		if _, err := objects.Get(t.Context(), "test/seg/0000000000000001-0000000000000016.jsonl", 1<<20); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("entry %d changed: there is an object (%v)", at, err)
		}
	}
}

// A chain that was rewritten after the last segment verifies by itself. It does not
// follow the segment.
func TestARewrittenChainIsNotSealedBehindTheOldOne(t *testing.T) {
	h, other := newHot(t), newHot(t)
	objects := newObjects(t)
	grow(t, h, 1, 20)
	seal(t, sealed.Small(sealed.Open("test", h, objects), 16, 1<<20))
	for n := range 40 {
		if _, err := other.Append(t.Context(), sized(n, 3)); err != nil {
			t.Fatal(err)
		}
	}
	other.segments = h.segments
	rewritten := sealed.Small(sealed.Open("test", other, objects), 16, 1<<20)
	if segments, err := rewritten.Seal(t.Context()); !errors.Is(err, audit.ErrTampered) || len(segments) != 0 {
		t.Errorf("%s (%v)", ranges(segments), err)
	}
	other.segments = nil // the index too
	if segments, err := sealed.Small(sealed.Open("test", other, objects), 16, 1<<20).Seal(t.Context()); !errors.Is(err, audit.ErrTampered) || len(segments) != 0 {
		t.Errorf("%s (%v)", ranges(segments), err)
	}
	if r := verifyFull(t, sealed.Small(sealed.Open("test", &hot{Store: other.Store, segments: h.segments}, objects), 16, 1<<20)); r.Valid || *r.BrokenAt != 17 {
		t.Errorf("%+v", r)
	}
}

// An object that stands where ours should is an alarm, and is never recorded; our
// own of an earlier try is not.
func TestAnotherObjectInTheWayIsAnAlarm(t *testing.T) {
	const name = "test/seg/0000000000000001-0000000000000016"
	h, made := newHot(t), newObjects(t)
	grow(t, h, 1, 20)
	seal(t, sealed.Small(sealed.Open("test", &hot{Store: h.Store}, made), 16, 1<<20))
	for _, key := range []string{name + ".jsonl", name + ".json"} {
		own, err := made.Get(t.Context(), key, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(own)
		changed[len(changed)/2] ^= 1
		for what, there := range map[string][]byte{"own": own, "changed": changed, "shorter": own[:len(own)-1], "longer": append(bytes.Clone(own), '\n'), "empty": {}} {
			mine, objects := &hot{Store: h.Store}, newObjects(t)
			if err := objects.Create(t.Context(), key, there); err != nil {
				t.Fatal(err)
			}
			segments, err := sealed.Small(sealed.Open("test", mine, objects), 16, 1<<20).Seal(t.Context())
			if what == "own" {
				if err != nil || len(segments) != 1 {
					t.Errorf("%s, %s: %s (%v)", key, what, ranges(segments), err)
				}
			} else if !errors.Is(err, audit.ErrTampered) || !strings.Contains(err.Error(), key) || len(mine.segments) != 0 {
				t.Errorf("%s, %s: %s (%v)", key, what, ranges(segments), err)
			}
		}
	}
}

// liar keeps an object other than the one it was given.
type liar struct{ sealed.Objects }

func (l liar) Create(ctx context.Context, key string, body []byte) error {
	return l.Objects.Create(ctx, key, body[:len(body)/2])
}

func TestAnObjectThatWasNotKeptIsNotRecorded(t *testing.T) {
	h := newHot(t)
	grow(t, h, 1, 20)
	segments, err := sealed.Small(sealed.Open("test", h, liar{newObjects(t)}), 16, 1<<20).Seal(t.Context())
	if !errors.Is(err, audit.ErrTampered) || len(segments) != 0 || len(h.segments) != 0 {
		t.Errorf("%s (%v)", ranges(segments), err)
	}
}

// down is a bucket that cannot be reached.
type down struct{ sealed.Objects }

var errDown = errors.New("bucket down")

func (down) Get(context.Context, string, int64) ([]byte, error) { return nil, errDown }

func TestABucketThatIsDownIsAnErrorAndNoDamage(t *testing.T) {
	h, objects := newHot(t), newObjects(t)
	grow(t, h, 1, 20)
	segments := seal(t, sealed.Small(sealed.Open("test", h, objects), 16, 1<<20))
	s := sealed.Small(sealed.Open("test", h, down{objects}), 16, 1<<20)
	if _, err := audit.Verify(t.Context(), s, audit.VerifyOptions{}); !errors.Is(err, errDown) {
		t.Errorf("verify: %v", err)
	}
	if _, err := s.Check(t.Context(), segments[0]); !errors.Is(err, errDown) {
		t.Errorf("check: %v", err)
	}
	if _, err := audit.ProveInclusion(3, 21, s.Nodes(t.Context(), 21)); !errors.Is(err, errDown) {
		t.Errorf("prove: %v", err)
	}
	if _, err := s.Append(t.Context(), audittest.Event(99)); err != nil {
		t.Errorf("append: %v", err)
	}
}

func FuzzSegment(f *testing.F) {
	f.Add([]byte(`{"chain":"a","first":1,"last":2,"bytes":700,"prev_hash":"` + strings.Repeat("0", 64) + `","last_hash":"` + strings.Repeat("1", 64) +
		`","last_time":"2026-11-21T07:53:12.123456789Z","sha256":"` + strings.Repeat("2", 64) + `","root":"` + strings.Repeat("3", 64) + `"}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		s, err := sealed.ParseSegment(manifest)
		if err != nil {
			return
		}
		if n := s.Last - s.First + 1; !bytes.Equal(s.Manifest(), manifest) || n == 0 || n > 1<<14 || n&(n-1) != 0 || (s.First-1)%n != 0 || !fs.ValidPath(s.Key()) {
			t.Errorf("%s is read as %+v", manifest, s)
		}
	})
}

// FuzzCut: whatever the bytes of an object are, all of them come out, in whole lines up to
// the last, and reading them in two parts gives the same.
func FuzzCut(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree\n"), uint64(1))
	f.Add([]byte("\n\nno end"), uint64(2))
	f.Add([]byte{}, uint64(3))
	f.Fuzz(func(t *testing.T, object []byte, middle uint64) {
		s := sealed.Segment{First: 9, Last: 16}
		middle = s.First + middle%8
		all, head, tail := sealed.Cut(s, object, 1, 99), sealed.Cut(s, object, 1, middle), sealed.Cut(s, object, middle+1, 99)
		if !bytes.Equal(all.Lines, object) || middle < s.Last && !bytes.Equal(slices.Concat(head.Lines, tail.Lines), object) {
			t.Fatalf("%q and %q of %q", head.Lines, tail.Lines, object)
		}
		if n := uint64(bytes.Count(head.Lines, []byte("\n"))); middle < s.Last && n > middle-s.First+1 || head.First != s.First || head.Last != middle {
			t.Fatalf("%q is %d to %d", head.Lines, head.First, head.Last)
		}
	})
}
