package drift

import (
	"context"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of facts, besides those of package fact.
const (
	VersionMismatch = "version_mismatch"
	CountMismatch   = "count_mismatch"
)

// versions compares every place that repeats a version with its source.
func (s *scan) versions(ctx context.Context) (Result, error) {
	var r Result
	list := withTargets(s.state.Config.Versions)
	if len(list) == 0 {
		r.skip(Versions, "no place is named that repeats a version", enable("versions with their targets"))
		return r, nil
	}

	found, err := s.versionFindings(ctx)
	if err != nil {
		return r, err
	}
	r.addFindings(found, VersionMismatch, func(string) bool { return true })
	return r, nil
}

func withTargets(facts []workspace.Fact) []workspace.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f workspace.Fact) bool { return len(f.Targets) == 0 })
}

// versionFindings and countFindings see all facts, so that two facts that claim the same
// bytes are found even if they are of different kinds.
func (s *scan) versionFindings(ctx context.Context) (fact.Findings, error) {
	return s.findings(ctx, fact.Version)
}

func (s *scan) countFindings(ctx context.Context) (fact.Findings, error) {
	return s.findings(ctx, fact.Count)
}

func (s *scan) findings(ctx context.Context, kind string) (fact.Findings, error) {
	if s.claims == nil {
		all, err := Claims(ctx, s.tree, s.Builtins)
		if err != nil {
			return fact.Findings{}, err
		}
		s.claims = all
	}
	return s.claims[kind], nil
}

// addFindings turns claims that are wrong, and problems, into drifts. Only files of the
// scope count; a problem without a file counts everywhere.
func (r *Result) addFindings(found fact.Findings, kind string, ofScope func(file string) bool) {
	for _, c := range found.Claims {
		if !ofScope(c.File) {
			continue
		}
		r.Checked++
		if c.Wrong() {
			r.found(driftOf(c, kind))
		}
	}

	for _, p := range found.Problems {
		if p.File != "" && p.Type != fact.SourceMissing && !ofScope(p.File) {
			continue
		}
		r.Checked++
		target := p.File
		if p.Type == fact.SourceMissing || target == "" {
			target = workspace.FileName
		}
		r.found(Drift{
			Type:     p.Type,
			Source:   p.Source,
			Target:   target,
			Field:    p.Fact,
			Severity: p.Severity,
			Line:     p.Line,
			Message:  p.Message,
		})
	}
}

func driftOf(c fact.Claim, kind string) Drift {
	d := Drift{
		Type:     kind,
		Source:   c.Source,
		Target:   c.File,
		Field:    c.Fact,
		Expected: c.Expected,
		Found:    c.Found,
		Severity: finding.Error,
		Line:     c.Line,
		Fixable:  c.Fixed == "",
		Message:  c.File + " says " + c.Found + ", and " + c.Source + " says " + c.Expected,
	}
	if c.Fixed != "" {
		d.Message += "; not fixable: " + c.Fixed
	}
	return d
}

// isDocument reports whether a file is written for people to read as text.
func isDocument(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org":
		return true
	}
	return false
}

// isDoc reports whether a file belongs to scope docs: a document, or one that is listed
// under docs.
func (s *scan) isDoc(name string) bool {
	return isDocument(name) || slices.ContainsFunc(s.state.Config.Docs, func(d workspace.Document) bool {
		return path.Clean(d.Path) == name
	})
}
