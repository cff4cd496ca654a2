package proof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Lack is a check that is not proved.
type Lack struct {
	Name string
	Why  string // and what to run
}

// Session is what one agent did in its session, or one subagent of it.
type Session struct {
	Boundary string
	ID       string
	Subagent string // "" for the session as a whole
	// Newer is a file that a check is for and that changed after a time, "" if there is none.
	// It is asked about what commands changed without naming it; nil asks nobody.
	Newer func(check workspace.Check, since time.Time) string
}

// Missing are the checks that did not succeed after the last edit that they are for. Without
// such an edit a check is not needed.
func (s Session) Missing(checks []workspace.Check, records []outcome.Record) []Lack {
	pairs := s.pairs(records)
	var lacks []Lack
	for _, check := range checks {
		edit := lastEdit(check, pairs, s.Subagent)
		if edit == nil {
			continue
		}
		run, why := proofOf(check, pairs, edit)
		if run != nil {
			why = s.stale(check, pairs, run)
		}
		if why != "" {
			lacks = append(lacks, Lack{check.Name, why + ": run " + wanted(check)})
		}
	}
	return lacks
}

// Asked reports whether a stop was refused after the last edit that any check is for.
func (s Session) Asked(checks []workspace.Check, records []outcome.Record) bool {
	pairs := s.pairs(records)
	last := uint64(0)
	for _, check := range checks {
		if e := lastEdit(check, pairs, s.Subagent); e != nil {
			last = max(last, e.seq)
		}
	}

	return slices.ContainsFunc(records, func(r outcome.Record) bool {
		return r.Seq > last && s.wasRefused(r)
	})
}

// wasRefused reports whether a record is a stop of this agent that was refused.
func (s Session) wasRefused(r outcome.Record) bool {
	stop := r.Kind == outcome.Stopped || r.Kind == outcome.SubagentStopped
	own := r.Boundary == s.Boundary &&
		r.Session == s.ID &&
		r.Actor.ID == s.Subagent
	return stop && own && r.Decision == outcome.Denied
}

// pairs are the calls of the session, oldest first. The time does not count: a call that is
// still running proves nothing.
func (s Session) pairs(records []outcome.Record) []outcome.Pair {
	var own []outcome.Record
	for _, r := range records {
		if r.Boundary == s.Boundary && r.Session == s.ID {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return nil
	}
	return outcome.Join(own, own[len(own)-1].At)
}

// edit is the last change that a check is for.
type edit struct {
	path string
	seq  uint64 // of its last record
}

// lastEdit is the last change of a file that a check is for, by a subagent or by all. A call
// of which nobody knows how it ended may have changed what it names.
func lastEdit(check workspace.Check, pairs []outcome.Pair, subagent string) *edit {
	var last *edit
	for _, p := range pairs {
		if !mayEdit(p) || subagent != "" && p.Actor().ID != subagent {
			continue
		}
		if path := edited(check, p); path != "" {
			last = &edit{path, lastSeq(p)}
		}
	}
	return last
}

// edited is a file that a check is for and that a call changed, "" if there is none.
func edited(check workspace.Check, p outcome.Pair) string {
	for _, file := range p.Intent.Files {
		target := file.Operation != "" && IsFor(check, file.Path)
		if target && !unchanged(p, file) {
			return file.Path
		}
	}
	return ""
}

func mayEdit(p outcome.Pair) bool {
	notApplied := p.State == outcome.Failed && p.Outcome.Settled
	return p.Intent != nil &&
		!p.Intent.Reads &&
		!notApplied &&
		p.State != outcome.NotRun &&
		p.State != outcome.Refused
}

func lastSeq(p outcome.Pair) uint64 {
	if p.Outcome != nil {
		return p.Outcome.Seq
	}
	return p.Intent.Seq
}

// unchanged reports whether a file was the same before and after a call.
func unchanged(p outcome.Pair, file outcome.File) bool {
	if p.Outcome == nil || file.Digest == "" || file.Digest == outcome.Folder {
		return false
	}
	for _, after := range p.Outcome.Files {
		if after.Path == file.Path {
			return after.Digest == file.Digest
		}
	}
	return false
}

// IsFor reports whether a check is for a file.
func IsFor(check workspace.Check, path string) bool {
	if len(check.Paths) == 0 {
		return true
	}
	for _, glob := range check.Paths {
		if matcher, err := policy.Compile(glob.Pattern, false); err == nil && matcher.Match(path) {
			return true
		}
	}
	return false
}

// proofOf is the run that proves a check after an edit, or says why there is none.
func proofOf(check workspace.Check, pairs []outcome.Pair, after *edit) (run *outcome.Pair, why string) {
	why = "it did not run after the last edit (" + after.path + ")"
	for i, p := range pairs {
		if p.Intent == nil || p.Intent.Seq < after.seq {
			continue
		}
		for _, ran := range p.Intent.Checks {
			if ran.Name != check.Name {
				continue
			}
			if why = refutes(check, p, ran); why == "" {
				return &pairs[i], ""
			}
		}
	}
	return nil, why
}

// stale says why a proof does not count any more, "" if it does: a later call may have changed
// files that it does not name.
func (s Session) stale(check workspace.Check, pairs []outcome.Pair, run *outcome.Pair) string {
	if s.Newer == nil || len(check.Paths) == 0 {
		return ""
	}
	for _, p := range pairs {
		if !mayEdit(p) || p.Intent.Seq < run.Outcome.Seq || len(p.Intent.Checks) > 0 {
			continue
		}
		if file := s.Newer(check, run.Outcome.At); file != "" {
			return file + " changed after it ran"
		}
		return ""
	}
	return ""
}

// refutes says why a run of a check does not prove it, "" if it does.
func refutes(check workspace.Check, p outcome.Pair, run outcome.Ran) string {
	if p.Outcome == nil {
		return "nobody knows how its run ended"
	}
	if p.State == outcome.Failed {
		return "it failed"
	}

	ran := p.State == outcome.Succeeded || p.State == outcome.Ended
	switch {
	case !ran:
		return "it was not run"
	case !run.Proves:
		return "it ran in a command that hides whether it succeeded"
	case p.Outcome.Exit == nil:
		return "the agent does not tell its exit status"
	case run.ByOutput && !showsSuccess(p.Outcome):
		return "it ran in a pipe, and its output does not show that all passed"
	}
	return tooFew(check, p.Outcome.Tests)
}

func showsSuccess(r *outcome.Record) bool { return r.Passed != nil && *r.Passed }

// tooFew says why the number of tests is no proof, "" if it is. The number is nil where the
// output does not tell it.
func tooFew(check workspace.Check, tests *int) string {
	if tests == nil {
		if check.MinTests > 0 {
			return fmt.Sprintf("its output does not tell how many tests ran, and %d are wanted", check.MinTests)
		}
		return ""
	}

	switch {
	case *tests == 0:
		return "it ran no tests"
	case *tests < check.MinTests:
		return fmt.Sprintf("it ran %d tests of at least %d", *tests, check.MinTests)
	}
	return ""
}

func wanted(check workspace.Check) string {
	if check.Command != "" {
		return check.Command
	}
	return "a command that matches " + check.Pattern.String()
}

// Words say to an agent what is missing, and what to do.
func Words(lacks []Lack) string {
	var b strings.Builder
	b.WriteString("The work is not proved yet.")
	for _, lack := range lacks {
		fmt.Fprintf(&b, " Check %s: %s.", lack.Name, lack.Why)
	}
	b.WriteString(" Run each check by itself, so that its exit status is seen, and look at what fails. If a check cannot pass, stop again and tell the person: the record will say unproved.")
	return b.String()
}
