package devchain

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

// BenchmarkStart measures a start from nothing, in memory and in a directory.
func BenchmarkStart(b *testing.B) {
	for name, opts := range map[string]func() Options{
		"memory": func() Options { return Options{} },
		"dir":    func() Options { return Options{Dir: b.TempDir()} },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := Start(b.Context(), opts())
				if err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}

// BenchmarkReplay measures a start with a thousand payments in the directory.
func BenchmarkReplay(b *testing.B) {
	const payments = 1000
	dir := b.TempDir()
	now := time.Now()
	c, err := Start(b.Context(), Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	for i := range payments {
		now = now.Add(time.Second) // each in its own block: the worst case
		a := dollars(1)
		a.validBefore.SetInt64(now.Unix() + 60)
		if r := send(b, c.Client(), key(GasKey), a.transfer(b, i%2 == 0, key(PayerKey))); r.Status != 1 {
			b.Fatal("reverted")
		}
	}
	c.Close()
	for b.Loop() {
		c, err := Start(b.Context(), Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkSettle measures what a buyer waits for: send a signed transaction over
// HTTP and have its receipt. "calm" is one payment a second (by moving the
// clock), "flat out" is one after the other, so that they share a second.
func BenchmarkSettle(b *testing.B) {
	for _, place := range []string{"memory", "dir"} {
		for _, pace := range []string{"calm", "flat out"} {
			b.Run(place+"/"+pace, func(b *testing.B) {
				var skip atomic.Int64 // seconds that the chain's clock is ahead
				opts := Options{RPCAddr: "127.0.0.1:0", Now: func() time.Time {
					return time.Now().Add(time.Duration(skip.Load()) * time.Second)
				}}
				if place == "dir" {
					opts.Dir = b.TempDir()
				}
				cl, err := ethclient.Dial(start(b, opts).URL())
				if err != nil {
					b.Fatal(err)
				}
				var took []time.Duration
				for i := 0; b.Loop(); i++ {
					a := dollars(1)
					a.validBefore.SetInt64(opts.Now().Unix() + 60)
					tx := signedTx(b, key(GasKey), uint64(i), a.transfer(b, i%2 == 0, key(PayerKey)))
					if pace == "calm" {
						skip.Add(1)
					}
					began := time.Now()
					if err := cl.SendTransaction(b.Context(), tx); err != nil {
						b.Fatal(err)
					}
					if r := receipt(b, cl, tx.Hash()); r.Status != types.ReceiptStatusSuccessful {
						b.Fatal("reverted")
					}
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				at := func(percent int) float64 {
					return float64(took[min(len(took)-1, len(took)*percent/100)].Microseconds()) / 1000
				}
				b.ReportMetric(at(50), "p50-ms")
				b.ReportMetric(at(95), "p95-ms")
			})
		}
	}
}
