package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/tools/web"
)

const pagesAbout = `Finds what is wrong with the pages of a website: links, pictures, requests and modules that
lead to nothing, scripts that do not parse, texts that were never written, empty sections,
missing icons and previews.

Addresses are resolved as a browser does. governance.yaml names the folder of the website, its
routes and what every page must have; without it public, web, site or docs is looked at.`

const pagesStatus = `  0  nothing is wrong
  1  something is wrong
  2  wrong usage, or a project that cannot be read, or no page that could be checked
`

// pagesOptions are the flags of pages.
type pagesOptions struct {
	acceptance
	form *form
	page string
	live bool
}

func pagesCommand(t terminal) *cobra.Command {
	o := pagesOptions{}
	c := command("pages [FOLDER]", "Find what is wrong with the pages of a website",
		examples(
			"governance pages", "the website of the project in this folder",
			"governance pages --page about.html ~/project", "one page",
			"governance pages --format sarif", "for code scanning",
			"governance pages --live", "also ask the hosts of website.live.allow_hosts",
		),
		func(ctx context.Context, args []string) error {
			if len(args) > 1 {
				return usage("pages takes one folder, not %d", len(args))
			}
			return o.run(ctx, t, cmp.Or(strings.Join(args, ""), "."))
		})
	c.Long = pagesAbout
	c.Annotations = map[string]string{exitStatusOf: pagesStatus}
	o.form = addForm(c, formSARIF)
	c.Flags().StringVar(&o.page, "page", pages.All, "`page`, from the root of the website")
	c.Flags().BoolVar(&o.live, "live", false, "make the live checks that governance.yaml allows")
	o.addFlags(c)
	return c
}

func (o *pagesOptions) run(ctx context.Context, t terminal, folder string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := needFolder(folder); err != nil {
		return err
	}
	w, err := workspace.Open(folder)
	if err != nil {
		return exit{2, err}
	}
	defer w.Close()

	answer, err := web.RunHealth(ctx, o.checkOf(w), o.page, maxListedFindings, progressTo(t))
	if err != nil {
		return exit{2, err}
	}
	kept, accepted, err := o.leaveOut(findingsOf(answer))
	if err != nil {
		return err
	}
	if o.accept {
		return o.take(t, kept)
	}

	keepIssues(&answer, kept)
	if err := o.print(t, answer, kept, accepted); err != nil {
		return err
	}
	switch {
	case worst(kept, finding.Warn):
		return exit{1, nil}
	case answer.Checked == 0:
		return exit{2, errors.New("no page was checked; the skipped checks say what to describe")}
	}
	return nil
}

// maxListedFindings is what the command lists at most.
const maxListedFindings = 10_000

func (o *pagesOptions) checkOf(w *workspace.Workspace) *pages.Check {
	c := &pages.Check{
		Workspace: w,
		Now:       time.Now,
	}
	if o.live {
		c.Probe = pages.Network()
	}
	return c
}

// keepIssues leaves in the answer what is not accepted.
func keepIssues(answer *web.Health, kept []finding.Finding) {
	fingerprints := map[string]bool{}
	for _, f := range kept {
		fingerprints[f.Fingerprint] = true
	}
	answer.Issues = slices.DeleteFunc(answer.Issues, func(issue pages.Finding) bool {
		return !fingerprints[issue.Fingerprint]
	})
	answer.Count = len(answer.Issues)
}

// findingsOf are the issues in the form of all scanners, each with its detail.
func findingsOf(answer web.Health) []finding.Finding {
	var list []finding.Finding
	for _, issue := range answer.Issues {
		f := issue.Finding
		f.Rule = issue.Type
		f.Message = strings.TrimSuffix(f.Message, ".") + ": " + issue.Detail + "."
		list = append(list, f)
	}
	return list
}

func (o *pagesOptions) print(t terminal, answer web.Health, kept []finding.Finding, accepted int) error {
	switch o.form.name {
	case formJSON:
		return printJSON(t, answer)
	case formSARIF:
		return printFindingsSARIF(t, "governance pages", kept)
	}
	if err := printFindingTable(t, kept); err != nil {
		return err
	}

	for _, s := range answer.Skipped {
		fmt.Fprintf(t.err, "skipped %s: %s. %s\n", s.Check, s.Reason, s.Enable)
	}
	fmt.Fprintf(t.err, "%s: %d pages checked, %d findings, %d accepted\n", answer.Status, answer.Checked, len(kept), accepted)
	return nil
}
