package facts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"governance.internal/functions/toolserver/guard/workspace"
)

// journalFile says which facts are being written.
const journalFile = workspace.StateDir + "/facts.db"

// lockLimit is how long a call waits for another process.
const lockLimit = 5 * time.Second

// ErrBusy says that another process holds the journal.
var ErrBusy = errors.New("another process keeps facts; try again")

var pending = []byte("pending")

// work is a fact that is being written, and where.
type work struct {
	Fact Fact   `json:"fact"`
	File string `json:"file"`
	Sink string `json:"sink,omitempty"`
}

// journal holds the facts whose writing has begun. Only one process has it at a time.
type journal struct {
	*bbolt.DB
}

func openJournal(w *workspace.Workspace) (*journal, error) {
	db, err := bbolt.Open(journalFile, 0o600, &bbolt.Options{
		Timeout:  lockLimit,
		OpenFile: w.OpenState,
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, FileError{journalFile, err}
	}
	return &journal{db}, nil
}

func (j *journal) put(w work) error {
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return j.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(pending)
		if err != nil {
			return err
		}
		return bucket.Put([]byte(w.Fact.ID), text)
	})
}

func (j *journal) drop(w work) error {
	return j.dropID(w.Fact.ID)
}

func (j *journal) dropID(id string) error {
	return j.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(pending)
		if bucket == nil {
			return nil
		}
		return bucket.Delete([]byte(id))
	})
}

// begun are the facts whose writing was cut short, the oldest first. What cannot be read is
// taken out.
func (j *journal) begun() ([]work, error) {
	var list []work
	var damaged []string
	err := j.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(pending)
		if bucket == nil {
			return nil
		}
		return bucket.ForEach(func(id, text []byte) error {
			var w work
			if json.Unmarshal(text, &w) != nil || !w.Fact.isWhole() || w.Fact.ID != string(id) {
				damaged = append(damaged, string(id))
				return nil
			}
			list = append(list, w)
			return nil
		})
	})

	for _, id := range damaged {
		err = errors.Join(err, j.dropID(id))
	}
	return list, err
}

// completeAll completes the facts whose writing was cut short.
func (s *Store) completeAll(ctx context.Context, j *journal) error {
	list, err := j.begun()
	if err != nil {
		return err
	}
	for _, w := range list {
		if err := s.complete(context.WithoutCancel(ctx), j, w); err != nil {
			return errors.Join(ErrUnfinished, err)
		}
	}
	return nil
}

// complete writes what is missing of a fact. The guard is asked again: if its sink may not be
// written any more, the fact is kept without.
func (s *Store) complete(ctx context.Context, j *journal, w work) error {
	if w.Sink != "" && !s.isInSink(w) {
		err := s.May(ctx, w.Sink)
		if err == nil {
			err = s.addToSink(w.Sink, w.Fact)
		}
		if err != nil {
			slog.WarnContext(ctx, "a fact is kept without its sink", "id", w.Fact.ID, "error", err.Error())
			w.Fact.Processed = false
		}
	}

	if err := s.addToDay(w.File, w.Fact); err != nil {
		return FileError{w.File, err}
	}
	if _, err := s.record(ctx, w, true); err != nil {
		return err
	}
	return j.drop(w)
}

// isInSink reports whether the writing was cut short after the sink.
func (s *Store) isInSink(w work) bool {
	text, err := s.readForAppend(w.Sink)
	return err == nil && holds(text, w.Fact.mark())
}
