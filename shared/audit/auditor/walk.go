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

// fullWalk is the result of the last reading of the whole chain, nil if there was none.
type fullWalk struct {
	Report audit.Report `json:"report"`
	// Edge is that of the tree of a valid chain, from which it can be extended.
	Edge []audit.Hash `json:"edge"`
}

// Walk reads and hashes the whole chain and stores the result, on which the next calls
// of Verify rely. It also logs a broken chain; an alarm matches that line.
func (a *Auditor) Walk(ctx context.Context) (audit.Report, error) {
	last, err := a.lastCheckpoint(ctx)
	if err != nil {
		return audit.Report{}, err
	}

	report, err := audit.Verify(ctx, a.Store, audit.VerifyOptions{
		Chain:   a.Chain,
		Anchors: append(a.anchors(), last.anchors()...),
		Strict:  true,
		Tree:    true,
		Now:     a.Now,
	})
	if err != nil {
		return report, err
	}

	if !report.Valid {
		slog.ErrorContext(ctx, "audit chain broken",
			"entry", *report.BrokenAt,
			"reason", string(report.Reason))
	}

	return report, a.noteWalk(ctx, report)
}

// noteWalk stores a report, unless that of a later walk is stored.
func (a *Auditor) noteWalk(ctx context.Context, r audit.Report) error {
	w := fullWalk{Report: r}
	if p := r.AsPrefix(); p != nil {
		w.Edge = p.Tree.Edge()
	}

	text, err := json.Marshal(w)
	if err != nil {
		return err
	}

	signed, err := a.Notary.SignStatement(walkNote, text)
	for range maxTries {
		if err != nil {
			return err
		}
		var before []byte
		if before, err = a.Notes.Note(ctx, walkNote); err != nil {
			return err
		}

		old, openErr := a.openWalk(before)
		if openErr == nil &&
			old != nil &&
			old.Report.VerifiedAt.After(r.VerifiedAt) {
			return nil
		}

		err = a.Notes.SetNote(ctx, walkNote, before, signed)
		if !errors.Is(err, audit.ErrNoteChanged) {
			return err
		}
		err = nil
		pause(ctx)
	}

	return audit.ErrNoteChanged
}

func (a *Auditor) lastWalk(ctx context.Context) (*fullWalk, error) {
	text, err := a.Notes.Note(ctx, walkNote)
	if err != nil {
		return nil, err
	}
	return a.openWalk(text)
}

func (a *Auditor) openWalk(signed []byte) (*fullWalk, error) {
	if signed == nil {
		return nil, nil
	}
	text, err := a.Notary.OpenStatement(walkNote, signed)
	if err != nil {
		return nil, fmt.Errorf("the last full walk, the note %s: %w", walkNote, err)
	}

	w := new(fullWalk)
	return w, json.Unmarshal(text, w)
}

func (w *fullWalk) broken() bool {
	return w != nil && !w.Report.Valid
}

// prefix returns the entries that a call need not read again; nil if the chain is
// short or the last walk did not find it valid.
func (w *fullWalk) prefix() *audit.Prefix {
	if w == nil ||
		!w.Report.Valid ||
		w.Report.Head == nil ||
		w.Report.Head.Seq <= alwaysFull {
		return nil
	}

	tree, err := audit.TreeOf(w.Report.Head.Seq, w.Edge)
	if err != nil {
		return nil
	}

	return &audit.Prefix{
		Chain:      w.Report.Chain,
		Head:       *w.Report.Head,
		Tree:       tree,
		VerifiedAt: w.Report.VerifiedAt,
	}
}

// retold returns the report of a walk that found the chain broken, for a later call
// that read nothing: a chain stays broken until a walk finds it valid.
func (w *fullWalk) retold(now time.Time) audit.Report {
	r := w.Report
	r.Mode = "incremental"
	r.Rehashed = audit.Rehashed{}
	r.Prefix = &audit.PrefixUsed{
		To:         r.LastGoodSeq,
		VerifiedAt: r.VerifiedAt,
		AgeS:       int64(now.Sub(r.VerifiedAt).Seconds()),
	}
	return r
}
