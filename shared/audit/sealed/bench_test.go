package sealed_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

const million = 1_000_000

// grownMillion is a chain of a million entries of some 430 bytes, and how long raw
// SHA-256 takes for the same lines in memory.
func grownMillion(b *testing.B) (*hot, time.Duration) {
	b.Helper()
	h := newHot(b)
	const batch = 1000
	for n := 2; n <= million; n += batch { // the genesis entry is there
		var events []audit.Event
		for i := n; i < min(n+batch, million+1); i++ {
			events = append(events, audit.Event{
				ID: fmt.Sprintf("bench-%020d", i), Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled",
				Payload: map[string]any{"amount": 5000, "path": "/x402/verify-audit", "tx": fmt.Sprintf("0x%064x", i)},
			})
		}
		if _, err := h.Append(b.Context(), events...); err != nil {
			b.Fatal(err)
		}
	}
	var lines []byte
	for block := range h.Blocks(b.Context(), 1, million) {
		lines = block.Lines
	}
	least := time.Hour
	for range 3 {
		began := time.Now()
		for rest := lines; len(rest) > 0; {
			n := min(len(rest), len(lines)/million)
			sha256.Sum256(rest[:n])
			rest = rest[n:]
		}
		least = min(least, time.Since(began))
	}
	return h, least
}

// BenchmarkMillionSealed seals a million entries into a directory, walks over the sealed
// chain, and proves entries of it. x_sha is the ratio to raw SHA-256 over as many
// messages of the same size in memory.
func BenchmarkMillionSealed(b *testing.B) {
	h, raw := grownMillion(b)
	b.Logf("raw SHA-256: %v", raw)
	objects := newObjects(b)
	b.Run("seal", func(b *testing.B) {
		for b.Loop() {
			h.segments = nil
			if _, err := sealed.Open("test", h, newObjects(b)).Seal(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		perRun := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(perRun*1e9/million, "ns/entry")
		b.ReportMetric(float64(len(h.segments)), "segments")
	})
	h.segments = nil
	s := sealed.Open("test", h, objects)
	if _, err := s.Seal(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    audit.VerifyOptions
	}{{"walk", audit.VerifyOptions{}}, {"walk_par2", audit.VerifyOptions{Parallelism: 2}}, {"walk_tree", audit.VerifyOptions{Tree: true}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r, err := audit.Verify(b.Context(), s, c.o); err != nil || !r.Valid || r.Entries != million {
					b.Fatal(r, err)
				}
			}
			perRun := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(perRun*1e9/million, "ns/entry")
			b.ReportMetric(perRun/raw.Seconds(), "x_sha")
		})
	}
	for name, nodes := range map[string]audit.Nodes{
		"prove_entry": s.Nodes(b.Context(), million), "prove_entry_unsealed": audit.EntryHashes(context.Background(), h, million),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := audit.ProveInclusion(million/3, million, nodes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
