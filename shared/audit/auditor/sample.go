package auditor

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/sealed"
)

// sample counts the segments that a report read. If the report skipped some, sample
// reads one of them again, picked at random.
func (a *Auditor) sample(ctx context.Context, r *audit.Report) error {
	if a.Sealed == nil || r.Head == nil {
		return nil
	}
	segments, err := a.Sealed.Segments(ctx)
	if err != nil {
		return err
	}

	from := r.Head.Seq + 1
	if r.Rehashed.Entries > 0 {
		from = r.Rehashed.From
	}

	spared := slices.IndexFunc(segments, func(s sealed.Segment) bool {
		return s.Last >= from
	})
	if spared < 0 {
		spared = len(segments)
	}

	r.Segments = len(segments) - spared
	if spared == 0 {
		return nil
	}

	picked := segments[rand.IntN(spared)]
	found, err := a.Sealed.Check(ctx, picked)
	switch {
	case errors.Is(err, audit.ErrTampered):
		r.Warnings = append(r.Warnings, audit.Warning{
			Kind:  audit.ManifestMismatch,
			Seq:   picked.First,
			Count: 1,
		})
	case err != nil:
		return err
	case !found.Valid:
		r.Refute(*found.BrokenAt, found.Reason)
	}

	r.Segments++
	r.Sampled = &audit.Sampled{
		From: picked.First,
		To:   picked.Last,
		Of:   spared,
	}

	return nil
}
