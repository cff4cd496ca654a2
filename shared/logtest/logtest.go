// Package logtest gives tests what a process logs.
package logtest

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
)

// Collect keeps what the process logs from now on, at a level and above, whichever part of it
// logs at the same time, and gives it whenever it is asked. The logger of before is back
// when the test ends.
func Collect(t testing.TB, level slog.Level) func() string {
	t.Helper()
	log := &Buffer{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log.String
}

// Buffer is a bytes.Buffer that others write while a test reads.
type Buffer struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written.String()
}
