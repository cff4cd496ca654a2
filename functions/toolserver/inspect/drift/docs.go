package drift

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of documents.
const (
	DocMissing          = "doc_missing"
	DocStale            = "doc_stale"
	PortMismatch        = "port_mismatch"
	ProcessMismatch     = "process_count_mismatch"
	ProcessUndocumented = "process_undocumented"
	ProcessUnknown      = "process_unknown"
	CronMismatch        = "cron_mismatch"
	CronUndocumented    = "cron_undocumented"
)

// What a document may be checked for.
const (
	checkPaths     = "paths"
	checkPorts     = "ports"
	checkProcesses = "processes"
	checkCommands  = "commands"
	checkCron      = "cron"
)

// docs compares the documents with the facts that they state.
func (s *scan) docs(ctx context.Context) (Result, error) {
	var r Result
	counts, err := s.countFindings(ctx)
	if err != nil {
		return r, err
	}
	r.addFindings(counts, CountMismatch, s.isDoc)

	var named []string // documents whose paths and commands are checked
	for _, d := range s.state.Config.Docs {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if !s.doc(&r, d) {
			continue
		}
		if slices.Contains(d.Check, checkPaths) || slices.Contains(d.Check, checkCommands) {
			named = append(named, path.Clean(d.Path))
		}
	}
	if len(named) > 0 {
		isNamed := func(file string) bool { return slices.Contains(named, file) }
		if err := s.references(ctx, &r, named, isNamed); err != nil {
			return r, err
		}
	}

	if r.Checked == 0 {
		r.skip(Docs, "no document is described", enable("docs with check, warn_age or max_age"))
	}
	return r, nil
}

// doc checks one document, and reports whether it can be read.
func (s *scan) doc(r *Result, d workspace.Document) bool {
	name := path.Clean(d.Path)
	text, err := s.tree.Read(name)
	if err != nil {
		r.Checked++
		message := "the document cannot be read: " + err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			message = "the document does not exist"
		}
		r.found(Drift{
			Type:     DocMissing,
			Source:   workspace.FileName,
			Target:   name,
			Field:    "path",
			Expected: name,
			Severity: finding.Error,
			Message:  message,
		})
		return false
	}

	s.age(r, name, d)
	lines := readLines(string(text))
	for _, each := range []struct {
		name  string
		check func(*scan, *Result, string, []line)
	}{
		{checkPorts, (*scan).statedPorts},
		{checkProcesses, (*scan).statedProcesses},
		{checkCron, (*scan).statedSchedules},
	} {
		if slices.Contains(d.Check, each.name) {
			each.check(s, r, name, lines)
		}
	}
	return true
}

// age compares when a document was changed with how old it may be.
func (s *scan) age(r *Result, name string, d workspace.Document) {
	if d.WarnAge == 0 && d.MaxAge == 0 {
		return
	}
	info, err := fs.Stat(s.Workspace.Files(), name)
	if err != nil {
		return
	}

	r.Checked++
	age := s.Now().Sub(info.ModTime())
	severity, limit := "", time.Duration(0)
	if d.WarnAge > 0 && age > time.Duration(d.WarnAge) {
		severity, limit = finding.Warn, time.Duration(d.WarnAge)
	}
	if d.MaxAge > 0 && age > time.Duration(d.MaxAge) {
		severity, limit = finding.Error, time.Duration(d.MaxAge)
	}
	if severity == "" {
		return
	}
	r.found(Drift{
		Type:     DocStale,
		Source:   workspace.FileName,
		Target:   name,
		Field:    "age",
		Expected: "at most " + limit.String(),
		Found:    age.Truncate(time.Minute).String(),
		Severity: severity,
		Message:  fmt.Sprintf("the document was last changed %s ago", age.Truncate(time.Minute)),
	})
}

// statedPorts compares the ports that a document states with the declared ones.
func (s *scan) statedPorts(r *Result, name string, lines []line) {
	if len(s.declaredPorts()) == 0 {
		r.skip("docs."+name+".ports", "no port is declared", enable("processes.expected[].ports or ports.expected"))
		return
	}
	for _, c := range s.portClaims(name, lines) {
		r.Checked++
		if c.Wrong() {
			r.found(driftOf(c, PortMismatch))
		}
	}
}

// statedProcesses looks whether a document names every process, and how many it says there
// are.
func (s *scan) statedProcesses(r *Result, name string, lines []line) {
	expected := s.state.Config.Processes.Expected
	if len(expected) == 0 {
		r.skip("docs."+name+".processes", "no process is expected", enable("processes.expected"))
		return
	}

	for _, p := range expected {
		r.Checked++
		if !namesInCode(lines, p.Name) {
			r.found(Drift{
				Type:     ProcessUndocumented,
				Source:   workspace.FileName,
				Target:   name,
				Field:    p.Name,
				Expected: p.Name,
				Severity: finding.Error,
				Message:  "the document does not name the process " + p.Name + " in code marks",
			})
		}
	}
	s.unknownProcesses(r, name, lines)
	for _, c := range s.processClaims(name, lines) {
		r.Checked++
		if c.Wrong() {
			r.found(driftOf(c, ProcessMismatch))
		}
	}
}

func (s *scan) unknownProcesses(r *Result, name string, lines []line) {
	for _, l := range lines {
		if len(l.header) == 0 || !isProcessColumn(l.header[0]) || ruleLine.MatchString(l.text) {
			continue
		}
		cells := cellsOf(l.text)
		if len(cells) == 0 {
			continue
		}
		stated := codes.FindStringSubmatch(cells[0].text)
		if stated == nil || s.isProcess(stated[1]) {
			continue
		}
		r.Checked++
		r.found(Drift{
			Type:     ProcessUnknown,
			Source:   workspace.FileName,
			Target:   name,
			Field:    stated[1],
			Found:    stated[1],
			Severity: finding.Warn,
			Line:     l.number,
			Message:  "the document names the process " + stated[1] + ", and the workspace file does not",
		})
	}
}

func isProcessColumn(header string) bool {
	return header == "process" || header == "processes"
}

func (s *scan) isProcess(name string) bool {
	return slices.ContainsFunc(s.state.Config.Processes.Expected, func(p workspace.Process) bool { return p.Name == name })
}

func namesInCode(lines []line, name string) bool {
	for _, l := range lines {
		for _, code := range codes.FindAllStringSubmatch(l.text, -1) {
			if plainText(code[1]) == name {
				return true
			}
		}
	}
	return false
}

// DocClaims are the places in documents that state a version, a count, a port or a number of
// processes, and what keeps some of them from being compared. Ports and processes count
// where a document is checked for them.
func (a *Audit) DocClaims(ctx context.Context) (fact.Findings, error) {
	s, err := a.scan()
	if err != nil {
		return fact.Findings{}, err
	}
	byKind, err := Claims(ctx, s.tree, a.Builtins)
	if err != nil {
		return fact.Findings{}, err
	}

	var all fact.Findings
	for _, kind := range []string{fact.Version, fact.Count} {
		for _, c := range byKind[kind].Claims {
			if s.isDoc(c.File) {
				all.Claims = append(all.Claims, c)
			}
		}
		for _, p := range byKind[kind].Problems {
			if p.File == "" || s.isDoc(p.File) || p.Type == fact.SourceMissing {
				all.Problems = append(all.Problems, p)
			}
		}
	}
	all.Claims = append(all.Claims, s.statedClaims()...)
	all.Conflicts()
	return all, nil
}

// statedClaims are the ports and the numbers of processes in documents.
func (s *scan) statedClaims() []fact.Claim {
	var claims []fact.Claim
	for _, d := range s.state.Config.Docs {
		name := path.Clean(d.Path)
		text, err := s.tree.Read(name)
		if err != nil { // scope docs reports it
			continue
		}
		lines := readLines(string(text))
		if slices.Contains(d.Check, checkPorts) && len(s.declaredPorts()) > 0 {
			claims = append(claims, s.portClaims(name, lines)...)
		}
		if slices.Contains(d.Check, checkProcesses) && len(s.state.Config.Processes.Expected) > 0 {
			claims = append(claims, s.processClaims(name, lines)...)
		}
	}
	return claims
}
