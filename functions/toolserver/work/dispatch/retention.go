package dispatch

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Limits of what is kept of ended dispatches. A log may take 10 MiB, so only listed
// dispatches keep theirs. A record and the tokens that it used take a few kilobytes, and
// usage_report looks 90 days back.
const (
	Listed   = 50
	mostKept = 1000
	keptFor  = 90 * 24 * time.Hour
)

// prune removes expired records and logs. The lock is held, and the records are sorted, the
// newest first. It keeps no state: after a crash the next call removes the rest.
func (d *Dispatcher) prune(records []Record) {
	known := map[string]bool{}
	ended := 0
	for _, r := range records {
		known[r.ID] = true
		if d.alive(r) || d.watches(r.ID) {
			continue
		}

		ended++
		folder := filepath.Join(d.dir, r.ID)
		switch {
		case ended > mostKept, r.isOld(d.deps.Now()):
			discard(folder)
		case ended > Listed:
			discard(filepath.Join(folder, "log"))
			discard(filepath.Join(folder, taskFile))
			discard(d.notes(r.ID))
		}
	}

	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return // the next start says so
	}

	for _, e := range entries {
		_, err := os.Lstat(filepath.Join(d.dir, e.Name(), "record.json"))
		if e.IsDir() &&
			!known[e.Name()] &&
			errors.Is(err, fs.ErrNotExist) { // of a start that failed, or removed halfway
			discard(filepath.Join(d.dir, e.Name()))
		}
	}
}

// isOld reports whether a dispatch ended too long ago. When one ended whose record is
// damaged its age is unknown; it counts among the others.
func (r Record) isOld(now time.Time) bool {
	at := r.StartedAt
	if r.EndedAt != nil {
		at = *r.EndedAt
	}
	return !at.IsZero() && now.Sub(at) > keptFor
}

func discard(path string) {
	if err := os.RemoveAll(path); err != nil {
		slog.Warn("dispatch: what is kept no longer cannot be removed",
			"name", filepath.Base(path),
			"error", err.Error())
	}
}
