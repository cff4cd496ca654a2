package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// lintBaseline is a file of accepted findings. Each has a reason and an expiry date, so
// that no finding is accepted for ever without a review.
type lintBaseline struct {
	Version  int             `json:"version"`
	Accepted []acceptedEntry `json:"accepted"`
}

type acceptedEntry struct {
	Fingerprint string `json:"fingerprint"`
	Code        string `json:"code"`
	Rule        string `json:"rule"`
	File        string `json:"file"`
	Server      string `json:"server,omitempty"`
	Path        string `json:"path,omitempty"`
	Reason      string `json:"reason"`
	Expires     string `json:"expires"` // as 2027-01-31
}

const (
	baselineDay  = time.DateOnly
	baselineLife = 90 * 24 * time.Hour
)

// readBaseline reads a baseline; one that is to be written may be missing. An entry without a
// reason or a day is refused, because it would hide its finding for ever.
func readBaseline(file string, mayBeMissing bool) (lintBaseline, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && mayBeMissing {
		return lintBaseline{Version: 1}, nil
	}
	if err != nil {
		return lintBaseline{}, err
	}

	var b lintBaseline
	if err := json.Unmarshal(text, &b); err != nil {
		return lintBaseline{}, fmt.Errorf("baseline %s: %w", file, err)
	}

	if b.Version != 1 {
		return lintBaseline{}, fmt.Errorf("baseline %s: unsupported version %d; this program writes version 1",
			file, b.Version)
	}

	for i, entry := range b.Accepted {
		if _, err := time.Parse(baselineDay, entry.Expires); err != nil {
			return lintBaseline{}, fmt.Errorf("baseline %s: entry %d: expires must be a day such as 2027-01-31",
				file, i+1)
		}
		if entry.Fingerprint == "" || strings.TrimSpace(entry.Reason) == "" {
			return lintBaseline{}, fmt.Errorf("baseline %s: entry %d has no fingerprint or no reason",
				file, i+1)
		}
	}

	return b, nil
}

// holds reports whether a finding is accepted on a day.
func (b lintBaseline) holds(fingerprint string, now time.Time) bool {
	return slices.ContainsFunc(b.Accepted, func(entry acceptedEntry) bool {
		end, err := time.Parse(baselineDay, entry.Expires)
		return err == nil &&
			entry.Fingerprint == fingerprint &&
			now.Before(end)
	})
}

// acceptAll adds the findings of a report to the baseline file. An entry that expired is replaced.
func (o lintOptions) acceptAll(t terminal, b lintBaseline, report lintReport) error {
	expires := o.expires
	if expires == "" {
		expires = time.Now().Add(baselineLife).Format(baselineDay)
	}
	if _, err := time.Parse(baselineDay, expires); err != nil {
		return usage("--expires is a day such as 2027-01-31, not %q", expires)
	}

	for _, f := range report.Findings {
		b.accept(acceptedEntry{
			Fingerprint: f.Fingerprint,
			Code:        f.Code,
			Rule:        f.Rule,
			File:        f.File,
			Server:      f.Server,
			Path:        f.Path,
			Reason:      o.reason,
			Expires:     expires,
		})
	}

	if err := b.write(o.baseline); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d findings accepted until %s\n", o.baseline, len(report.Findings), expires)
	return nil
}

// accept adds an entry. One of the same finding is replaced.
func (b *lintBaseline) accept(entry acceptedEntry) {
	b.Accepted = slices.DeleteFunc(b.Accepted, func(old acceptedEntry) bool {
		return old.Fingerprint == entry.Fingerprint
	})
	b.Accepted = append(b.Accepted, entry)
}

// write replaces the file of the baseline.
func (b lintBaseline) write(file string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(file, append(text, '\n'), 0o644)
}
