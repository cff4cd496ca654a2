package tally_test

import (
	"fmt"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/tally"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

func TestEntriesAreCountedByTypeAndDayAndOnlyOnce(t *testing.T) {
	now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	store, err := memory.New("governance", memory.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	add := func(event, payload string) {
		n++
		if _, err := store.Append(t.Context(), audit.Event{ID: fmt.Sprint("id", n), Actor: "a", Type: event, Payload: map[string]any{"text": payload}}); err != nil {
			t.Fatal(err)
		}
	}
	counts := tally.New(store, "BLOCKED_UNTOUCHABLE", "STALE_HANDOFF")
	want := func(since time.Time, blocked, stale uint64) {
		t.Helper()
		got, err := counts.Since(t.Context(), since)
		if err != nil || got["BLOCKED_UNTOUCHABLE"] != blocked || got["STALE_HANDOFF"] != stale || len(got) != 2 {
			t.Errorf("%v (%v), want %d and %d", got, err, blocked, stale)
		}
	}
	want(time.Time{}, 0, 0)
	add("BLOCKED_UNTOUCHABLE", "x")
	add("OTHER", "BLOCKED_UNTOUCHABLE")
	want(time.Time{}, 1, 0)
	want(time.Time{}, 1, 0)
	now = now.AddDate(0, 0, 40)
	add("STALE_HANDOFF", "BLOCKED_UNTOUCHABLE")
	add("BLOCKED_UNTOUCHABLE", "y")
	want(time.Time{}, 2, 1)
	want(now.AddDate(0, 0, -30), 1, 1)
	want(now.AddDate(0, 0, 1), 0, 0)
}
