package dynamo_test

import (
	"errors"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/dynamotest"
)

func segment(first, last uint64) sealed.Segment {
	return sealed.Segment{Chain: "test", First: first, Last: last, Bytes: 1, Root: audit.Hash{byte(first)}}
}

// The index keeps each segment once, in order, whatever answer is lost, and takes no
// other in its place.
func TestTheIndexOfSegments(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s := reopen(t, endpoint, table, &wire{lose: 3})
	for range 2 {
		for _, first := range []uint64{9, 1, 17} {
			if err := s.AddSegment(t.Context(), segment(first, first+7)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.AddSegment(t.Context(), segment(9, 12)); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("another segment: %v", err)
	}
	for after, want := range map[uint64]int{0: 3, 1: 2, 8: 2, 9: 1, 16: 1, 17: 0, 1 << 50: 0} {
		found, err := s.Segments(t.Context(), after)
		if err != nil || len(found) != want {
			t.Errorf("after %d: %v, %v", after, found, err)
		}
		for i, got := range found {
			if first := uint64(1 + 8*(3-want+i)); got != segment(first, first+7) {
				t.Errorf("after %d: %+v", after, got)
			}
		}
	}
	if other, err := reopenAs(t, "other", endpoint, table).Segments(t.Context(), 0); err != nil || len(other) != 0 {
		t.Errorf("another chain: %v, %v", other, err)
	}
}

// An item that is not a manifest, or has another key, ends the list.
func TestADamagedIndexEndsThere(t *testing.T) {
	for name, manifest := range map[string]string{
		"no manifest": "{}", "that of another place": string(segment(17, 24).Manifest()), "another spelling": string(segment(9, 16).Manifest()) + " ",
	} {
		endpoint, table := dynamotest.Table(t, "pk", "sk")
		s := reopen(t, endpoint, table, nil)
		for _, first := range []uint64{1, 9, 17} {
			if err := s.AddSegment(t.Context(), segment(first, first+7)); err != nil {
				t.Fatal(err)
			}
		}
		damaged := key("s#test", "0000000000000009")
		damaged["manifest"] = text(manifest)
		newIntruder(t, endpoint, table).put(damaged)
		if found, err := s.Segments(t.Context(), 0); err != nil || len(found) != 1 || found[0] != segment(1, 8) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}
