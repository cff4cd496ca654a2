package audit

import (
	"fmt"
	"strings"
	"time"
)

const limits = "A hash chain shows that what is recorded was not changed since; " +
	"not that everything was recorded, that it is true, or that the clock was right."

// report returns the report of the walk.
func (s *session) report() Report {
	w := s.walker
	against := s.against()
	found := s.find(against)
	r := Report{
		Valid:       found.reason == "",
		Entries:     s.entries,
		Reason:      found.reason,
		LastGoodSeq: found.lastGood,
		Chain:       w.chain,
		Mode:        "full",
		Truncation:  Truncation{Against: against},
		Warnings:    []Warning{},
		Limits:      limits,
	}
	if !r.Valid {
		broken := found.lastGood + 1
		r.BrokenAt = &broken
	}

	after := s.opts.After
	first := w.began.seq + 1
	if after != nil || w.seq >= first {
		r.FirstSeq = first
		r.Head = &Head{
			Seq:  w.seq,
			Hash: parseHex(w.hash()[:]),
			Time: parseTime(w.time[:]),
		}

		if s.opts.Tree {
			root := w.tree.Root()
			r.Root = &root
			r.tree = &w.tree
		}
	}

	if w.seq >= first {
		r.Rehashed = Rehashed{
			Entries: w.seq - w.began.seq,
			Bytes:   w.bytes,
			From:    first,
			To:      w.seq,
		}
	}

	if after != nil {
		r.FirstSeq = 1
		r.Mode = "incremental"
		r.Prefix = &PrefixUsed{
			To:         after.Head.Seq,
			VerifiedAt: after.VerifiedAt.UTC(),
			AgeS:       int64(s.opts.Now().Sub(after.VerifiedAt).Seconds()),
		}
	}

	for _, a := range against {
		if a.Result != ResultNotReached {
			r.Truncation.Checked = true
		}
	}

	if w.late.count > 0 {
		r.Warnings = append(r.Warnings, Warning{
			Kind:  TimeRegression,
			Seq:   w.late.first,
			Count: w.late.count,
		})
	}

	r.Claims = s.claims(r)
	return r
}

// against lists the anchors with the results of the comparison.
func (s *session) against() []Against {
	list := make([]Against, len(s.opts.Anchors))
	for i, a := range s.opts.Anchors {
		list[i] = Against{
			Kind:   a.Kind,
			Size:   a.Size,
			Result: s.unmet(a),
		}

		if !a.Hash.IsZero() {
			list[i].Hash = &a.Hash
		}
		if !a.Root.IsZero() {
			list[i].Root = &a.Root
		}

		if !a.Time.IsZero() {
			at := a.Time.UTC()
			list[i].Time = &at
		}
	}

	for _, m := range s.walker.met {
		list[m.anchor].Result = ResultMismatch
		if m.match {
			list[m.anchor].Result = ResultMatch
		}
	}

	return list
}

// unmet is the result for an anchor that the walk did not meet.
func (s *session) unmet(a Anchor) string {
	switch {
	case s.walker.reason != "":
		return ResultNotReached
	case a.Size == 0:
		return ResultMismatch
	default:
		return ResultMissing
	}
}

// claims returns the claims of a report, in a fixed order.
func (s *session) claims(r Report) []Claim {
	return []Claim{
		s.integrity(r),
		s.anchored(r, "tail_complete", "nothing was removed from the end", false),
		s.anchored(r, "not_rewritten", "the chain was not replaced by another one", true),
		s.canonical(),
		{"all_logged", Unprovable, "A chain cannot show that every action was recorded."},
		{"payloads_true", Unprovable, "A chain cannot show that what was recorded is true."},
		{"clocks_right", Unprovable, "Times are those of the writer's clock."},
	}
}

func (s *session) integrity(r Report) Claim {
	w := s.walker
	switch {
	case w.reason != "":
		text := fmt.Sprintf("The line due at seq %d failed the test %s.", w.seq+1, w.reason)
		return Claim{"integrity", Refuted, text}
	case w.seq == w.began.seq && s.opts.After == nil:
		return Claim{"integrity", NotChecked, "There are no entries."}
	}

	const intact = "No entry from %d to %d was altered, inserted, removed or reordered relative to the head %s."
	after := s.opts.After
	if after == nil {
		text := fmt.Sprintf(intact, w.began.seq+1, w.seq, r.Head.Hash)
		return Claim{"integrity", Proved, text}
	}

	last := after.Head.Seq
	verified := after.VerifiedAt.UTC().Format(time.RFC3339)
	text := fmt.Sprintf(
		intact+" The entries up to %d were read and hashed at %s; this call would not see a change of theirs since then.",
		last+1,
		w.seq,
		r.Head.Hash,
		last,
		verified,
	)
	return Claim{"integrity", Conditional, text}
}

// anchored returns a claim that depends on anchors; with hash set, on those that
// have a hash or a root.
func (s *session) anchored(r Report, id, what string, hash bool) Claim {
	var upheld []string
	for _, a := range r.Truncation.Against {
		isBare := a.Hash == nil && a.Root == nil
		if hash && isBare {
			continue
		}

		switch a.Result {
		case ResultNotReached:
			continue
		case ResultMatch:
			upheld = append(upheld, a.label())
			continue
		case ResultMissing:
			// A shorter chain may be the true beginning.
			if hash && r.Entries > 0 {
				continue
			}
		}

		text := fmt.Sprintf("The chain contradicts the anchor %s.", a.Kind)
		return Claim{id, Refuted, text}
	}

	if len(upheld) == 0 {
		text := "No anchor, a head noted earlier, was compared; without one it cannot be told whether " + what + "."
		return Claim{id, NotChecked, text}
	}

	anchors := strings.Join(upheld, ", ")
	text := fmt.Sprintf("Up to the anchor, %s, if the anchor is genuine: %s.", what, anchors)
	return Claim{id, Conditional, text}
}

// label names an anchor in a claim.
func (a Against) label() string {
	if a.Size == 0 {
		return a.Kind
	}
	return fmt.Sprintf("%s of size %d", a.Kind, a.Size)
}

func (s *session) canonical() Claim {
	w := s.walker
	after := s.opts.After
	if w.seq == w.began.seq && after == nil {
		return Claim{"canonical", NotChecked, "There are no entries."}
	}
	if !s.opts.Strict {
		text := "The spelling of payloads was not checked; any change of stored bytes is found by the hash."
		return Claim{"canonical", NotChecked, text}
	}

	if after == nil {
		text := fmt.Sprintf("Every line up to seq %d has the one canonical spelling.", w.seq)
		return Claim{"canonical", Proved, text}
	}

	text := fmt.Sprintf(
		"Every line from %d to %d has the one canonical spelling; those before were read when the prefix was verified.",
		after.Head.Seq+1,
		w.seq,
	)
	return Claim{"canonical", Conditional, text}
}
