package sealed_test

import (
	"bytes"
	"context"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/sealed"
)

// eager seals at every read.
type eager struct {
	*sealed.Store
	t *testing.T
}

func (e eager) Head(ctx context.Context) (audit.Head, error) {
	seal(e.t, e.Store)
	return e.Store.Head(ctx)
}

func TestContract(t *testing.T) {
	audittest.Run(t, func(t *testing.T) audit.Store {
		return eager{sealed.Small(sealed.Open("test", newHot(t), newObjects(t)), 64, 8<<10), t}
	})
}

// A sealed chain reads as the chain did, from the objects alone as far as it is sealed.
func TestASealedChainReadsTheSame(t *testing.T) {
	h, objects := newHot(t), newObjects(t)
	s := sealed.Small(sealed.Open("test", h, objects), 16, 1<<20)
	grow(t, s, 1, 99)
	before, plain := verifyFull(t, s), audittest.Lines(t, s, 1, 100)
	if got := ranges(seal(t, s)); got != "[1-16 17-32 33-48 49-64 65-80 81-96]" {
		t.Fatal(got)
	}
	if again := seal(t, s); len(again) != 0 {
		t.Errorf("sealed again: %s", ranges(again))
	}
	after := verifyFull(t, s)
	if !after.Valid || *after.Root != *before.Root || *after.Head != *before.Head {
		t.Errorf("%+v", after)
	}
	for from := uint64(1); from <= 100; from += 3 {
		for to := from; to <= 100; to += 5 {
			want := bytes.Join(bytes.SplitAfter(plain, []byte("\n"))[from-1:to], nil)
			if got := audittest.Lines(t, s, from, to); !bytes.Equal(got, want) {
				t.Fatalf("%d to %d: %d bytes, want %d", from, to, len(got), len(want))
			}
		}
	}
	segments, err := s.Segments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, segment := range segments {
		if r, err := s.Check(t.Context(), segment); err != nil || !r.Valid || r.Entries != 16 {
			t.Errorf("%s: %+v, %v", segment.Key(), r, err)
		}
	}
}
