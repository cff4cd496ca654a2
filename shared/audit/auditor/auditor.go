// Package auditor verifies the audit chain of a deployment on request and keeps the
// results.
//
// # What it keeps
//
// Three notes are stored beside the chain ([audit.Notes]), the first two signed by the
// chain's [audit.Notary]:
//
//   - checkpoint: the last signed checkpoint. The auditor signs no other one that
//     contradicts it, so as long as the note exists, two holders of checkpoints are
//     never shown two chains.
//   - full-walk: the result of the last reading of the whole chain. Reading a long
//     chain in full for each buyer would cost more than the price of the call and
//     exceed the time limit of a gateway. [Auditor.Walk] reads it in full on a
//     schedule, and a call reads the entries since then. Its report says so.
//   - sinks: the last checkpoint that each sink took ([Auditor.Publish]). It is not
//     signed and only shows their lag.
//
// A writer of the notes can remove them or restore older ones. Buyers and sinks detect
// that: each published checkpoint exposes a chain that no longer leads to it, and a
// report names the age of the walk that it relies on.
package auditor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

// Auditor is safe for concurrent use.
type Auditor struct {
	Store   audit.Store
	Sealed  *sealed.Store // Store, if it has sealed segments; else nil
	Notes   audit.Notes
	Notary  *audit.Notary
	Chain   string                // name that the chain must have
	Anchors func() []audit.Anchor // heads that it must contain; nil for none
	Sinks   []Sink
	Now     func() time.Time
}

const (
	// alwaysFull is the max number of entries of a chain that every call reads in full:
	// about 2 MB.
	alwaysFull = 4096

	maxTries = 8
)

// Names of notes.
const (
	checkpointNote = "checkpoint"
	walkNote       = "full-walk"
)

// Names of anchors in reports.
const (
	lastCheckpoint = "last_checkpoint"
	yourCheckpoint = "your_checkpoint"
)

// Request is what a caller asks for besides the verdict.
type Request struct {
	Earlier *audit.Checkpoint // that the caller kept
	Seq     uint64            // of an entry to prove, 0 for none
}

// Report verifies the chain, also against further anchors, and signs nothing. An
// error means that the chain or its notes could not be read.
func (a *Auditor) Report(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
	report, _, err := a.report(ctx, further)
	return report, err
}

// Verify is Report and, if the chain is valid, signs and proves. An error may also
// mean that the checkpoint could not be stored.
func (a *Auditor) Verify(ctx context.Context, r Request) (Verification, error) {
	var further []audit.Anchor
	if r.Earlier != nil {
		further = []audit.Anchor{{Kind: yourCheckpoint, Size: r.Earlier.Size, Root: r.Earlier.Root}}
	}

	report, last, err := a.report(ctx, further)
	v := Verification{Report: report, VKey: a.Notary.Key}
	if err != nil || !v.Valid {
		return v, err
	}

	signed, err := a.sign(ctx, v.Report, last)
	if err != nil {
		return v, err
	}

	v.Checkpoint = string(signed)
	v.Anchors, err = a.published(ctx, v.Head.Seq)
	if err != nil {
		return v, err
	}

	return v, a.prove(ctx, r, &v)
}

// report verifies and returns the last checkpoint that the chain was compared with.
func (a *Auditor) report(ctx context.Context, further []audit.Anchor) (audit.Report, noted, error) {
	anchors := append(a.anchors(), further...)
	last, err := a.lastCheckpoint(ctx)
	if err != nil {
		return audit.Report{}, last, err
	}

	walk, err := a.lastWalk(ctx)
	if err != nil {
		return audit.Report{}, last, err
	}
	if walk.broken() {
		return walk.retold(a.Now()), last, nil
	}

	report, err := audit.Verify(ctx, a.Store, audit.VerifyOptions{
		Chain:   a.Chain,
		Anchors: append(anchors, last.anchors()...),
		Strict:  true,
		Tree:    true,
		After:   walk.prefix(),
		Now:     a.Now,
	})
	if err == nil {
		err = a.sample(ctx, &report)
	}

	return report, last, err
}

func (a *Auditor) anchors() []audit.Anchor {
	if a.Anchors == nil {
		return nil
	}
	return a.Anchors()
}

// noted is a checkpoint as it is noted.
type noted struct {
	text []byte // nil if there is none
	audit.Checkpoint
}

func (n noted) anchors() []audit.Anchor {
	if n.text == nil {
		return nil
	}
	return []audit.Anchor{{Kind: lastCheckpoint, Size: n.Size, Root: n.Root}}
}

func (a *Auditor) lastCheckpoint(ctx context.Context) (noted, error) {
	text, err := a.Notes.Note(ctx, checkpointNote)
	if err != nil || text == nil {
		return noted{}, err
	}
	c, err := a.Notary.Open(text)
	if err != nil {
		return noted{}, fmt.Errorf("the last checkpoint, the note %s: %w", checkpointNote, err)
	}
	return noted{text, c}, nil
}

// Begun reports whether there is a chain to maintain: entries, or a note of earlier
// entries. Before the first sale a table holds neither.
func (a *Auditor) Begun(ctx context.Context) (bool, error) {
	head, err := a.Store.Head(ctx)
	if err != nil || head.Seq > 0 {
		return err == nil, err
	}
	for _, name := range []string{checkpointNote, walkNote, sinksNote} {
		note, err := a.Notes.Note(ctx, name)
		if err != nil || note != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// sign returns the signed checkpoint of a valid report, after comparing it with the
// last signed one; last is the one that the report was compared with. Checkpoints that
// other processes sign meanwhile are compared, too.
func (a *Auditor) sign(ctx context.Context, r audit.Report, last noted) ([]byte, error) {
	signed, err := a.Notary.Sign(r)
	if err != nil {
		return nil, err
	}

	for range maxTries {
		switch {
		case last.text != nil && last.Size > r.Head.Seq:
			return signed, nil // theirs covers ours, as agrees found
		case last.text != nil && last.Size == r.Head.Seq:
			return last.text, nil
		}

		err = a.Notes.SetNote(ctx, checkpointNote, last.text, signed)
		if !errors.Is(err, audit.ErrNoteChanged) {
			return signed, err
		}
		if last, err = a.lastCheckpoint(ctx); err != nil {
			return nil, err
		}
		if err = a.agrees(ctx, r, last); err != nil {
			return nil, err
		}

		pause(ctx)
	}

	return nil, audit.ErrNoteChanged
}

// agrees compares a checkpoint that was signed meanwhile.
func (a *Auditor) agrees(ctx context.Context, r audit.Report, other noted) error {
	again, err := audit.Verify(
		ctx,
		a.Store,
		audit.VerifyOptions{
			After:   r.AsPrefix(),
			Anchors: other.anchors(),
			Now:     a.Now,
		},
	)
	if err == nil && !again.Valid {
		err = fmt.Errorf("audit: a checkpoint of %d entries, signed meanwhile, is of another chain: %w",
			other.Size, audit.ErrTampered)
	}
	return err
}

// pause waits for another signer to finish.
func pause(ctx context.Context) {
	select {
	case <-time.After(rand.N(20 * time.Millisecond)):
	case <-ctx.Done():
	}
}
