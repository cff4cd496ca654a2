package killswitch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"governance.internal/functions/toolserver/work/statefile"
	"governance.internal/shared/audit"
)

// The spool holds entries that the trail could not take, a JSON object a line.
func (s *Switch) spoolFile() string {
	return filepath.Join(s.dir, "HALT.audit")
}

func (s *Switch) spool(e audit.Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}

	s.late.Lock()
	defer s.late.Unlock()

	f, err := os.OpenFile(s.spoolFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}

	_, err = f.Write(append(append([]byte("\n"), line...), '\n')) // a crash may have cut off the line before
	return errors.Join(err, f.Sync(), f.Close())
}

// Flush appends the spooled entries to the audit trail. An entry that the trail has already
// is not appended again. An empty spool costs one read. No lock is held, so a slow trail
// does not delay a halt.
func (s *Switch) Flush(ctx context.Context) error {
	s.flushing.Lock()
	defer s.flushing.Unlock()

	text, err := s.waiting()
	if err != nil || len(text) == 0 {
		return err
	}

	for line := range bytes.Lines(text) {
		var e audit.Event
		if json.Unmarshal(line, &e) != nil {
			continue // empty, or cut off by a crash while it was written
		}
		if err := s.append(ctx, e); err != nil {
			return err
		}
	}

	return s.taken(len(text))
}

// append appends one entry within the time that a trail has.
func (s *Switch) append(ctx context.Context, e audit.Event) error {
	ctx, cancel := context.WithTimeout(ctx, trailLimit)
	defer cancel()
	_, err := s.trail.Append(ctx, e)
	return err
}

func (s *Switch) waiting() ([]byte, error) {
	s.late.Lock()
	defer s.late.Unlock()
	text, err := statefile.Read(s.spoolFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// taken drops the first n bytes; others may have come meanwhile.
func (s *Switch) taken(n int) error {
	s.late.Lock()
	defer s.late.Unlock()

	text, err := statefile.Read(s.spoolFile())
	if err != nil {
		return err
	}
	if len(text) > n {
		return statefile.Replace(s.spoolFile(), text[n:])
	}
	return os.Remove(s.spoolFile())
}
