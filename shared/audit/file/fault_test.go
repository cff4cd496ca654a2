package file_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/file"
)

const chainFile = "d/test.jsonl"

func openFault(t *testing.T, f *faultFS) *file.Store {
	t.Helper()
	return open(t, "d", file.Options{FS: f})
}

// check verifies what the file system holds and returns its entries by id.
func check(t *testing.T, f *faultFS) map[string]audit.Entry {
	t.Helper()
	lines := f.contents(chainFile)
	r, err := audit.VerifyBytes(lines, audit.VerifyOptions{Chain: "test", Strict: true})
	if err != nil || !r.Valid {
		t.Fatalf("report %+v, error %v", r, err)
	}
	byID := map[string]audit.Entry{}
	for line := range bytes.Lines(lines) {
		e, err := audit.ParseEntry(bytes.TrimSuffix(line, []byte("\n")))
		if _, twice := byID[e.ID]; err != nil || twice {
			t.Fatalf("entry %d: id twice is %v, error %v", e.Seq, twice, err)
		}
		byID[e.ID] = e
	}
	return byID
}

func TestTornWriteAtEachLength(t *testing.T) {
	f := newFaultFS()
	s := openFault(t, f)
	mustAppend(t, s, audittest.Event(1))
	safe := len(f.contents(chainFile))
	mustAppend(t, s, audittest.Event(2), audittest.Event(3))
	all := f.contents(chainFile)
	ends := map[int]bool{safe: true, len(all): true, safe + bytes.IndexByte(all[safe:], '\n') + 1: true}

	for n := safe; n <= len(all); n++ {
		g := newFaultFS()
		g.set(chainFile, all[:n])
		s := openFault(t, g)
		mustAppend(t, s, audittest.Event(1), audittest.Event(2), audittest.Event(3))
		s.Close()
		byID := check(t, g)
		torn := g.names("torn-")
		if ends[n] != (len(torn) == 0) || len(byID) != 4+len(torn) {
			t.Fatalf("cut at %d: %d entries, torn files %v", n, len(byID), torn)
		}
		if len(torn) == 0 {
			continue
		}
		begin := bytes.LastIndexByte(all[:n], '\n') + 1
		if got := g.contents(torn[0]); !bytes.Equal(got, all[begin:n]) {
			t.Fatalf("cut at %d: saved %q", n, got)
		}
		if !strings.Contains(string(g.contents(chainFile)), `"event":"chain.recovered"`) {
			t.Fatalf("cut at %d: recovery is not recorded", n)
		}
	}
}

func TestTornGenesis(t *testing.T) {
	f := newFaultFS()
	openFault(t, f).Close()
	all := f.contents(chainFile)
	for n := range len(all) {
		g := newFaultFS()
		g.set(chainFile, all[:n])
		openFault(t, g).Close()
		if got := len(check(t, g)); got != 1+min(n, 1) {
			t.Fatalf("cut at %d: %d entries", n, got)
		}
	}
}

func TestSyncErrorPoisons(t *testing.T) {
	f := newFaultFS()
	s := openFault(t, f)
	mustAppend(t, s, audittest.Event(1))
	head := mustHead(t, s)
	f.setHook(func(op, name string) (int, error) {
		if op == "sync" {
			return 0, syscall.EIO
		}
		return 0, nil
	})
	_, err := s.Append(t.Context(), audittest.Event(2), audittest.Event(3))
	unknown, ok := errors.AsType[audit.Unknown](err)
	if !ok || unknown.ID != audittest.Event(2).ID || !errors.Is(err, audit.ErrPoisoned) || !errors.Is(err, syscall.EIO) {
		t.Errorf("first error %v", err)
	}
	f.setHook(nil)
	_, err = s.Append(t.Context(), audittest.Event(4))
	if !errors.Is(err, audit.ErrPoisoned) || errors.As(err, new(audit.Unknown)) {
		t.Errorf("second error %v", err)
	}
	if got := mustHead(t, s); got != head {
		t.Errorf("head %+v, want the durable one", got)
	}
	if r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{}); err != nil || !r.Valid || r.Entries != 2 {
		t.Errorf("report %+v, error %v", r, err)
	}
	s.Close()
	s = openFault(t, f)
	mustAppend(t, s, audittest.Event(2), audittest.Event(3), audittest.Event(4))
	if got := len(check(t, f)); got != 5 {
		t.Errorf("%d entries", got)
	}
}

func TestFullDiskLeavesNothing(t *testing.T) {
	for keep := range 900 {
		f := newFaultFS()
		s := openFault(t, f)
		before := f.contents(chainFile)
		f.setHook(func(op, name string) (int, error) {
			if op == "write" {
				return keep, syscall.ENOSPC
			}
			return 0, nil
		})
		_, err := s.Append(t.Context(), audittest.Event(1), audittest.Event(2))
		if !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(audit.Unknown)) {
			t.Fatalf("keeping %d: error %v", keep, err)
		}
		if !bytes.Equal(f.contents(chainFile), before) || !bytes.Equal(f.crash(0).contents(chainFile), before) {
			t.Fatalf("keeping %d: something was left", keep)
		}
		f.setHook(nil)
		mustAppend(t, s, audittest.Event(1), audittest.Event(2))
		check(t, f)
	}
}

func TestFullDiskThatCannotBeCutBackPoisons(t *testing.T) {
	f := newFaultFS()
	s := openFault(t, f)
	f.setHook(func(op, name string) (int, error) {
		if op == "write" || op == "truncate" {
			return 10, syscall.ENOSPC
		}
		return 0, nil
	})
	_, err := s.Append(t.Context(), audittest.Event(1))
	if !errors.As(err, new(audit.Unknown)) || !errors.Is(err, audit.ErrPoisoned) {
		t.Errorf("error %v", err)
	}
}

func TestReadOnlyDirectorySaysWhatToDo(t *testing.T) {
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS} {
		f := newFaultFS()
		f.setHook(func(op, name string) (int, error) { return 0, cause })
		_, err := file.Open("d", "test", file.Options{FS: f})
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "OpenReader") {
			t.Errorf("error %v", err)
		}
	}
}

func TestContextEndsWhileWriting(t *testing.T) {
	f := newFaultFS()
	s := openFault(t, f)
	entered, release := make(chan struct{}), make(chan struct{})
	f.setHook(func(op, name string) (int, error) {
		if op == "sync" {
			close(entered)
			<-release
		}
		return 0, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	_, err := s.Append(ctx, audittest.Event(1))
	unknown, ok := errors.AsType[audit.Unknown](err)
	if !ok || unknown.ID != audittest.Event(1).ID || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.setHook(nil)
	close(release)
	if e := mustAppend(t, s, audittest.Event(1))[0]; e.Seq != 2 || len(check(t, f)) != 2 {
		t.Errorf("entry %+v", e)
	}
}

func TestContextEndsWhileAnotherProcessHoldsTheLock(t *testing.T) {
	f := newFaultFS()
	s := openFault(t, f)
	f.mu.Lock()
	lock := f.files["d/test.lock"]
	f.mu.Unlock()
	lock.lock.Lock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := s.Append(ctx, audittest.Event(1))
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(audit.Unknown)) {
		t.Errorf("error %v", err)
	}
	lock.lock.Unlock()
	mustAppend(t, s, audittest.Event(2))
	if _, recorded := check(t, f)[audittest.Event(1).ID]; recorded {
		t.Error("a withdrawn event was recorded")
	}
}

// TestHistories runs random histories of appends, crashes at any operation and
// restarts, and checks: what was acknowledged is in the chain with the same hash,
// the chain is whole, and no id is there twice.
func TestHistories(t *testing.T) {
	histories := 400
	if testing.Short() {
		histories = 100
	}
	for seed := range histories {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		f := newFaultFS()
		acknowledged := map[string]audit.Hash{}
		for range 6 {
			live(t, f, random, acknowledged)
			f = f.crash(random.IntN(1200))
		}
		openFault(t, f).Close()
		byID := check(t, f)
		for id, hash := range acknowledged {
			if byID[id].Hash != hash {
				t.Fatalf("seed %d: acknowledged entry %s is %+v", seed, id, byID[id])
			}
		}
	}
}

// live opens a store and appends until a random operation kills it.
func live(t *testing.T, f *faultFS, random *rand.Rand, acknowledged map[string]audit.Hash) {
	life, keep := random.IntN(25), random.IntN(1000)
	f.setHook(func(op, name string) (int, error) {
		if life--; life < 0 {
			defer func() { keep = 0 }()
			return keep, errDead
		}
		return 0, nil
	})
	s, err := file.Open("d", "test", file.Options{FS: f, Now: func() time.Time {
		return time.Unix(1_800_000_000+random.Int64N(100), 0) // a clock that jumps
	}})
	if err != nil {
		if !errors.Is(err, errDead) {
			t.Fatalf("open: %v", err)
		}
		return
	}
	for {
		first := random.IntN(30)
		events := []audit.Event{audittest.Event(first), audittest.Event(first + 1)}
		entries, err := s.Append(t.Context(), events...)
		if err != nil {
			if !errors.Is(err, errDead) && !errors.Is(err, audit.ErrPoisoned) {
				t.Fatalf("append: %v", err)
			}
			break
		}
		for _, e := range entries {
			if hash, ok := acknowledged[e.ID]; ok && hash != e.Hash {
				t.Fatalf("%s was acknowledged with two hashes", e.ID)
			}
			acknowledged[e.ID] = e.Hash
		}
	}
	s.Close()
}
