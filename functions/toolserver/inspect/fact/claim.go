package fact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Kinds of facts.
const (
	Version = "version"
	Count   = "count"
	Role    = "role"
	Port    = "port"
	Process = "process"
)

// Claim is a place that states a fact.
type Claim struct {
	Kind     string
	Fact     string // its name, or the id and the field of a member
	File     string
	Line     int
	Start    int // of the bytes that state it
	End      int
	Found    string
	Expected string
	Source   string // names it for people
	Written  string // the bytes that stand there, if they are not Found itself: with quotes and escapes
	Write    string // the bytes that make it right
	Fixed    string // why the bytes cannot be replaced, "" if they can
}

// Wrong reports whether the place states something else than the source.
func (c Claim) Wrong() bool {
	return !Same(c.Kind, c.Found, c.Expected)
}

// Problem is something that keeps a fact from being compared.
type Problem struct {
	Kind     string // of the fact
	Type     string // see below
	Severity string // error or warn
	Fact     string
	Source   string
	File     string // "" if no file is at fault
	Line     int
	Message  string
}

// Types of problems.
const (
	SourceMissing = "source_missing"        // the source cannot be read
	NoGroup       = "pattern_without_group" // the pattern says where, but not what
	NoTarget      = "target_not_found"      // no file, or no place in it
	Unreadable    = "target_unreadable"     // the file is there and cannot be read
	Conflict      = "conflicting_sources"   // two facts claim the same bytes with different values
)

// Findings are what was found of some facts.
type Findings struct {
	Claims   []Claim
	Problems []Problem
}

func (f *Findings) add(other Findings) {
	f.Claims = append(f.Claims, other.Claims...)
	f.Problems = append(f.Problems, other.Problems...)
}

// Find reads the sources of facts and all places that state them.
func Find(ctx context.Context, t *tree.Tree, builtins Builtins, kind string, facts []workspace.Fact) (Findings, error) {
	var all Findings
	for _, f := range facts {
		found, err := findOne(ctx, t, builtins, kind, f)
		if err != nil {
			return all, err
		}
		all.add(found)
	}
	return all, nil
}

func findOne(ctx context.Context, t *tree.Tree, builtins Builtins, kind string, f workspace.Fact) (Findings, error) {
	var found Findings
	value, err := Read(ctx, t, builtins, f.Source)
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	if err != nil {
		found.Problems = append(found.Problems, Problem{
			Kind:     kind,
			Type:     SourceMissing,
			Severity: "error",
			Fact:     f.Name,
			Source:   value.Where,
			File:     f.Source.File,
			Message:  err.Error(),
		})
		return found, nil
	}

	for _, target := range f.Targets {
		places, err := findTarget(ctx, t, kind, f, value, target)
		if err != nil {
			return found, err
		}
		found.add(places)
	}
	return found, nil
}

// findTarget finds the places of one pattern in all files that it is for.
func findTarget(ctx context.Context, t *tree.Tree, kind string, f workspace.Fact, value Value, target workspace.Target) (Findings, error) {
	problem := Problem{
		Kind:     kind,
		Severity: "warn",
		Fact:     f.Name,
		Source:   value.Where,
	}
	if target.Pattern.NumSubexp() == 0 {
		problem.Type, problem.Severity = NoGroup, "error"
		problem.Message = fmt.Sprintf("the pattern %q has no group that says which part is the value", target.Pattern)
		return Findings{Problems: []Problem{problem}}, nil
	}

	files, err := t.Matching(ctx, target.Files)
	if err != nil {
		return Findings{}, err
	}

	var found Findings
	for _, file := range files {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		claims, err := claimsIn(t, kind, f.Name, value, file, target.Pattern.Regexp)
		if err != nil {
			unread := problem
			unread.Type, unread.File = Unreadable, file
			unread.Message = err.Error()
			found.Problems = append(found.Problems, unread)
			continue
		}
		found.Claims = append(found.Claims, claims...)
	}

	for _, file := range silent(target, found) {
		problem.Type, problem.File = NoTarget, file
		problem.Message = fmt.Sprintf("the pattern %q matches nothing there", target.Pattern)
		found.Problems = append(found.Problems, problem)
	}
	return found, nil
}

// silent are the files of a target in which nothing was found: each that is named, and the
// pattern of files as a whole if none of its files has a place.
func silent(target workspace.Target, found Findings) []string {
	spoken := map[string]bool{}
	for _, c := range found.Claims {
		spoken[c.File] = true
	}
	for _, p := range found.Problems { // reported already
		spoken[p.File] = true
	}

	var list []string
	for _, g := range target.Files {
		plain := !strings.ContainsAny(g.Pattern, "*?[{\\")
		if plain && !spoken[g.Pattern] {
			list = append(list, g.Pattern)
		}
		if !plain && len(spoken) == 0 {
			list = append(list, g.Pattern)
		}
	}
	return list
}

func claimsIn(t *tree.Tree, kind, name string, value Value, file string, pattern *regexp.Regexp) ([]Claim, error) {
	text, err := t.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var claims []Claim
	for _, at := range pattern.FindAllSubmatchIndex(text, -1) {
		start, end := at[2], at[3]
		if start < 0 { // the group is optional
			continue
		}
		if file == value.File && start == value.Start && end == value.End { // the source itself
			continue
		}

		found := string(text[start:end])
		claims = append(claims, Claim{
			Kind:     kind,
			Fact:     name,
			File:     file,
			Line:     document.LineOf(text, start),
			Start:    start,
			End:      end,
			Found:    found,
			Expected: value.Text,
			Source:   value.Where,
			Write:    inStyleOf(kind, found, value.Text),
		})
	}
	return claims, nil
}

// Same reports whether two spellings state the same value: versions with and without a
// leading v, numbers with and without separators of thousands.
func Same(kind, a, b string) bool {
	switch kind {
	case Version:
		return plainVersion(a) == plainVersion(b)
	case Count, Port:
		return plainNumber(a) == plainNumber(b)
	}
	return a == b
}

func plainVersion(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 1 && (text[0] == 'v' || text[0] == 'V') && text[1] >= '0' && text[1] <= '9' {
		return text[1:]
	}
	return text
}

var grouped = regexp.MustCompile(`^[0-9]{1,3}([,._ '\x{a0}\x{202f}][0-9]{3})+$`)

// plainNumber is a number without separators of thousands and leading zeros.
func plainNumber(text string) string {
	text = strings.TrimSpace(text)
	if grouped.MatchString(text) {
		text = strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, text)
	}
	if digits := strings.TrimLeft(text, "0"); digits != "" && digits[0] >= '0' && digits[0] <= '9' {
		return digits
	}
	return text
}

// inStyleOf writes a value as the place had it: with or without the leading v, with or
// without a separator of thousands, with the white space around it.
func inStyleOf(kind, found, value string) string {
	trimmed := strings.TrimSpace(found)
	written := value

	switch kind {
	case Version:
		written = plainVersion(value)
		if prefix := strings.TrimSuffix(trimmed, plainVersion(trimmed)); prefix != "" {
			written = prefix + written
		}
	case Count:
		if separator := grouped.FindStringSubmatch(trimmed); separator != nil {
			written = group(value, string([]rune(separator[1])[:1]))
		}
	}

	if trimmed == "" {
		return written
	}
	return strings.Replace(found, trimmed, written, 1)
}

// group puts a separator between the thousands of a number.
func group(digits, separator string) string {
	var parts []string
	for len(digits) > 3 {
		parts = append(parts, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	parts = append(parts, digits)
	slices.Reverse(parts)
	return strings.Join(parts, separator)
}

// Conflicts finds claims of the same bytes with different values. They are taken out of the
// claims, so that nothing is written there, and come back as problems.
func (f *Findings) Conflicts() {
	byFile := map[string][]int{}
	for i, c := range f.Claims {
		byFile[c.File] = append(byFile[c.File], i)
	}

	bad := map[int]bool{}
	for _, list := range byFile {
		for i, a := range list {
			for _, b := range list[i+1:] {
				if f.Claims[a].contradicts(f.Claims[b]) {
					bad[a], bad[b] = true, true
				}
			}
		}
	}

	var kept []Claim
	for i, c := range f.Claims {
		if !bad[i] {
			kept = append(kept, c)
			continue
		}
		f.Problems = append(f.Problems, Problem{
			Kind:     c.Kind,
			Type:     Conflict,
			Severity: "error",
			Fact:     c.Fact,
			Source:   c.Source,
			File:     c.File,
			Line:     c.Line,
			Message:  fmt.Sprintf("another source claims the same bytes with another value than %q", c.Expected),
		})
	}
	f.Claims = kept
}

// contradicts reports whether two claims of the same bytes cannot both become right.
func (c Claim) contradicts(other Claim) bool {
	overlap := c.Start < other.End && other.Start < c.End ||
		c.Start == other.Start && c.End == other.End
	agree := Same(c.Kind, c.Expected, other.Expected)
	return overlap && !agree && (c.Wrong() || other.Wrong())
}
