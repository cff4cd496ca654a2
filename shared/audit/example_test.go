package audit_test

import (
	"context"
	"fmt"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// A retry with the same id records nothing twice, and a head that was noted
// earlier shows later that nothing was cut off or rewritten.
func Example() {
	ctx := context.Background()
	store, err := memory.New("example", memory.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	event := audit.Event{ID: "order-1", Actor: "alice", Type: "order.placed", Payload: map[string]any{"items": 3}}
	store.Append(ctx, event)
	entries, err := store.Append(ctx, event)
	if err != nil {
		fmt.Println(err)
		return
	}
	noted := entries[0].Head()

	report, err := audit.Verify(ctx, store, audit.VerifyOptions{
		Chain:   "example",
		Anchors: []audit.Anchor{audit.ExpectHead(noted.Seq, noted.Hash)},
	})
	fmt.Println(report.Valid, report.Entries, err)
	for _, c := range report.Claims[:3] {
		fmt.Println(c.ID, c.Verdict)
	}
	// Output:
	// true 2 <nil>
	// integrity proved
	// tail_complete conditional
	// not_rewritten conditional
}
