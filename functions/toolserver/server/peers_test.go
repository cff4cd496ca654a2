package server_test

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit/memory"
	"governance.internal/shared/porttest"
)

// benchVariable makes the test binary a server that listens on its value. Its clock
// moves on at each look, so that the rate is no limit.
const benchVariable = "TOOLSERVER_TEST_BENCH"

func serveBench(address string) error {
	slog.SetDefault(slog.New(slog.NewJSONHandler(io.Discard, nil)))
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	clock := new(atomic.Int64)
	began := time.Now()
	s, err := server.New(server.Deps{
		BaseURL: "http://" + address, KillSecret: killSecret, DataDir: dir, Audit: store, Random: rand.Reader, Host: machine(), Build: "test",
		Now: func() time.Time { return began.Add(time.Duration(clock.Add(int64(time.Second)))) },
	})
	if err != nil {
		return err
	}
	return http.ListenAndServe(address, s)
}

// BenchmarkBesidePeers measures tools/call on POST /mcp beside what others serve the
// same tool with, each in a process of its own, in three interleaved rounds of the
// same load, and prints the ratios to a bare handler.
func BenchmarkBesidePeers(b *testing.B) {
	const connections, rounds, lasting = 16, 3, 2 * time.Second
	peer := filepath.Join(b.TempDir(), "peers-mcp")
	build := exec.Command("go", "build", "-o", peer, ".")
	build.Dir = filepath.FromSlash("../../../testdata/peers-mcp")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	type contestant struct {
		name, address string
		rates         []float64
	}
	var all []*contestant
	for _, name := range []string{"bare", "ours", "mcp-go", "go-sdk", "typescript"} {
		c := &contestant{name: name, address: porttest.Address(b)}
		_, port, _ := net.SplitHostPort(c.address)
		command := exec.Command(peer, name, c.address)
		switch name {
		case "ours":
			command = exec.Command(os.Args[0])
			command.Env = append(os.Environ(), benchVariable+"="+c.address)
		case "typescript":
			command = exec.Command("node", filepath.FromSlash("../../../testdata/peers-mcp/server.mjs"), port)
		}
		if err := command.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
		all = append(all, c)
	}
	for _, c := range all {
		ready(b, c.address)
	}
	for b.Loop() {
		for range rounds {
			for _, c := range all {
				load(b, c.address, connections, lasting/4) // warm up
				c.rates = append(c.rates, load(b, c.address, connections, lasting))
			}
		}
	}
	median := func(c *contestant) float64 { return slices.Sorted(slices.Values(c.rates))[len(c.rates)/2] }
	for _, c := range all {
		fmt.Printf("figure: tools/call %-10s median %6.0f/s, %.2f of bare, rounds %.0f\n", c.name, median(c), median(c)/median(all[0]), c.rates)
		b.ReportMetric(median(c)/median(all[0]), c.name+"/bare")
	}
}

// ready waits until a server answers the call, and answers it with the tool's text.
func ready(b *testing.B, address string) {
	b.Helper()
	last := ""
	for range 200 {
		request, err := http.NewRequest("POST", "http://"+address+"/mcp", strings.NewReader(overviewCall))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			text, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if last = string(text); strings.Contains(last, "structuredContent") {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Fatalf("%s does not answer: %s", address, last)
}

// load calls over as many connections at once, each waiting for its answer, and gives
// the answers a second.
func load(b *testing.B, address string, connections int, lasting time.Duration) float64 {
	b.Helper()
	request := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", address, len(overviewCall), overviewCall)
	var answers atomic.Int64
	var wait sync.WaitGroup
	began := time.Now()
	for range connections {
		wait.Go(func() {
			connection, err := net.Dial("tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			defer connection.Close()
			reader := bufio.NewReader(connection)
			for time.Since(began) < lasting {
				if _, err := connection.Write(request); err != nil {
					b.Error(err)
					return
				}
				if err := readAnswer(reader); err != nil {
					b.Error(err)
					return
				}
				answers.Add(1)
			}
		})
	}
	wait.Wait()
	return float64(answers.Load()) / time.Since(began).Seconds()
}

// readAnswer reads one answer of status 200 to its end.
func readAnswer(reader *bufio.Reader) error {
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
