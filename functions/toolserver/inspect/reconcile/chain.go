package reconcile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/shared/audit"
)

// Entries are what the audit chain has of hooks.
type Entries struct {
	Records  []outcome.Record
	Refusals map[string]bool // ids of entries of refusals
	// Counted are the counts of the last entry that counts records, and Counting the records
	// before it.
	Counted  map[string]outcome.Count
	Counting map[string]outcome.Count
}

// Chain compares the journal with the audit chain.
type Chain struct {
	Entries int    `json:"entries"` // that hooks wrote
	Taken   uint64 `json:"taken"`   // last record of the journal that the chain has
	// Missing are records of the journal that the chain passed over.
	Missing []string `json:"missing"`
	// Changed are records that differ from their entries.
	Changed []string `json:"changed"`
	// Cut are entries whose records are gone from the journal.
	Cut []string `json:"cut"`
	// Unrecorded are refusals of the guard whose own entries are neither in the chain nor in
	// the spool.
	Unrecorded []string `json:"unrecorded"`
	// Miscounted are boundaries whose entries are not as many as the chain counted.
	Miscounted []string `json:"miscounted"`
}

// whole reports whether nothing is missing.
func (c *Chain) whole() bool {
	return c == nil ||
		len(c.Missing)+len(c.Changed)+len(c.Cut)+len(c.Unrecorded)+len(c.Miscounted) == 0
}

// writer is the actor of entries that are made of records.
const writer = "journal"

// ReadEntries reads the entries of hooks from a chain. It does not verify the chain.
func ReadEntries(chain io.Reader) (*Entries, error) {
	entries := &Entries{
		Refusals: map[string]bool{},
		Counting: map[string]outcome.Count{},
	}
	counts := map[string]outcome.Count{}
	for line, err := range newLines(chain) {
		if err != nil {
			return nil, err
		}
		ofHook := bytes.Contains(line, []byte(`"`+writer+`"`))
		refusal := slices.ContainsFunc(refusals, func(kind string) bool { return bytes.Contains(line, []byte(`"`+kind+`"`)) })
		if !ofHook && !refusal {
			continue
		}
		if e, err := audit.ParseEntry(line); err == nil { // a damaged line is for the verification to report
			entries.add(e, counts)
		}
	}
	return entries, nil
}

// refusals are the types of entries of what the guard refused, or would refuse.
var refusals = []string{violations.BlockedUntouchable, violations.BlockedProtected, violations.WouldBlock}

func (entries *Entries) add(e audit.Entry, counts map[string]outcome.Count) {
	if slices.Contains(refusals, e.Event) {
		entries.Refusals[e.ID] = true
		return
	}
	if e.Actor != writer {
		return
	}

	if e.Event == outcome.EventCounted {
		var told struct {
			Boundaries map[string]outcome.Count `json:"boundaries"`
		}
		if json.Unmarshal(e.Payload, &told) == nil {
			entries.Counted, entries.Counting = told.Boundaries, maps.Clone(counts)
		}
		return
	}

	r, err := outcome.ParseRecord(e.Payload)
	if err == nil && r.ID == e.ID {
		entries.Records = append(entries.Records, r)
		counts[r.Boundary] = counts[r.Boundary].Plus(r.Kind)
	}
}

// compareChain compares by the ids of the records.
func compareChain(records []outcome.Record, entries *Entries, spooled func(id string) bool) *Chain {
	if entries == nil {
		return nil
	}

	c := &Chain{
		Entries:    len(entries.Records),
		Missing:    []string{},
		Changed:    []string{},
		Cut:        []string{},
		Unrecorded: []string{},
		Miscounted: []string{},
	}
	known := map[string]outcome.Record{}
	for _, r := range entries.Records {
		known[r.ID] = r
	}

	for _, r := range records {
		if _, taken := known[r.ID]; taken {
			c.Taken = max(c.Taken, r.Seq)
		}
	}

	for _, r := range records {
		entry, taken := known[r.ID]
		switch {
		case !taken && r.Seq < c.Taken:
			c.Missing = append(c.Missing, place(r))
		case taken && !same(entry, r):
			c.Changed = append(c.Changed, place(r))
		}
		delete(known, r.ID)

		for _, id := range r.Refusals {
			if !entries.Refusals[id] && !spooled(id) {
				c.Unrecorded = append(c.Unrecorded, place(r))
			}
		}
	}

	for _, id := range slices.Sorted(maps.Keys(known)) {
		c.Cut = append(c.Cut, place(known[id]))
	}
	for _, name := range slices.Sorted(maps.Keys(entries.Counted)) {
		if entries.Counted[name] != entries.Counting[name] {
			c.Miscounted = append(c.Miscounted, name)
		}
	}
	return c
}

func place(r outcome.Record) string {
	return fmt.Sprintf("%s %d (%s)", r.Kind, r.Seq, r.ID)
}

func same(a, b outcome.Record) bool {
	one, oneErr := json.Marshal(a)
	two, twoErr := json.Marshal(b)
	return oneErr == nil && twoErr == nil && bytes.Equal(one, two)
}

// countBoundaries counts the records of each hook, here and in the chain.
func countBoundaries(records []outcome.Record, entries *Entries) []Boundary {
	counts := map[string]Boundary{}
	for _, r := range records {
		b := counts[r.Boundary]
		b.Journal = b.Journal.Plus(r.Kind)
		counts[r.Boundary] = b
	}

	if entries != nil {
		for _, r := range entries.Records {
			b := counts[r.Boundary]
			b.Chain = b.Chain.Plus(r.Kind)
			counts[r.Boundary] = b
		}
	}

	list := []Boundary{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		b := counts[name]
		b.Name = name
		list = append(list, b)
	}
	return list
}
