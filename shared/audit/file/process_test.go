package file_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/file"
)

// childEnv makes the test binary a child that appends: "<dir> <first> <count>".
const childEnv = "AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		if err := child(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child appends events from four goroutines and prints the id of each when it is
// acknowledged.
func child(task string) error {
	var dir string
	var first, count int
	if _, err := fmt.Sscan(task, &dir, &first, &count); err != nil {
		return err
	}
	s, err := file.Open(dir, "test", file.Options{})
	if err != nil {
		return err
	}
	const writers = 4
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := first + w; n < first+count; n += writers {
				if _, err := s.Append(context.Background(), audittest.Event(n)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.WriteString(strconv.Itoa(n) + "\n")
			}
		})
	}
	group.Wait()
	return s.Close()
}

func childCommand(t *testing.T, dir string, first, count int) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", childEnv, dir, first, count))
	c.Stderr = os.Stderr
	return c
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	runs := 60
	if testing.Short() {
		runs = 15
	}
	dir := t.TempDir()
	var acknowledged []int
	for run := range runs {
		c := childCommand(t, dir, run*1_000_000, 1_000_000)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			once.Do(func() {
				time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { c.Process.Kill() })
			})
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = append(acknowledged, n)
		}
		if err := c.Wait(); err == nil {
			t.Fatal("the child was not killed")
		}
	}
	s := open(t, dir, file.Options{})
	head := mustHead(t, s)
	ids := map[string]int{}
	for line := range bytes.Lines(audittest.Lines(t, s, 1, head.Seq)) {
		e, err := audit.ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		ids[e.ID]++
	}
	for _, n := range acknowledged {
		if ids[audittest.Event(n).ID] != 1 {
			t.Errorf("acknowledged event %d is recorded %d times", n, ids[audittest.Event(n).ID])
		}
	}
	checkFile(t, file.Path(dir, "test"), head.Seq)
	t.Logf("%d kills, %d acknowledged, %d recorded", runs, len(acknowledged), head.Seq)
}

func TestTwoProcessesAppend(t *testing.T) {
	dir := t.TempDir()
	const count = 300
	var group sync.WaitGroup
	// The second and third append the same events.
	for _, first := range []int{0, count, count} {
		c := childCommand(t, dir, first, count)
		group.Go(func() {
			out, err := c.Output()
			if err != nil || strings.Count(string(out), "\n") != count {
				t.Errorf("child: %v", err)
			}
		})
	}
	group.Wait()
	checkFile(t, file.Path(dir, "test"), 1+2*count)
}
