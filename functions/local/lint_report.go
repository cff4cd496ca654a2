package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"governance.internal/shared/lint"
)

// lintReport is the result of one run over any number of files. As JSON it has the members of a
// single result (score, findings, summary) whether there is one file or many.
type lintReport struct {
	Score    int           `json:"score"`    // the lowest of all files
	Findings []lintFinding `json:"findings"` // of all files
	Summary  lintSummary   `json:"summary"`
	Files    []lintedFile  `json:"files"`
	Unread   []unreadFile  `json:"unread,omitempty"`

	results []lint.FileResult
}

// lintFinding is a finding with its place in a file.
type lintFinding struct {
	lint.Finding
	File        string `json:"file"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	Fingerprint string `json:"fingerprint"` // the same as long as file, server, rule and path are
}

type lintSummary struct {
	lint.Summary
	Accepted int `json:"accepted,omitempty"` // findings that the baseline leaves out
}

type lintedFile struct {
	Path    string       `json:"path"`
	Score   int          `json:"score"`
	Summary lint.Summary `json:"summary"`
}

type unreadFile struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// add takes the result of one file, without the findings that the baseline accepts.
func (r *lintReport) add(file string, result lint.Result, accepted lintBaseline, now time.Time) {
	if len(r.Files) == 0 || result.Score < r.Score {
		r.Score = result.Score
	}

	r.Files = append(r.Files, lintedFile{file, result.Score, result.Summary})

	kept := result.Findings[:0:0]
	for _, f := range result.Findings {
		found := lintFinding{
			Finding:     f,
			File:        file,
			Fingerprint: fingerprint(file, f),
		}
		found.Line, found.Column = f.Position()
		if accepted.holds(found.Fingerprint, now) {
			r.Summary.Accepted++
			continue
		}

		kept = append(kept, f)
		r.Findings = append(r.Findings, found)
	}

	result.Findings = kept
	r.results = append(r.results, lint.FileResult{URI: file, Result: result})

	r.Summary.Servers += result.Summary.Servers
	r.Summary.Errors += result.Summary.Errors
	r.Summary.Warns += result.Summary.Warns
	r.Summary.Infos += result.Summary.Infos
	r.Summary.Omitted += result.Summary.Omitted
	r.Summary.Ruleset = result.Summary.Ruleset
}

// fingerprint names a finding in a baseline. It holds nothing of the values of a document, so it
// cannot be used to guess a secret.
func fingerprint(file string, f lint.Finding) string {
	parts := []string{filepath.ToSlash(filepath.Clean(file)), f.Code, f.Rule, f.Server, f.Path}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:10])
}

// printLintTable prints each file with its findings, the most severe first, then in the order of the
// file.
func printLintTable(t terminal, r lintReport) error {
	for _, file := range r.results {
		s := file.Result.Summary
		fmt.Fprintf(t.out, "%s: score %d, %d servers, %d errors, %d warnings, %d infos\n",
			file.URI, file.Result.Score, s.Servers, s.Errors, s.Warns, s.Infos)

		findings := slices.Clone(file.Result.Findings)
		slices.SortStableFunc(findings, func(a, b lint.Finding) int {
			lineA, columnA := a.Position()
			lineB, columnB := b.Position()
			return cmp.Or(
				failRanks[string(b.Severity)]-failRanks[string(a.Severity)],
				lineA-lineB,
				columnA-columnB,
			)
		})

		table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
		for _, f := range findings {
			line, column := f.Position()
			fmt.Fprintf(table, "  %s\t%d:%d\t%s\t%s\t%s\n\t\t\t\t-> %s\n",
				f.Severity, line, column, f.Code, strconv.QuoteToASCII(f.Server), f.Message, f.Hint)
		}

		if err := table.Flush(); err != nil {
			return err
		}
		if s.Omitted > 0 {
			fmt.Fprintf(t.out, "  and %d more findings, less severe than these\n", s.Omitted)
		}
	}

	if r.Summary.Accepted > 0 {
		fmt.Fprintf(t.out, "%d findings are accepted by the baseline\n", r.Summary.Accepted)
	}

	return nil
}

func printLintJSON(t terminal, r lintReport) error {
	if r.Findings == nil {
		r.Findings = []lintFinding{}
	}
	if r.Files == nil {
		r.Files = []lintedFile{}
	}
	encoder := json.NewEncoder(t.out)
	encoder.SetIndent("", "  ")

	return encoder.Encode(r)
}

func printLintSARIF(t terminal, r lintReport) error {
	log, err := lint.SARIF(r.results)
	if err != nil {
		return err
	}
	_, err = t.out.Write(log)
	return err
}
