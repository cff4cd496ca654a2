package audit_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"governance.internal/shared/audit"
)

// bodies returns the bodies of the lines in a stream, as they are hashed.
func bodies(stream []byte) [][]byte {
	var all [][]byte
	for line := range bytes.Lines(stream) {
		all = append(all, append(bytes.Clone(line[:len(line)-76]), '}'))
	}
	return all
}

// floor measures what SHA-256 alone takes for the bodies: the least of five runs.
func floor(bodies [][]byte) time.Duration {
	least := time.Hour
	for range 5 {
		began := time.Now()
		for _, body := range bodies {
			sha256.Sum256(body)
		}
		least = min(least, time.Since(began))
	}
	return least
}

// BenchmarkVerify reports the time per entry and its ratio to raw SHA-256 over the
// same bodies in the same run.
func BenchmarkVerify(b *testing.B) {
	const n = 20_000
	stream := join(makeChain(b, "test", n, 1))
	all := bodies(stream)
	raw := floor(all)
	b.Run("sha_floor", func(b *testing.B) {
		for b.Loop() {
			for _, body := range all {
				sha256.Sum256(body)
			}
		}
		reportRatio(b, n, raw)
	})
	for _, c := range []struct {
		name string
		o    audit.VerifyOptions
		read bool
	}{
		{"mem", audit.VerifyOptions{}, false},
		{"mem_par2", audit.VerifyOptions{Parallelism: 2}, false},
		{"mem_strict", audit.VerifyOptions{Strict: true}, false},
		{"mem_strict_par2", audit.VerifyOptions{Strict: true, Parallelism: 2}, false},
		{"mem_hash_anchor", audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(0, audit.Hash{1})}}, false},
		{"reader", audit.VerifyOptions{}, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var r audit.Report
				if c.read {
					r, _ = audit.VerifyReader(bytes.NewReader(stream), c.o)
				} else {
					r, _ = audit.VerifyBytes(stream, c.o)
				}
				if r.Rehashed.Entries != n {
					b.Fatal(r)
				}
			}
			reportRatio(b, n, raw)
		})
	}
}

func reportRatio(b *testing.B, entries int, raw time.Duration) {
	perRun := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(perRun/float64(entries), "ns/entry")
	b.ReportMetric(perRun/float64(raw.Nanoseconds()), "x_sha")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkDraftAndNext(b *testing.B) {
	payload := map[string]any{"amount": 5000, "path": "/x402/verify-audit", "tx": fmt.Sprintf("0x%040x", 1)}
	var head audit.Head
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		d, err := audit.NewDraft(audit.Event{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled", Payload: payload})
		if err != nil {
			b.Fatal(err)
		}
		line, _ = head.Next(line[:0], d, origin)
	}
}
