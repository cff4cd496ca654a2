package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// Event is the type of the audit entry of a fact.
const Event = "SESSION_PERSIST"

// What became of a note.
const (
	Persisted = "persisted"
	Duplicate = "duplicate" // the same was kept on the same day
)

// Errors of a note.
var (
	ErrNoTitle   = errors.New("the title has no character that shows")
	ErrNoContent = errors.New("the content has no character that shows")

	// ErrUnfinished says that a fact is written in part. The next call completes it.
	ErrUnfinished = errors.New("the fact is not everywhere yet where it belongs")
)

// Store keeps the facts of a workspace. It is safe for concurrent use, and several processes
// may have one of the same workspace.
type Store struct {
	Workspace *workspace.Workspace
	Now       func() time.Time
	Random    io.Reader

	// May asks the guard whether a file may be written; an error says that it may not.
	May func(ctx context.Context, name string) error

	// Record makes an audit entry and returns its id.
	Record func(ctx context.Context, event string, detail map[string]any) (string, error)

	mu sync.Mutex // calls of one process wait here, others for the journal
}

// Kept is what became of a note.
type Kept struct {
	Status string
	File   string
	Fact   Fact
	Sink   string // file for people to which it was added, "" for none
	Entry  string // id of the audit entry, "" for a duplicate
}

// Keep keeps a note for good. A note that the guard refuses is kept nowhere.
func (s *Store) Keep(ctx context.Context, note Note) (Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	state, err := s.Workspace.Load()
	if err != nil {
		return Kept{}, err
	}
	fact := note.fact(s.Workspace.Hide)
	switch {
	case fact.Title == "":
		return Kept{}, ErrNoTitle
	case strings.TrimSpace(fact.Content) == "":
		return Kept{}, ErrNoContent
	}

	journal, err := openJournal(s.Workspace)
	if err != nil {
		return Kept{}, err
	}
	kept, err := s.keep(ctx, journal, state.Config.Session, fact)
	return kept, errors.Join(err, journal.Close())
}

// keep keeps a fact while no other process does.
func (s *Store) keep(ctx context.Context, j *journal, config workspace.Session, fact Fact) (Kept, error) {
	if err := s.completeAll(ctx, j); err != nil {
		return Kept{}, err
	}

	fact.Timestamp = s.Now().UTC()
	file := fileOf(config.FactsDir, fact.Timestamp)
	same, err := s.sameOf(file, fact)
	if err != nil {
		return Kept{}, err
	}
	if same != nil {
		return Kept{
			Status: Duplicate,
			File:   file,
			Fact:   *same,
		}, nil
	}

	sink, err := sinkOf(config.Sinks, fact)
	if err != nil {
		return Kept{}, err
	}
	if err := s.mayWrite(ctx, file, sink); err != nil {
		return Kept{}, err
	}
	if fact.ID, err = audit.NewID(fact.Timestamp, s.Random); err != nil {
		return Kept{}, err
	}
	fact.Processed = sink != ""

	entry, err := s.write(ctx, j, work{
		Fact: fact,
		File: file,
		Sink: sink,
	})
	return Kept{
		Status: Persisted,
		File:   file,
		Fact:   fact,
		Sink:   sink,
		Entry:  entry,
	}, err
}

// fileOf is the file of a day.
func fileOf(folder string, day time.Time) string {
	return path.Join(folder, day.Format(time.DateOnly)+".jsonl")
}

// sameOf looks for a fact that says the same on the same day.
func (s *Store) sameOf(file string, fact Fact) (*Fact, error) {
	text, err := s.readForAppend(file)
	if err != nil {
		return nil, FileError{file, err}
	}

	list, _ := parse(text)
	for _, each := range list {
		if each.isSame(fact) {
			return &each, nil
		}
	}
	return nil, nil
}

// mayWrite asks the guard about the files that are written. What the service keeps for
// itself is no agent's, so the guard has no say there.
func (s *Store) mayWrite(ctx context.Context, file, sink string) error {
	if !strings.HasPrefix(file, workspace.StateDir+"/") {
		if err := s.May(ctx, file); err != nil {
			return err
		}
	}
	if sink == "" {
		return nil
	}
	return s.May(ctx, sink)
}

// write writes a fact to its three places. If the first one cannot be written, it is
// written nowhere.
func (s *Store) write(ctx context.Context, j *journal, w work) (string, error) {
	ctx = context.WithoutCancel(ctx)
	if err := j.put(w); err != nil {
		return "", err
	}

	if w.Sink != "" {
		if err := s.addToSink(w.Sink, w.Fact); err != nil {
			return "", errors.Join(FileError{w.Sink, err}, j.drop(w))
		}
	}
	if err := s.addToDay(w.File, w.Fact); err != nil && w.Sink == "" {
		return "", errors.Join(FileError{w.File, err}, j.drop(w))
	} else if err != nil {
		return "", errors.Join(ErrUnfinished, FileError{w.File, err})
	}

	entry, err := s.record(ctx, w, false)
	if err != nil {
		return "", errors.Join(ErrUnfinished, err)
	}
	return entry, j.drop(w)
}

// addToDay adds a fact to the file of its day, unless it is there. A line that was cut short
// is ended first, so that it damages no other.
func (s *Store) addToDay(file string, f Fact) error {
	before, err := s.readForAppend(file)
	if err != nil {
		return err
	}
	list, _ := parse(before)
	for _, each := range list {
		if each.ID == f.ID {
			return nil
		}
	}

	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	text := string(line) + "\n"
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		text = "\n" + text
	}
	return s.append(file, text, 0o600)
}

// append adds a text to a file by one write.
func (s *Store) append(name, text string, mode fs.FileMode) error {
	f, err := s.Workspace.OpenState(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// record makes the audit entry of a fact: which one it is, and its title.
func (s *Store) record(ctx context.Context, w work, late bool) (string, error) {
	detail := map[string]any{
		"id":       w.Fact.ID,
		"category": w.Fact.Category,
		"title":    w.Fact.Title,
	}
	if late {
		detail["completed_later"] = true
	}
	return s.Record(ctx, Event, detail)
}

// FileError is an error of a file that a person named in the workspace file.
type FileError struct {
	Name string
	Err  error
}

func (e FileError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

func (e FileError) Unwrap() error { return e.Err }
