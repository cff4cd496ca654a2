package file_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/file"
)

func benchEvent(n int) audit.Event {
	return audit.Event{
		ID: fmt.Sprintf("01ARZ3NDEKTSV4RR%010d", n), Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled",
		Payload: map[string]any{"amount": 5000 + n, "path": "/x402/verify-audit", "tx": fmt.Sprintf("0x%040x", n)},
	}
}

// BenchmarkAppend reports appends per second with 1, 8, 64 and 512 callers, and the
// ratio to the naive way, one write and one fsync per entry, in the same run.
func BenchmarkAppend(b *testing.B) {
	naive := naiveRate(b)
	for _, callers := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s, err := file.Open(b.TempDir(), "test", file.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for range callers {
				group.Go(func() {
					for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
						if _, err := s.Append(context.Background(), benchEvent(n)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			rate := float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(rate, "appends/s")
			b.ReportMetric(rate/naive, "x_naive")
		})
	}
}

// naiveRate returns how many entries per second a loop of write and fsync records.
func naiveRate(b *testing.B) float64 {
	b.Helper()
	f, err := os.Create(b.TempDir() + "/naive")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var head audit.Head
	const n = 1500
	began := time.Now()
	for i := range n {
		d, err := audit.NewDraft(benchEvent(i))
		if err != nil {
			b.Fatal(err)
		}
		line, e := head.Next(nil, d, time.Now())
		head = e.Head()
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	rate := n / time.Since(began).Seconds()
	b.Logf("naive write and fsync per entry: %.0f appends/s", rate)
	return rate
}

const million = 1_000_000

// writeMillion writes a chain of a million entries and returns how long SHA-256
// alone takes for their bodies, the least of three runs over them in memory.
func writeMillion(b *testing.B, dir string) (raw time.Duration) {
	b.Helper()
	f, err := os.Create(file.Path(dir, "test"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	now := time.Now()
	d, err := audit.Genesis("test", "bench", now, rand.Reader)
	var head audit.Head
	var line []byte
	for n := range million {
		if n > 0 {
			d, err = audit.NewDraft(benchEvent(n))
		}
		if err != nil {
			b.Fatal(err)
		}
		var e audit.Entry
		line, e = head.Next(line[:0], d, now)
		head = e.Head()
		w.Write(line)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return rawSHA(b, file.Path(dir, "test"))
}

func rawSHA(b *testing.B, path string) time.Duration {
	b.Helper()
	stream, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	bodies := make([][]byte, 0, million)
	for rest := stream; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n')
		rest[n-75] = '}'
		bodies = append(bodies, rest[:n-74])
		rest = rest[n+1:]
	}
	least := time.Hour
	for range 3 {
		began := time.Now()
		for _, body := range bodies {
			sha256.Sum256(body)
		}
		least = min(least, time.Since(began))
	}
	return least
}

// BenchmarkMillion verifies and opens a file of a million entries from the page
// cache. x_sha is the ratio to raw SHA-256 over the same bodies in memory.
func BenchmarkMillion(b *testing.B) {
	dir := b.TempDir()
	raw := writeMillion(b, dir)
	b.Logf("raw SHA-256: %v", raw)
	for _, c := range []struct {
		name string
		o    audit.VerifyOptions
	}{
		{"verify_file", audit.VerifyOptions{}},
		{"verify_file_par2", audit.VerifyOptions{Parallelism: 2}},
		{"verify_file_strict", audit.VerifyOptions{Strict: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r, err := file.Verify(file.Path(dir, "test"), c.o)
				if err != nil || !r.Valid || r.Entries != million {
					b.Fatal(r, err)
				}
			}
			perRun := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(perRun*1e9/million, "ns/entry")
			b.ReportMetric(perRun/raw.Seconds(), "x_sha")
		})
	}
	b.Run("open", func(b *testing.B) {
		var memory uint64
		for b.Loop() {
			before := heap()
			s, err := file.Open(dir, "test", file.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			memory = heap() - before
			s.Close()
			b.StartTimer()
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/open")
		b.ReportMetric(float64(memory)/1e6, "MB")
	})
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
