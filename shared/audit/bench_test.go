package audit_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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

// hashAll is what a verification cannot be faster than: SHA-256 over the bodies, by
// so many goroutines, each of which takes the next 512.
func hashAll(bodies [][]byte, goroutines int) {
	const share = 512
	var next atomic.Int64
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for end := int(next.Add(share)); end-share < len(bodies); end = int(next.Add(share)) {
				for _, body := range bodies[end-share : min(end, len(bodies))] {
					sha256.Sum256(body)
				}
			}
		})
	}
	group.Wait()
}

// contender is one way to go over a chain; least is its shortest run.
type contender struct {
	name  string
	run   func()
	least time.Duration
}

// BenchmarkVerify lets the ways to verify a chain take turns with raw SHA-256 over
// the same bodies, so that what else the machine does hits all of them, and reports
// the shortest run of each: x_sha is the ratio to SHA-256 by one goroutine, speedup
// what a second goroutine brings. sha_speedup is the machine's own ceiling.
func BenchmarkVerify(b *testing.B) {
	const n = 50_000
	stream := join(makeChain(b, "test", n, 1))
	all := bodies(stream)
	verify := func(o audit.VerifyOptions) func() {
		return func() {
			if r, err := audit.VerifyBytes(stream, o); err != nil || r.Rehashed.Entries != n {
				b.Fatal(r, err)
			}
		}
	}
	read := func() {
		if r, err := audit.VerifyReader(bytes.NewReader(stream), audit.VerifyOptions{}); err != nil || r.Rehashed.Entries != n {
			b.Fatal(r, err)
		}
	}
	contenders := []*contender{
		{name: "sha", run: func() { hashAll(all, 1) }},
		{name: "sha_2", run: func() { hashAll(all, 2) }},
		{name: "mem", run: verify(audit.VerifyOptions{})},
		{name: "mem_2", run: verify(audit.VerifyOptions{Parallelism: 2})},
		{name: "strict", run: verify(audit.VerifyOptions{Strict: true})},
		{name: "strict_2", run: verify(audit.VerifyOptions{Strict: true, Parallelism: 2})},
		{name: "tree", run: verify(audit.VerifyOptions{Tree: true})},
		{name: "tree_2", run: verify(audit.VerifyOptions{Tree: true, Parallelism: 2})},
		{name: "reader", run: read},
	}
	for _, c := range contenders {
		c.least = time.Hour
	}
	for b.Loop() {
		for _, c := range contenders {
			began := time.Now()
			c.run()
			c.least = min(c.least, time.Since(began))
		}
	}
	raw := contenders[0].least
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(raw.Nanoseconds())/n, "sha_ns/entry")
	for i, c := range contenders {
		if one, ok := strings.CutSuffix(c.name, "_2"); ok {
			b.ReportMetric(float64(contenders[i-1].least)/float64(c.least), one+"_speedup")
		} else if c.least != raw {
			b.ReportMetric(float64(c.least)/float64(raw), one+"_x_sha")
		}
	}
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
