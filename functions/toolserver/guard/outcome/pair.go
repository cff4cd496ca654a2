package outcome

import (
	"time"
)

// States of a pair, beside the results of an outcome.
const (
	Running      = "running"     // the outcome may still come
	Unknown      = "unknown"     // the outcome never came
	NotRun       = "not_run"     // the guard refused the call, and nothing says that it ran
	RanDenied    = "ran_denied"  // the guard refused the call, and it ran all the same
	Unannounced  = "unannounced" // an outcome without an intent
	RunningLimit = 1 * time.Hour // age from which a missing outcome is unknown
)

// Pair is a call of a tool: what was wanted and what then happened.
type Pair struct {
	Intent  *Record `json:"intent"`  // nil if it is missing
	Outcome *Record `json:"outcome"` // nil if it is missing
	State   string  `json:"state"`
}

// At is when the call was first heard of.
func (p Pair) At() time.Time { return p.first().At }

// Actor is who called.
func (p Pair) Actor() Actor { return p.first().Actor }

func (p Pair) first() *Record {
	if p.Intent != nil {
		return p.Intent
	}
	return p.Outcome
}

// callKey is what an intent and its outcome have in common.
type callKey struct{ boundary, session, call string }

func keyOf(r *Record) callKey {
	return callKey{r.Boundary, r.Session, r.Call}
}

// place is where an actor works.
type place struct {
	boundary, session string
	subagent          string
}

func placeOf(r *Record) place {
	return place{r.Boundary, r.Session, r.Actor.ID}
}

// Join makes the pairs of a journal, in the order of their first records. An outcome belongs
// to the newest intent of the same call that has none yet: an older one may be of a process
// that was killed, and the call was then made again.
func Join(records []Record, now time.Time) []Pair {
	var pairs []Pair
	open := map[callKey][]int{} // places in pairs
	over := map[place]uint64{}  // seq of the last record after which no outcome is expected
	ended := map[place]uint64{} // the same for whole sessions
	for i := range records {
		r := &records[i]
		switch r.Kind {
		case Intent:
			open[keyOf(r)] = append(open[keyOf(r)], len(pairs))
			pairs = append(pairs, Pair{Intent: r})

		case Outcome:
			waiting := open[keyOf(r)]
			if len(waiting) == 0 {
				pairs = append(pairs, Pair{Outcome: r})
				continue
			}
			newest := len(waiting) - 1
			pairs[waiting[newest]].Outcome = r
			open[keyOf(r)] = waiting[:newest]

		case Stopped, SubagentStopped:
			if r.Decision != Denied {
				over[placeOf(r)] = r.Seq
			}

		case SessionEnded:
			ended[place{r.Boundary, r.Session, ""}] = r.Seq
		}
	}

	for i := range pairs {
		p := &pairs[i]
		after := uint64(0)
		if p.Intent != nil {
			session := place{p.Intent.Boundary, p.Intent.Session, ""}
			after = max(over[placeOf(p.Intent)], ended[session])
		}
		p.State = p.state(after, now)
	}
	return pairs
}

// state says how a call went. Over is the seq of the last record after which the outcome
// cannot come any more.
func (p Pair) state(over uint64, now time.Time) string {
	if p.Intent == nil {
		return Unannounced
	}

	denied := p.Intent.Decision == Denied && !p.Intent.Rehearsed
	if p.Outcome != nil {
		return p.told(denied)
	}
	if denied {
		return NotRun
	}

	old := now.Sub(p.Intent.At) > RunningLimit
	if old || over > p.Intent.Seq {
		return Unknown
	}
	return Running
}

// told is the state that an outcome tells.
func (p Pair) told(denied bool) string {
	switch {
	case !denied:
		return p.Outcome.Result
	case p.Outcome.ran():
		return RanDenied
	}
	return NotRun
}

// ran reports whether an outcome says that the call ran. Some agents report a call that was
// refused as one that failed.
func (r *Record) ran() bool {
	switch r.Result {
	case Refused:
		return false
	case Failed:
		return r.Exit != nil
	}
	return true
}

// Boundary is whose hook heard of the call.
func (p Pair) Boundary() string { return p.first().Boundary }

// Session is the id of the agent's session.
func (p Pair) Session() string { return p.first().Session }

// Tool is what was called.
func (p Pair) Tool() string { return p.first().Tool }

// Program is the first word of a shell command.
func (p Pair) Program() string { return p.first().Program }

// Files are the files that the call named.
func (p Pair) Files() []File { return p.first().Files }

// Took is how long the call took: as the agent says, else the time between the two records.
func (p Pair) Took() (time.Duration, bool) {
	switch {
	case p.Outcome == nil, p.Outcome.Settled:
		return 0, false
	case p.Outcome.Millis != nil:
		return time.Duration(*p.Outcome.Millis) * time.Millisecond, true
	case p.Intent == nil:
		return 0, false
	}
	return p.Outcome.At.Sub(p.Intent.At), true
}
