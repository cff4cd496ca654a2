package routes

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/shared/audit"
	"governance.internal/shared/x402"
)

// entriesPage is how many entries GET /entries gives at most.
const entriesPage = 50

// entry is an entry of the audit chain as the console shows it. For a damaged one only the
// position is given; verification reports the damage.
type entry struct {
	Seq      uint64          `json:"seq"`
	Severity string          `json:"severity"` // critical, warning or info
	Time     *time.Time      `json:"time,omitempty"`
	Actor    string          `json:"actor,omitempty"`
	Event    string          `json:"event,omitempty"`
	ID       string          `json:"id,omitempty"`
	Hash     string          `json:"hash,omitempty"`
	Payload  json.RawMessage `json:"payload,omitempty"`
}

// Severities of entries.
const (
	critical = "critical" // a person must look now
	warning  = "warning"  // a person should look
	info     = "info"
)

// severities lists the types above info, besides the violations.
var severities = map[string]string{
	killswitch.EventHalt:    critical,
	audit.EventRecovered:    critical,
	x402.EventReversed:      critical,
	killswitch.EventRefused: warning,
	killswitch.EventLifted:  warning,
	killswitch.EventRestore: warning,
	x402.EventRefused:       warning,
	approval.EventRequested: warning,
	dispatch.EventSlots:     warning,
	dispatch.EventCancelled: warning,
}

// severityOf is how urgent an entry of a type is.
func severityOf(event string) string {
	if known, ok := severities[event]; ok {
		return known
	}
	if slices.Contains(framework.ViolationTypes(), event) {
		return warning
	}
	return info
}

// Trail is the audit chain, as far as the routes read it.
type Trail interface {
	// Head is the last entry, the zero value if there is none.
	Head(context.Context) (audit.Head, error)
	// Blocks yields the stored lines from one entry to another.
	Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error]
}

// entries is GET /entries.
type entries struct {
	trail Trail
}

// headOf is the head of the chain beside its entries.
type headOf struct {
	Seq  uint64     `json:"seq"`
	Hash audit.Hash `json:"hash"`
}

// get answers GET /entries?after=SEQ: the entries after one, the oldest first; without
// after the last ones. They may name payers, so the route needs the token.
func (e entries) get(w http.ResponseWriter, r *http.Request) {
	head, err := e.trail.Head(r.Context())
	after, malformed := firstOf(r.URL.Query().Get("after"), head.Seq)
	if malformed != nil {
		answer.Error(
			w,
			http.StatusBadRequest,
			"invalid_argument",
			"after must be the seq of an entry, a whole number.",
		)

		return
	}

	var list []entry
	if err == nil {
		list, err = e.after(r.Context(), after, head.Seq)
	}

	if err != nil {
		answer.Error(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"The audit chain cannot be read right now. Try again.",
		)

		return
	}

	answer.JSON(w, http.StatusOK, map[string]any{
		"entries": list,
		"head": headOf{
			Seq:  head.Seq,
			Hash: head.Hash,
		},
	})
}

// firstOf is the entry after which a page begins: the one that is asked for, or the one
// before the last page.
func firstOf(asked string, last uint64) (after uint64, err error) {
	if asked == "" {
		return last - min(last, entriesPage), nil
	}
	return strconv.ParseUint(asked, 10, 63)
}

// after are the entries after one, at most a page of them.
func (e entries) after(ctx context.Context, after, last uint64) ([]entry, error) {
	list := []entry{}
	if after >= last {
		return list, nil
	}

	for block, err := range e.trail.Blocks(ctx, after+1, min(last, after+entriesPage)) {
		if err != nil {
			return nil, err
		}

		seq := block.First
		for line := range bytes.Lines(block.Lines) {
			list = append(list, show(seq, bytes.TrimSuffix(line, []byte("\n"))))
			seq++
		}
	}

	return list, nil
}

// show converts an entry; a damaged one keeps only its position.
func show(seq uint64, line []byte) entry {
	e, err := audit.ParseEntry(line)
	if err != nil {
		return entry{Seq: seq, Severity: critical}
	}

	return entry{
		Seq:      seq,
		Severity: severityOf(e.Event),
		Time:     &e.Time,
		Actor:    e.Actor,
		Event:    e.Event,
		ID:       e.ID,
		Hash:     e.Hash.String(),
		Payload:  e.Payload,
	}
}
