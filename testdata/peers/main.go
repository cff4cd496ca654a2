// Command peers measures this chain's append and verification beside those of
// tessera and immudb, in one run on one disk, and prints the ratios.
//
// Each measurement is a process of its own, because tessera leaves goroutines
// behind. The measurements take turns, so that whatever else the machine does hits
// all alike, and the best of the rounds counts. All systems are given the same events
// of 300 bytes and acknowledge them when they are durable.
//
// An entry of ours is an event with its time, number and link, 435 bytes. To verify
// the same entries, the peers hold these bytes; beside that, they are measured with
// the 300 bytes of the event alone. What one goroutine or worker means differs (that
// of fsck reads and hashes at once), so verification is also measured with one
// processor for all.
//
// It is a module of its own, so that the service depends on no peer. immudb stands
// under the Business Source License 1.1; it is measured and never shipped.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// result is what a measurement prints: how many operations took how long, and how
// much of all processors.
type result struct {
	Operations     int
	Seconds, Burnt float64
}

func (r result) rate() float64 { return float64(r.Operations) / r.Seconds }

// timed does n operations.
func timed(n int, do func() error) (result, error) {
	began, before := time.Now(), processorTime()
	err := do()
	return result{n, time.Since(began).Seconds(), (processorTime() - before).Seconds()}, err
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails for no argument of ours
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measurement is one way of one system to do one task, in a folder that begins
// empty or as its preparation left it.
type measurement struct {
	task, system string
	run          func(ctx context.Context, dir string) (result, error)
	prepare      func(ctx context.Context, dir string) (result, error) // once, nil if there is nothing to prepare
	processors   int                                                   // 0 for all there are
}

const ours = "audit/file"

// stored is how many entries are verified, many how many are appended by many callers,
// alone how many by one.
const (
	stored = 300_000
	many   = 100_000
	alone  = 500
)

var measurements = []measurement{
	{"append, 1 caller", ours, appendOurs(1, alone), nil, 0},
	{"append, 1 caller", "tessera, batch 1", appendTessera(1, 1, alone, events), nil, 0},
	{"append, 1 caller", "immudb, sync 1 ms", appendImmudb(1, alone, events), nil, 0},
	{"append, many callers", ours + ", 512 callers", appendOurs(512, many), nil, 0},
	{"append, many callers", "tessera, batch 256, 4096 outstanding", appendTessera(4096, 256, many, events), nil, 0},
	{"append, many callers", "tessera, batch 1024, 4096 outstanding", appendTessera(4096, 1024, many, events), nil, 0},
	{"append, many callers", "immudb, 512 callers", appendImmudb(512, many, events), nil, 0},
	{"verify, 1 goroutine, same entries", ours, verifyOurs(1), appendOurs(512, stored), 0},
	{"verify, 1 goroutine, same entries", "tessera fsck, N=1", verifyTessera(1), appendTessera(4096, 1024, stored, entries), 0},
	{"verify, 1 goroutine, same entries", "immudb reader", verifyImmudb, appendImmudb(512, stored, entries), 0},
	{"verify, 1 goroutine, peers without time and place", ours, verifyOurs(1), appendOurs(512, stored), 0},
	{"verify, 1 goroutine, peers without time and place", "tessera fsck, N=1", verifyTessera(1), appendTessera(4096, 1024, stored, events), 0},
	{"verify, 1 goroutine, peers without time and place", "immudb reader", verifyImmudb, appendImmudb(512, stored, events), 0},
	{"verify, 1 processor, same entries", ours, verifyOurs(1), appendOurs(512, stored), 1},
	{"verify, 1 processor, same entries", "tessera fsck, N=1", verifyTessera(1), appendTessera(4096, 1024, stored, entries), 1},
	{"verify, 1 processor, same entries", "immudb reader", verifyImmudb, appendImmudb(512, stored, entries), 1},
	{"verify, 2 goroutines, same entries", ours, verifyOurs(2), appendOurs(512, stored), 0},
	{"verify, 2 goroutines, same entries", "tessera fsck, N=2", verifyTessera(2), appendTessera(4096, 1024, stored, entries), 0},
	{"verify, 2 goroutines, same entries", "immudb reader, which has one", verifyImmudb, appendImmudb(512, stored, entries), 0},
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "how often each measurement runs")
	child := flag.String("child", "", "internal: index of one measurement, or prepare and index, and its folder")
	flag.Parse()
	var err error
	if *child != "" {
		err = one(context.Background(), *child, flag.Arg(0))
	} else {
		err = all(*rounds)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// one runs a measurement in this process and prints its result.
func one(ctx context.Context, child, dir string) error {
	var index int
	number, preparing := strings.CutPrefix(child, "prepare ")
	if _, err := fmt.Sscan(number, &index); err != nil {
		return err
	}
	work := measurements[index].run
	if preparing {
		work = measurements[index].prepare
	} else if n := measurements[index].processors; n > 0 {
		runtime.GOMAXPROCS(n)
	}
	r, err := work(ctx, dir)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// all runs every measurement so many times, by turns, and prints the table.
func all(rounds int) error {
	base, err := os.MkdirTemp(".", "run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	prepared := make([]string, len(measurements))
	for i, m := range measurements {
		if m.prepare != nil {
			prepared[i] = filepath.Join(base, fmt.Sprint("prepared-", i))
			if _, err := spawn(fmt.Sprint("prepare ", i), prepared[i]); err != nil {
				return fmt.Errorf("%s: %s: %w", m.task, m.system, err)
			}
		}
	}
	best := make([]result, len(measurements))
	for range rounds {
		for i, m := range measurements {
			dir := prepared[i]
			if dir == "" {
				dir = filepath.Join(base, "once")
			}
			r, err := spawn(fmt.Sprint(i), dir)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", m.task, m.system, err)
			}
			if best[i].Operations == 0 || r.rate() > best[i].rate() {
				best[i] = r
			}
			if prepared[i] == "" {
				err = os.RemoveAll(dir)
			}
			if err != nil {
				return err
			}
		}
	}
	printTable(rounds, best)
	return nil
}

// spawn runs a child in a folder.
func spawn(child, dir string) (r result, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, err
	}
	out, err := exec.Command(os.Args[0], "-child", child, dir).Output()
	if failed, ok := err.(*exec.ExitError); ok {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		return r, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// printTable prints the best results, and how many times ours is each: in time, and
// in time of the processors, since some systems use more of them than asked to.
func printTable(rounds int, best []result) {
	load, _ := os.ReadFile("/proc/loadavg") // empty where there is none
	fmt.Printf("best of %d rounds, load average %s\n", rounds, strings.TrimSpace(string(load)))
	for i, m := range measurements {
		first := slices.IndexFunc(measurements, func(other measurement) bool { return other.task == m.task })
		if first == i {
			fmt.Printf("%s\n", m.task)
		}
		perOperation := 1e6 / float64(best[i].Operations)
		fmt.Printf("  %-38s %9.0f /s %8.2f µs, of processors %7.2f µs",
			m.system, best[i].rate(), perOperation*best[i].Seconds, perOperation*best[i].Burnt)
		if first != i {
			fmt.Printf("   ours: x %.1f, of processors x %.1f", best[first].rate()/best[i].rate(),
				best[i].Burnt/float64(best[i].Operations)*float64(best[first].Operations)/best[first].Burnt)
		}
		fmt.Println()
	}
}
