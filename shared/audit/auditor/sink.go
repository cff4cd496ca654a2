package auditor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"governance.internal/shared/audit"
)

// Sink stores checkpoints in a place that a writer of the chain cannot change. A sink
// that fails does not block the others: the next run sends it the then current
// checkpoint, which covers those that it missed, and answers report its lag.
type Sink interface {
	// Name names the sink in answers. It must pass [audit.CheckNoteName].
	Name() string
	// Every is the min time between two checkpoints for this sink, 0 for none.
	Every() time.Duration
	// Put delivers a checkpoint; repeating one is no error. It returns a public receipt:
	// a checkpoint with a witness's signature, the hash of a transaction, or "".
	Put(ctx context.Context, p Publication) (receipt string, err error)
}

// Publication is a checkpoint for the sinks.
type Publication struct {
	audit.Checkpoint
	Signed []byte
	// Prove returns the proof that the checkpoint's tree begins with that of its first
	// old entries, nothing for 0.
	Prove func(ctx context.Context, old uint64) ([]audit.Hash, error)
}

// SinkState is the state of a sink.
type SinkState struct {
	Sink         string     `json:"sink"`
	Size         uint64     `json:"size"` // entries of the last checkpoint that it took, 0 for none
	At           *time.Time `json:"at"`   // when it took it, null for never
	LagEntries   uint64     `json:"lag_entries"`
	FailingSince *time.Time `json:"failing_since"`     // null while it works
	Receipt      string     `json:"receipt,omitempty"` // a witness's: the checkpoint with its signature; a memo's: the transaction
}

const sinksNote = "sinks"

// Publish signs a checkpoint and sends it to the sinks that have an older one. Its
// error joins those of the sinks that failed. An invalid chain is an error, too.
func (a *Auditor) Publish(ctx context.Context) error {
	old, states, err := a.sinkStates(ctx)
	if err != nil {
		return err
	}

	head, err := a.Store.Head(ctx)
	if err != nil || a.allHave(states, head.Seq) {
		return err
	}

	v, err := a.Verify(ctx, Request{})
	if err != nil {
		return err
	}
	if !v.Valid {
		return fmt.Errorf("audit: nothing to publish: the chain breaks at entry %d: %s", *v.BrokenAt, v.Reason)
	}

	checkpoint, err := a.Notary.Open([]byte(v.Checkpoint))
	if err != nil {
		return err
	}

	publication := Publication{
		Checkpoint: checkpoint,
		Signed:     []byte(v.Checkpoint),
		Prove: func(ctx context.Context, old uint64) ([]audit.Hash, error) {
			if old == 0 {
				return nil, nil
			}
			return audit.ProveConsistency(old, checkpoint.Size, audit.NodesOf(ctx, a.Store, checkpoint.Size))
		},
	}

	var failed []error
	next := make([]SinkState, len(a.Sinks))
	for i, sink := range a.Sinks {
		next[i], err = a.put(ctx, sink, publication, stateOf(states, sink.Name()))
		failed = append(failed, err)
	}

	text, err := json.Marshal(next)
	if err == nil {
		err = a.Notes.SetNote(ctx, sinksNote, old, text)
	}
	if errors.Is(err, audit.ErrNoteChanged) {
		err = nil // another run stored its own
	}

	return errors.Join(append(failed, err)...)
}

// allHave reports whether every sink has a checkpoint of this size.
func (a *Auditor) allHave(states []SinkState, size uint64) bool {
	for _, sink := range a.Sinks {
		was := stateOf(states, sink.Name())
		if a.isDue(sink, was, size) {
			return false
		}
	}
	return true
}

// isDue reports whether a checkpoint of this size is due for a sink.
func (a *Auditor) isDue(s Sink, was SinkState, size uint64) bool {
	if was.FailingSince != nil {
		return true
	}
	if was.Size >= size {
		return false
	}
	if was.At == nil {
		return true
	}

	age := a.Now().Sub(*was.At)
	return age >= s.Every()
}

// put sends a checkpoint to one sink.
func (a *Auditor) put(ctx context.Context, sink Sink, p Publication, was SinkState) (SinkState, error) {
	if !a.isDue(sink, was, p.Size) {
		return was, nil
	}
	receipt, err := sink.Put(ctx, p)
	now := a.Now().Round(0).UTC()
	if err == nil {
		return SinkState{
			Sink:    sink.Name(),
			Size:    p.Size,
			At:      &now,
			Receipt: receipt,
		}, nil
	}

	slog.WarnContext(ctx, "checkpoint not published",
		"sink", sink.Name(), "size", p.Size, "error", err.Error())
	if was.FailingSince == nil {
		was.FailingSince = &now
	}

	return was, fmt.Errorf("sink %s: %w", sink.Name(), err)
}

func stateOf(states []SinkState, name string) SinkState {
	for _, s := range states {
		if s.Sink == name {
			return s
		}
	}
	return SinkState{Sink: name}
}

func (a *Auditor) sinkStates(ctx context.Context) (text []byte, states []SinkState, err error) {
	text, err = a.Notes.Note(ctx, sinksNote)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &states)
	}
	return text, states, err
}

// published returns the states of the sinks, for an answer about a chain with this
// head.
func (a *Auditor) published(ctx context.Context, head uint64) ([]SinkState, error) {
	_, states, err := a.sinkStates(ctx)
	for i := range states {
		states[i].LagEntries = head - min(states[i].Size, head)
	}
	return states, err
}
