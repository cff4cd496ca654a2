package reconcile

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Report is the result of a comparison.
type Report struct {
	// Complete says that nothing was left out, as far as Claim says.
	Complete bool   `json:"complete"`
	Claim    string `json:"claim"`

	From      time.Time `json:"from"` // from the baseline on
	To        time.Time `json:"to"`
	Covered   int       `json:"covered"`   // paths
	Explained int       `json:"explained"` // changes of covered paths that have an entry
	Changes   []Change  `json:"changes"`   // that have none, oldest first

	Calls   int `json:"calls"`
	Unknown int `json:"unknown"` // calls of which nobody knows how they ended
	// Unannounced are calls that ran and that the hook was not asked about before.
	Unannounced int              `json:"unannounced"`
	Damages     []outcome.Damage `json:"damages"` // of the journal
	Counts      []Boundary       `json:"counts"`
	Chain       *Chain           `json:"chain"` // nil if there was none to compare with
	// NotCovered says what the claim does not cover.
	NotCovered []string `json:"not_covered"`
}

// Boundary counts the records of one agent's hook.
type Boundary struct {
	Name    string        `json:"name"`
	Journal outcome.Count `json:"journal"`
	Chain   outcome.Count `json:"chain"` // entries, if there was a chain to compare with
}

// Comparison is what is compared.
type Comparison struct {
	Net     *baseline.Net
	Journal outcome.Journal
	// Entries are those of the audit chain that hooks wrote; nil without a chain.
	Entries *Entries
	// Since leaves out what happened before; zero for everything since the baseline.
	Since time.Time
}

// Run compares.
func (c Comparison) Run(ctx context.Context) (Report, error) {
	standing, err := c.Net.Stand(ctx)
	if err != nil {
		return Report{}, err
	}
	reading, err := c.Journal.Read()
	if err != nil {
		return Report{}, err
	}

	now := c.Net.Now().UTC()
	pairs := outcome.Join(reading.Records, now)
	replay := newReplay(standing, pairs)
	replay.addCommits(c.Net.Workspace, now)
	replay.run(reading.Records, now)

	report := Report{
		From:      later(standing.Taken, c.Since),
		To:        now,
		Covered:   len(replay.tracks),
		Explained: replay.explained,
		Changes:   since(replay.changes, c.Since),
		Calls:     len(pairs),
		Damages:   append([]outcome.Damage{}, reading.Damages...),
		Counts:    countBoundaries(reading.Records, c.Entries),
		Chain:     compareChain(reading.Records, c.Entries, c.spooled),
	}
	for _, p := range pairs {
		switch p.State {
		case outcome.Unknown:
			report.Unknown++
		case outcome.Unannounced:
			report.Unannounced++
		}
	}

	report.conclude(standing, reading.Head.Seq)
	return report, nil
}

// spooled reports whether a refusal waits in the spool.
func (c Comparison) spooled(id string) bool {
	_, err := fs.Stat(c.Net.Workspace.Files(), workspace.StateDir+"/spool/"+id)
	return err == nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func since(changes []Change, from time.Time) []Change {
	kept := []Change{}
	for _, change := range changes {
		if !change.Before.Before(from) {
			kept = append(kept, change)
		}
	}
	return kept
}

// conclude words what was found, and what it does not say.
func (r *Report) conclude(standing baseline.Standing, head uint64) {
	missing := !r.Chain.whole()
	r.Complete = len(r.Changes) == 0 &&
		len(r.Damages) == 0 &&
		!missing &&
		r.Unannounced == 0 &&
		!standing.Lost &&
		!standing.Fresh

	span := fmt.Sprintf("on %d covered paths between %s and %s",
		r.Covered,
		r.From.Format(time.RFC3339),
		r.To.Format(time.RFC3339))
	switch {
	case standing.Lost:
		r.Claim = "Nothing can be said: the baseline was removed, and a person must accept the files again."
	case standing.Fresh:
		r.Claim = fmt.Sprintf("Nothing can be said yet: there was no baseline. One was taken now, of %d covered paths.", r.Covered)
	case len(r.Changes) > 0:
		r.Claim = fmt.Sprintf("Changes %s have no entry: %d.", span, len(r.Changes))
	case len(r.Damages) > 0 || missing:
		r.Claim = "No change " + span + " was found without an entry, but the record itself is damaged, so entries may be missing or made up."
	case r.Unannounced > 0:
		r.Claim = fmt.Sprintf("No change %s was found without an entry, but the hook was not asked before %d calls.", span, r.Unannounced)
	default:
		r.Claim = fmt.Sprintf("Every change that was found %s has an entry: %d.", span, r.Explained)
	}

	r.NotCovered = []string{
		"files that no list of governance.yaml names, the inside of .git and the state of the service",
		"what happened before " + r.From.Format(time.RFC3339),
		"a change that was undone before anybody looked",
		"a write to a file while an allowed call that names the same file was running, unless the agent tells what the call wrote",
	}
	if r.Unknown > 0 {
		r.NotCovered = append(r.NotCovered, fmt.Sprintf("what %d calls did of which nobody knows how they ended, except to covered paths", r.Unknown))
	}

	switch {
	case r.Chain == nil:
		r.NotCovered = append(r.NotCovered, "records that a process of the same user wrote or rewrote: the audit chain was not compared")
	case head > r.Chain.Taken:
		r.NotCovered = append(r.NotCovered, fmt.Sprintf("%d newer records that the audit chain has not taken: a process of the same user could rewrite them", head-r.Chain.Taken))
	}
}
