// Package pages finds what is wrong with the pages of a website: links, pictures and
// requests that lead to nothing, code that does not parse, sections that stayed empty.
//
// Addresses are resolved as a browser resolves them, against the files below the root of the
// website, its routes and its redirects. Nothing is executed, and nothing leaves the machine
// unless the workspace file allows live checks.
package pages

import (
	"context"
	"errors"
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
)

// All means every page of the website.
const All = "all"

// ErrNoPage says that a name is no page of the website.
var ErrNoPage = errors.New("this is no page of the website")

// Check looks at the pages of a workspace.
type Check struct {
	Workspace *workspace.Workspace
	Now       func() time.Time
	Probe     Probe // nil to make no live check, whatever the workspace file allows
}

// Report is the result of a check.
type Report struct {
	Pages    int // that were read
	Findings []Finding
	Skipped  []finding.Skipped
	Limits   []string // limits that were met
}

// Run checks one page, by its path from the root of the website or of the workspace, or
// [All]. Progress receives the number of files that were looked at; it may be nil. The error
// is [ErrNoPage], or that of the workspace file or of the context.
func (c *Check) Run(ctx context.Context, name string, progress func(done int)) (Report, error) {
	state, err := c.Workspace.Load()
	if err != nil {
		return Report{}, err
	}

	files := tree.Of(c.Workspace, state.Config)
	files.Progress = progress
	s := &scan{
		Check:    c,
		ctx:      ctx,
		site:     Of(files),
		known:    state.Configured,
		pages:    map[string]*page{},
		sheets:   map[string]*sheet{},
		scripts:  map[string]*script{},
		reported: map[place]bool{},
	}
	return s.run(name)
}

// scan is one run over a website.
type scan struct {
	*Check
	ctx     context.Context
	site    *Site
	known   bool // a workspace file describes the website
	pages   map[string]*page
	sheets  map[string]*sheet
	scripts map[string]*script

	redirects []redirect
	outside   bool             // the page that is read is not one of those that are checked
	asked     map[string]reply // live
	report    Report
	reported  map[place]bool
}

func (s *scan) run(name string) (Report, error) {
	s.report.Findings = []Finding{}
	s.report.Skipped = []finding.Skipped{}
	files, err := s.files()
	if err != nil {
		return Report{}, err
	}

	only := ""
	if name != All {
		found, ok := s.site.PageNamed(files, name)
		if !ok {
			return Report{}, ErrNoPage
		}

		only = found
	}

	s.redirects = s.readRedirects()
	var list []*page
	for _, file := range files {
		if err := s.ctx.Err(); err != nil {
			return Report{}, err
		}
		if p := s.page(file); p != nil {
			list = append(list, p)
		}
	}

	s.report.Pages = len(list)
	if err := s.judge(list); err != nil {
		return Report{}, err
	}
	if only != "" {
		s.keep(only)
	}
	if s.report.Pages == 0 && len(s.report.Skipped) == 0 {
		s.skip("pages", "the website has no page", "Describe website.root and website.pages in "+workspace.FileName+".")
	}

	s.report.complete()
	return s.report, s.ctx.Err()
}

// files are those of all pages.
func (s *scan) files() ([]string, error) {
	if !s.site.Described() {
		s.skip("pages", "no website is described, and none was found", "Describe website in "+workspace.FileName+".")
		return nil, nil
	}

	files, err := s.site.Pages(s.ctx)
	if err != nil {
		return nil, err
	}
	if s.site.Incomplete(s.ctx) {
		s.report.Limits = append(s.report.Limits, "max_files")
	}
	return files, nil
}

// judge holds what was read of the pages against the files of the website, and against each
// other.
func (s *scan) judge(list []*page) error {
	for _, p := range list {
		if err := s.ctx.Err(); err != nil {
			return err
		}

		s.judgePage(p)
	}

	s.judgePreviews(list)
	s.judgeMenus(list)
	s.judgeScripts()
	s.judgeSheets()
	if len(list) > 0 {
		s.judgeRedirects()
	}
	return s.ctx.Err()
}

// judgePage reports what is wrong with a page by itself, and with its addresses.
func (s *scan) judgePage(p *page) {
	for _, f := range p.findings {
		s.found(f)
	}

	for _, r := range p.references {
		s.judgeReference(r)
	}

	s.judgeIcon(p)
	s.judgeAge(p)
}

// keep leaves of the report what concerns one page, and the files that it loads.
func (s *scan) keep(file string) {
	loads := map[string]bool{file: true}
	for _, each := range s.scripts {
		loads[each.file] = loads[each.file] || slices.Contains(each.users, file)
	}

	for _, each := range s.sheets {
		loads[each.file] = loads[each.file] || slices.Contains(each.users, file)
	}

	s.report.Pages = min(s.report.Pages, 1)
	s.report.Findings = slices.DeleteFunc(s.report.Findings, func(f Finding) bool {
		return !loads[f.Path]
	})
}

func (s *scan) skip(check, reason, enable string) {
	s.report.Skipped = append(s.report.Skipped, finding.Skipped{
		Check:  check,
		Reason: reason,
		Enable: enable,
	})
}
