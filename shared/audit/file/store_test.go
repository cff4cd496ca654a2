package file_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/file"
)

func open(t *testing.T, dir string, o file.Options) *file.Store {
	t.Helper()
	s, err := file.Open(dir, "test", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) {
	audittest.Run(t, func(t *testing.T) audit.Store { return open(t, t.TempDir(), file.Options{}) })
}

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	audittest.RunNotes(t, open(t, dir, file.Options{}), open(t, dir, file.Options{}))
}

func TestReopenKeepsChainAndIDs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, file.Options{})
	first := mustAppend(t, s, audittest.Event(1))
	for i := range 3000 {
		if i%50 == 0 {
			events := make([]audit.Event, 50)
			for j := range events {
				events[j] = audittest.Event(2 + i + j)
			}
			mustAppend(t, s, events...)
		}
	}
	head := mustHead(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, file.Options{})
	if got := mustHead(t, s); got != head {
		t.Errorf("head %+v, want %+v", got, head)
	}
	if again := mustAppend(t, s, audittest.Event(1)); again[0].Hash != first[0].Hash {
		t.Errorf("the first event was recorded again: %+v", again[0])
	}
	other := audittest.Event(2999)
	other.Actor = "another"
	if _, err := s.Append(t.Context(), other); !errors.Is(err, audit.ErrIDReused) {
		t.Errorf("error %v", err)
	}
	audittest.Lines(t, s, 2048, 2050)
}

func TestTwoStoresOnOneFile(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, file.Options{}), open(t, dir, file.Options{})
	var group sync.WaitGroup
	for w, s := range []*file.Store{a, b, a, b} {
		group.Go(func() {
			for i := range 100 {
				// Each event is appended through both stores.
				if _, err := s.Append(t.Context(), audittest.Event(w/2*100+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if x, y := mustHead(t, a), mustHead(t, b); x != y || x.Seq != 201 {
		t.Errorf("heads %+v and %+v", x, y)
	}
	checkFile(t, file.Path(dir, "test"), 201)
}

func TestClockThatGoesBackwards(t *testing.T) {
	now := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	s := open(t, t.TempDir(), file.Options{Now: func() time.Time { now = now.Add(-time.Second); return now }})
	before := mustHead(t, s).Time
	for i := range 5 {
		if e := mustAppend(t, s, audittest.Event(i))[0]; !e.Time.Equal(before) {
			t.Errorf("entry %d has time %v after %v", e.Seq, e.Time, before)
		}
	}
}

func TestCloseServesWhatWaits(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, file.Options{})
	var group sync.WaitGroup
	var mu sync.Mutex
	recorded := uint64(1)
	for i := range 64 {
		group.Go(func() {
			_, err := s.Append(t.Context(), audittest.Event(i))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				recorded++
			} else if !errors.Is(err, fs.ErrClosed) {
				t.Error(err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if err := s.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if _, err := s.Head(t.Context()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Head after Close: %v", err)
	}
	checkFile(t, file.Path(dir, "test"), recorded)
}

func TestTamperedFileIsRefused(t *testing.T) {
	lines := func(t *testing.T) (dir string, contents []byte) {
		dir = t.TempDir()
		s := open(t, dir, file.Options{})
		mustAppend(t, s, audittest.Event(1), audittest.Event(2), audittest.Event(3))
		s.Close()
		contents, _ = os.ReadFile(file.Path(dir, "test"))
		return dir, contents
	}
	damage := map[string]func([]byte) []byte{
		"last line altered":  func(b []byte) []byte { b[len(b)-300] ^= 1; return b },
		"last hash altered":  func(b []byte) []byte { b[len(b)-20] = 'f' - b[len(b)-20] + '0'; return b },
		"first line dropped": func(b []byte) []byte { return b[indexAfter(b, '\n'):] },
		"a line dropped": func(b []byte) []byte {
			i := indexAfter(b, '\n')
			return append(b[:i:i], b[i+indexAfter(b[i:], '\n'):]...)
		},
		"blank line added": func(b []byte) []byte { return append(b, '\n') },
		"rubbish added":    func(b []byte) []byte { return append(b, "rubbish\n"...) },
		"a huge line":      func(b []byte) []byte { return append(b, make([]byte, 300_000)...) },
	}
	for name, change := range damage {
		t.Run(name, func(t *testing.T) {
			dir, contents := lines(t)
			contents = change(contents)
			os.WriteFile(file.Path(dir, "test"), contents, 0o600)
			if _, err := file.Open(dir, "test", file.Options{}); !errors.Is(err, audit.ErrTampered) {
				t.Errorf("error %v", err)
			}
			if after, _ := os.ReadFile(file.Path(dir, "test")); string(after) != string(contents) {
				t.Error("the evidence was changed")
			}
		})
	}
}

func TestTamperingWhileOpen(t *testing.T) {
	damage := map[string]func(path string) error{
		"removed":   os.Remove,
		"emptied":   func(p string) error { return os.Truncate(p, 0) },
		"shortened": func(p string) error { return os.Truncate(p, 700) },
		"replaced": func(p string) error {
			b, _ := os.ReadFile(p)
			return errors.Join(os.WriteFile(p+".new", b[:500], 0o600), os.Rename(p+".new", p))
		},
		"last line altered": func(p string) error {
			b, _ := os.ReadFile(p)
			b[len(b)-10] ^= 1
			return os.WriteFile(p, b, 0o600)
		},
	}
	for name, change := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, file.Options{})
			mustAppend(t, s, audittest.Event(1), audittest.Event(2))
			mustAppend(t, s)
			head := mustHead(t, s)
			if err := change(file.Path(dir, "test")); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Append(t.Context()); !errors.Is(err, audit.ErrTampered) {
				t.Errorf("append of nothing: %v", err)
			}
			if _, err := s.Append(t.Context(), audittest.Event(3)); !errors.Is(err, audit.ErrTampered) {
				t.Errorf("append: %v", err)
			}
			if got := mustHead(t, s); got != head {
				t.Errorf("head %+v, want the known one", got)
			}
			r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{})
			if err != nil || r.Valid {
				t.Errorf("report %+v, error %v", r, err)
			}
		})
	}
}

func TestReaderWhileOthersAppend(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, file.Options{})
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if _, err := s.Append(t.Context(), audittest.Event(i)); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 50 {
		r, err := file.Verify(file.Path(dir, "test"), audit.VerifyOptions{Chain: "test", Strict: true})
		if err != nil || !r.Valid {
			t.Errorf("report %+v, error %v", r, err)
		}
		if r, err = audit.Verify(t.Context(), s, audit.VerifyOptions{}); err != nil || !r.Valid {
			t.Errorf("report %+v, error %v", r, err)
		}
	}
	close(stop)
	group.Wait()
}

func TestVerifyOfOddFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.jsonl")
	r, err := file.Verify(path, audit.VerifyOptions{})
	if err != nil || r.Valid || r.Reason != audit.Missing {
		t.Errorf("no file: %+v, %v", r, err)
	}
	if _, err := file.Verify(dir, audit.VerifyOptions{}); err == nil {
		t.Error("a directory was verified")
	}
	s := open(t, dir, file.Options{})
	mustAppend(t, s, audittest.Event(1))
	s.Close()
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(`{"actor":"tes`)
	f.Close()
	r, err = file.Verify(path, audit.VerifyOptions{})
	want := audit.Warning{Kind: audit.TornTail, Seq: 3, Count: 13}
	if err != nil || !r.Valid || r.Entries != 2 || len(r.Warnings) != 1 || r.Warnings[0] != want {
		t.Errorf("torn tail: %+v, %v", r, err)
	}
	os.WriteFile(path, make([]byte, 200_000), 0o600)
	if r, err = file.Verify(path, audit.VerifyOptions{}); err != nil || r.Valid {
		t.Errorf("no newline: %+v, %v", r, err)
	}
}

func indexAfter(b []byte, c byte) int {
	for i := range b {
		if b[i] == c {
			return i + 1
		}
	}
	return 0
}

func mustAppend(t *testing.T, s audit.Store, events ...audit.Event) []audit.Entry {
	t.Helper()
	entries, err := s.Append(t.Context(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func mustHead(t *testing.T, s audit.Store) audit.Head {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// checkFile verifies a file strictly and expects so many entries.
func checkFile(t *testing.T, path string, entries uint64) {
	t.Helper()
	r, err := file.Verify(path, audit.VerifyOptions{Chain: "test", Strict: true})
	if err != nil || !r.Valid || r.Entries != entries || len(r.Warnings) > 0 {
		t.Fatalf("want %d entries; report %+v, error %v", entries, r, err)
	}
}
