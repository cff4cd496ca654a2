package drift

import (
	"context"
	"fmt"
	"path"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/ignore"
	"governance.internal/functions/toolserver/inspect/references"
)

// Types of drifts of files. The types of dead references are those of package references,
// with "dead_" before them.
const (
	GovernedMissing  = "governed_path_missing"
	ProtectedChanged = "protected_file_changed"
)

// files looks whether the governed files are there and unchanged, and whether the
// documents name files, scripts and targets that exist.
func (s *scan) files(ctx context.Context) (Result, error) {
	var r Result
	s.governed(&r)
	s.baseline(ctx, &r)
	everything := func(string) bool { return true }
	if err := s.references(ctx, &r, s.documentNames(), everything); err != nil {
		return r, err
	}

	if r.Checked == 0 && len(r.Skipped) == 0 {
		r.skip(Files, "there is no document and no governed file", "Add README.md, or "+enable("docs and untouchable"))
	}
	return r, nil
}

// governed looks for the files and folders that the lists name. A pattern counts by the
// folder that it begins with: that no file matches **/*.pem is no drift.
func (s *scan) governed(r *Result) {
	lists := []struct {
		name  string
		globs []workspace.Glob
	}{
		{"untouchable", s.state.Config.Untouchable},
		{"protected", s.state.Config.Protected},
	}
	local := s.leftToEachMachine()
	for _, list := range lists {
		for _, g := range list.globs {
			place := fixedPart(g.Pattern)
			if place == "" {
				continue
			}
			r.Checked++
			if s.tree.IsThere(place) || local.Match(place) || local.Match(place+"/x") {
				continue
			}
			r.found(Drift{
				Type:     GovernedMissing,
				Source:   workspace.FileName,
				Target:   place,
				Field:    list.name,
				Expected: g.Pattern,
				Severity: finding.Error,
				Message:  fmt.Sprintf("%s names %s (line %d), and it does not exist", list.name, g.Pattern, g.Line),
			})
		}
	}
}

// leftToEachMachine are the patterns of .gitignore in the root: files such as .env that a
// fresh clone does not have.
func (s *scan) leftToEachMachine() ignore.Rules {
	var rules ignore.Rules
	if text, err := s.tree.Read(".gitignore"); err == nil {
		rules.Add(".", string(text))
	}
	return rules
}

// fixedPart is the part of a pattern before the first wildcard, by whole names; "" if it
// begins with one, or may stand anywhere.
func fixedPart(pattern string) string {
	var fixed []string
	parts := strings.Split(path.Clean(strings.TrimPrefix(pattern, "/")), "/")
	for _, part := range parts {
		if strings.ContainsAny(part, "*?[{\\") {
			break
		}
		fixed = append(fixed, part)
	}
	place := path.Join(fixed...)
	if place == ".." || strings.HasPrefix(place, "../") || strings.HasPrefix(pattern, "~") {
		return ""
	}
	return place
}

// baseline compares the governed files with what they were.
func (s *scan) baseline(ctx context.Context, r *Result) {
	if s.Net == nil {
		if s.state.Configured {
			r.skip("files.baseline", "only the running server keeps the baseline", "Ask the running server.")
		}
		return
	}

	changes, checked, err := s.Net.Compare(ctx)
	if err != nil {
		r.skip("files.baseline", "the baseline cannot be compared: "+err.Error(), "")
		return
	}
	r.Checked += checked
	for _, c := range changes {
		r.found(Drift{
			Type:     ProtectedChanged,
			Source:   "baseline",
			Target:   c.Path,
			Field:    c.List,
			Found:    c.Kind,
			Severity: finding.Error,
			Message:  fmt.Sprintf("%s is %s and was %s outside of the guard", c.Path, c.List, c.Kind),
		})
	}
}

// documentNames are the documents that are read: those of the workspace file, or the usual
// ones.
func (s *scan) documentNames() []string {
	var names []string
	for _, d := range s.state.Config.Docs {
		names = append(names, path.Clean(d.Path))
	}
	if len(names) > 0 {
		return names
	}

	for _, name := range []string{"README.md", "CLAUDE.md", "AGENTS.md"} {
		if s.tree.IsFile(name) {
			names = append(names, name)
		}
	}
	return names
}

// references looks whether what documents and container files name is there: links, paths,
// scripts and targets. Only files of the scope count.
func (s *scan) references(ctx context.Context, r *Result, names []string, ofScope func(file string) bool) error {
	project := references.Of(s.Workspace.Files())
	project.Read = func(name string, most int64) ([]byte, error) { return s.Workspace.ReadFile(name, most) }
	project.Ignored = s.tree.Ignored
	found, err := references.Check(ctx, project, names)
	if err != nil {
		return err
	}

	r.Checked += found.Checked
	for _, why := range found.Unread {
		r.skip("files.references", why, "")
	}
	for _, d := range found.Dead {
		if !ofScope(d.Doc) {
			continue
		}
		r.found(Drift{
			Type:     "dead_" + d.Kind,
			Source:   "workspace",
			Target:   d.Doc,
			Field:    d.Kind,
			Found:    d.Target,
			Severity: finding.Error,
			Line:     d.Line,
			Message:  fmt.Sprintf("%s: %s", d.Target, d.Why),
		})
	}
	return nil
}
