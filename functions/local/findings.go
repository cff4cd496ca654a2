package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/shared/catalog"
	"governance.internal/shared/sarif"
)

// printFindingTable prints findings by severity and place.
func printFindingTable(t terminal, list []finding.Finding) error {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b finding.Finding) int {
		return failRanks[b.Severity] - failRanks[a.Severity]
	})

	table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
	for _, f := range sorted {
		place := f.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s %s\t%s\n\t\t\t-> %s\n",
			f.Severity, printable(place), f.Rule, printable(f.Message), printable(f.Evidence), f.Fingerprint, f.Hint)
	}
	return table.Flush()
}

// printFindingsSARIF prints findings for code scanning.
func printFindingsSARIF(t terminal, name string, list []finding.Finding) error {
	var report sarif.Report
	for _, f := range list {
		rule := sarif.Rule{
			ID:      f.Rule,
			Name:    f.Rule,
			Short:   sarif.Text{Text: strings.NewReplacer("-", " ", "_", " ").Replace(f.Rule)},
			Help:    sarif.Text{Text: f.Hint},
			Default: sarif.Level{Level: sarifLevel(f.Severity)},
		}
		report.Add(rule, sarif.Result{
			Level:        sarifLevel(f.Severity),
			Message:      sarif.Text{Text: f.Message + " " + f.Hint},
			Locations:    []sarif.Location{sarif.At(f.Path, f.Line, 1)},
			Fingerprints: map[string]string{"finding/v1": f.Fingerprint},
		})
	}
	return printSARIF(t, name, report)
}

func printSARIF(t terminal, name string, report sarif.Report) error {
	text, err := report.Write(name, catalog.APIVersion)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "%s\n", text)
	return err
}

func sarifLevel(severity string) string {
	switch severity {
	case finding.Error:
		return sarif.Error
	case finding.Warn:
		return sarif.Warning
	}
	return sarif.Note
}

// acceptance are the flags for findings that a person accepts.
type acceptance struct {
	baseline string
	accept   bool
	reason   string
	expires  string
}

// check refuses an acceptance without a file or a reason.
func (a acceptance) check() error {
	switch {
	case a.accept && a.baseline == "":
		return usage("--accept needs --baseline FILE, in which accepted findings are kept")
	case a.accept && strings.TrimSpace(a.reason) == "":
		return usage("--accept needs --reason TEXT: why are these findings accepted?")
	}
	return nil
}

// leaveOut takes the accepted findings out of a list.
func (a acceptance) leaveOut(list []finding.Finding) (kept []finding.Finding, accepted int, err error) {
	if a.baseline == "" {
		return list, 0, nil
	}
	b, err := readBaseline(a.baseline, a.accept)
	if err != nil {
		return nil, 0, exit{2, err}
	}

	kept = []finding.Finding{}
	for _, f := range list {
		if b.holds(f.Fingerprint, time.Now()) {
			accepted++
			continue
		}
		kept = append(kept, f)
	}
	return kept, accepted, nil
}

// take writes findings into the baseline.
func (a acceptance) take(t terminal, list []finding.Finding) error {
	b, err := readBaseline(a.baseline, true)
	if err != nil {
		return exit{2, err}
	}
	expires := a.expires
	if expires == "" {
		expires = time.Now().Add(baselineLife).Format(baselineDay)
	}
	if _, err := time.Parse(baselineDay, expires); err != nil {
		return usage("--expires is a day such as 2027-01-31, not %q", expires)
	}

	for _, f := range list {
		b.accept(acceptedEntry{
			Fingerprint: f.Fingerprint,
			Code:        f.Check,
			Rule:        f.Rule,
			File:        f.Path,
			Reason:      a.reason,
			Expires:     expires,
		})
	}
	if err := b.write(a.baseline); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d findings accepted until %s\n", a.baseline, len(list), expires)
	return nil
}

// worst reports whether a finding is at least as severe as asked.
func worst(list []finding.Finding, failOn string) bool {
	return slices.ContainsFunc(list, func(f finding.Finding) bool { return failRanks[f.Severity] >= failRanks[failOn] })
}

// needFolder refuses a name that is no folder.
func needFolder(name string) error {
	if isFolder(name) {
		return nil
	}
	return exit{2, fmt.Errorf("%s is no folder that can be read", name)}
}

// isFolder reports whether a name is a folder that can be read.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
