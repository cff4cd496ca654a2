//go:build linux

package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/audit"
)

// past leaves n dispatches that ended, one a minute, the last one before a time; it gives
// their ids, the newest first.
func (f fixture) past(n int, last time.Time) (ids []string) {
	f.Helper()
	for i := range n {
		at := last.Add(-time.Duration(i) * time.Minute)
		id, err := audit.NewID(at, f.deps.Random)
		if err != nil {
			f.Fatal(err)
		}
		ids = append(ids, id)
		folder := filepath.Join(f.Dispatcher.dir, id)
		err = os.Mkdir(folder, 0o700)
		for _, name := range []string{"log", "task.md", "usage.jsonl"} {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
		}
		if err = errors.Join(err, f.write(Record{ID: id, State: Ended, StartedAt: at, EndedAt: &at, Reason: "exit", Log: logOf(id)})); err != nil {
			f.Fatal(err)
		}
	}
	return ids
}

// files are those of a dispatch that are there.
func (f fixture) files(id string) string {
	f.Helper()
	entries, err := os.ReadDir(filepath.Join(f.Dispatcher.dir, id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		if e.Name() != "processes.json" { // it comes and goes with what lives
			names = append(names, e.Name())
		}
	}
	return fmt.Sprint(names)
}

const (
	whole    = "[log record.json task.md usage.jsonl]"
	accounts = "[record.json usage.jsonl]"
	nothing  = "[]"
)

// Logs are kept of the dispatches that are listed, accounts for a bounded number and time,
// and everything of what runs.
func TestOldDispatchesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, nil)
	running := f.start("wait")
	recent := f.past(mostKept+2, time.Now().Add(-time.Minute))
	old := f.past(2, time.Now().Add(-keptFor-time.Hour))
	f.start("wait")
	for id, want := range map[string]string{
		recent[0]: whole, recent[Listed-1]: whole, recent[Listed]: accounts, recent[mostKept-1]: accounts, recent[mostKept]: nothing, recent[mostKept+1]: nothing,
		old[0]: nothing, old[1]: nothing, running.ID: "[log record.json task.md]",
	} {
		if got := f.files(id); got != want {
			t.Errorf("%s has %s, want %s", id, got, want)
		}
	}
	active, completed, err := f.List(Listed)
	if err != nil || len(active) != 2 || len(completed) != Listed {
		t.Fatalf("%d active, %d completed, %v", len(active), len(completed), err)
	}
	for _, r := range completed { // what is listed can be read
		if _, err := os.Stat(filepath.Join(dir, r.Log)); err != nil {
			t.Error(err)
		}
	}
}

// The remains of a removal or a start that crashed are removed when the next server opens
// the directory; an agent without a record keeps its folder.
func TestARemovalThatACrashInterruptedIsFinished(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, nil)
	living := f.start("wait")
	ids := f.past(Listed+2, time.Now().Add(-time.Minute))
	halfway := filepath.Join(f.Dispatcher.dir, ids[Listed+1])
	err := errors.Join(os.Remove(filepath.Join(halfway, "record.json")), os.Remove(filepath.Join(halfway, "log")),
		os.Remove(filepath.Join(f.Dispatcher.dir, ids[Listed], "log")), os.Remove(filepath.Join(f.Dispatcher.dir, living.ID, "record.json")))
	if err != nil {
		t.Fatal(err)
	}
	open(t, dir, nil)
	if got := f.files(ids[Listed+1]); got != nothing {
		t.Errorf("left of a removal: %s", got)
	}
	if got := f.files(ids[Listed]); got != accounts {
		t.Errorf("left of a log: %s", got)
	}
	if got := f.files(living.ID); !strings.HasPrefix(got, "[log ") || !strings.HasSuffix(got, "task.md]") { // with a record again once it is ended
		t.Errorf("what lives has %s", got)
	}
}
