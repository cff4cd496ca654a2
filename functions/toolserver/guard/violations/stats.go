package violations

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"governance.internal/shared/audit"
)

// List reads the violations of the chain from a time on, the oldest first.
func (l *Log) List(ctx context.Context, since time.Time) ([]Entry, error) {
	head, err := l.Trail.Head(ctx)
	if err != nil || head.Seq == 0 {
		return []Entry{}, err
	}

	found := []Entry{}
	for block, err := range l.Trail.Blocks(ctx, 1, head.Seq) {
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(block.Lines) {
			if e, ok := violation(bytes.TrimSuffix(line, []byte("\n"))); ok &&
				!e.Timestamp.Before(since) {
				found = append(found, e)
			}
		}
	}

	return found, nil
}

// Holds reports whether the chain has an entry of a type. Without a chain this is unknown,
// and the answer is no.
func (l *Log) Holds(ctx context.Context, event string) (bool, error) {
	if l.Trail == nil {
		return false, nil
	}
	head, err := l.Trail.Head(ctx)
	if err != nil || head.Seq == 0 {
		return false, err
	}

	for block, err := range l.Trail.Blocks(ctx, 1, head.Seq) {
		if err != nil {
			return false, err
		}
		for line := range bytes.Lines(block.Lines) {
			if !bytes.Contains(line, []byte(`"`+event+`"`)) {
				continue
			}
			if e, err := audit.ParseEntry(bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))); err == nil &&
				e.Event == event {
				return true, nil
			}
		}
	}

	return false, nil
}

// violation reads a line that names one of the types. Damaged lines are for the
// verification to report.
func violation(line []byte) (Entry, bool) {
	if !slices.ContainsFunc(Types, func(name string) bool { return bytes.Contains(line, []byte(`"`+name+`"`)) }) {
		return Entry{}, false
	}
	e, err := audit.ParseEntry(bytes.Clone(line))
	if err != nil || !slices.Contains(Types, e.Event) {
		return Entry{}, false
	}
	return Entry{e.ID, e.Time, e.Event, e.Seq, e.Payload, &e.Hash, &e.PrevHash}, true
}

// Stats are counts of violations.
type Stats struct {
	Total  int            `json:"total"`
	ByType map[string]int `json:"by_type"`
	ByRule map[string]int `json:"by_rule"`
	ByPath []PathCount    `json:"by_path_top10"`
	ByDay  map[string]int `json:"by_day"`
	Trend  string         `json:"trend"` // rising, falling or steady: the last 7 days against the 7 before
}

// PathCount says how often a file was in the way.
type PathCount struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// Count counts violations.
func Count(entries []Entry, now time.Time) Stats {
	s := Stats{
		Total:  len(entries),
		ByType: map[string]int{},
		ByRule: map[string]int{},
		ByPath: []PathCount{},
		ByDay:  map[string]int{},
	}

	paths := map[string]int{}
	week := now.AddDate(0, 0, -7)
	before := now.AddDate(0, 0, -14)
	recent, earlier := 0, 0
	for _, e := range entries {
		s.ByType[e.Type]++
		s.ByDay[e.Timestamp.UTC().Format(time.DateOnly)]++
		var detail struct {
			Rule string `json:"rule"`
			Path string `json:"path"`
		}
		if json.Unmarshal(e.Detail, &detail) == nil {
			if detail.Rule != "" {
				s.ByRule[detail.Rule]++
			}
			if detail.Path != "" {
				paths[detail.Path]++
			}
		}

		switch {
		case e.Timestamp.After(week):
			recent++
		case e.Timestamp.After(before):
			earlier++
		}
	}

	for _, path := range slices.Sorted(maps.Keys(paths)) {
		s.ByPath = append(s.ByPath, PathCount{path, paths[path]})
	}

	slices.SortStableFunc(s.ByPath, func(a, b PathCount) int {
		return cmp.Compare(b.Count, a.Count)
	})
	s.ByPath = s.ByPath[:min(len(s.ByPath), 10)]
	s.Trend = [...]string{"falling", "steady", "rising"}[cmp.Compare(recent, earlier)+1]
	return s
}
