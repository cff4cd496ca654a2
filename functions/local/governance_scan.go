package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/evidence"
	"governance.internal/functions/toolserver/session/handoff"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/scan"
	"governance.internal/shared/wiring"
)

const governanceAbout = `Judges how an agent system is governed, in nine dimensions with levels from 0 to 4.

From a description in plain English it reads what is said to be done, by what means, and whether
the means can be skipped; a list of names earns nothing. With --workspace it reads the evidence
in a project instead, which no text can talk up: the audit chain, the hook, the lists of
governance.yaml, the handoff. It runs on this machine alone and sends nothing.

A description has up to 20,000 characters; - reads standard input.`

const governanceStatus = `  0  the scan answered, whatever the score
  2  wrong usage, or a description that is too long or not UTF-8
`

// governanceScan are the flags of scan.
type governanceScan struct {
	form            *form
	workspace, data string
}

func scanCommand(t terminal) *cobra.Command {
	o := governanceScan{}
	c := command("scan FILE", "Score the governance of an agent system",
		examples(
			"governance scan about.txt", "score a description; the evidence is quoted",
			"governance scan --format json -", "for programs, from standard input",
			"governance scan --workspace .", "score what is really there",
		),
		func(ctx context.Context, args []string) error {
			return o.run(ctx, t, args)
		})
	c.Long = governanceAbout
	c.Annotations = map[string]string{exitStatusOf: governanceStatus}
	o.form = addForm(c)
	c.Flags().StringVar(&o.workspace, "workspace", "", "`directory` of a project whose evidence is scanned")
	c.Flags().StringVar(&o.data, "data", "", "data `directory` of the service; default: "+workspace.DataDir+" in the project")
	return c
}

func (o *governanceScan) run(ctx context.Context, t terminal, args []string) error {
	if o.workspace != "" {
		if len(args) > 0 {
			return usage("scan takes a description or --workspace, not both")
		}
		return o.runWorkspace(ctx, t)
	}
	if len(args) != 1 {
		return usage("scan takes one file, or - for standard input, not %d", len(args))
	}

	description, err := readText(t, args[0], mostDescriptionBytes)
	if err != nil {
		return exit{2, err}
	}
	result, err := scan.Describe(description)
	if err != nil {
		return exit{2, err}
	}
	return o.print(t, result)
}

func (o *governanceScan) print(t terminal, result *scan.Result) error {
	if o.form.isJSON() {
		return printJSON(t, result)
	}
	return printScan(t, result)
}

// runWorkspace scans the evidence in a project.
func (o *governanceScan) runWorkspace(ctx context.Context, t terminal) error {
	w, err := workspace.Open(o.workspace)
	if err != nil {
		return exit{2, fmt.Errorf("--workspace %s cannot be opened: %w", o.workspace, err)}
	}
	defer w.Close()

	data := o.data
	if data == "" {
		data = filepath.Join(o.workspace, workspace.DataDir)
	}
	probe := evidence.Probe{
		Workspace: w,
		Verify: func(ctx context.Context) (evidence.Chain, error) {
			return verifiedChain(ctx, auditfile.Path(data, wiring.ChainName))
		},
		CheckHandoff: handoff.Check,
		CanStart: func(program string) error {
			_, err := exec.LookPath(program)
			return err
		},
		Now: time.Now,
	}

	facts, err := probe.Facts(ctx)
	if err != nil {
		return exit{2, err}
	}
	return o.print(t, scan.FromFacts(facts))
}

// verifiedChain verifies the chain in a file against the head that was noted beside it.
func verifiedChain(ctx context.Context, file string) (evidence.Chain, error) {
	if _, err := os.Stat(file); err != nil {
		return evidence.Chain{}, err
	}
	anchors, err := notedHead(file)
	if err != nil {
		return evidence.Chain{}, err
	}

	report, err := verifySource(ctx, file, anchors)
	return evidence.Chain{
		Valid:    report.Valid,
		Entries:  report.Entries,
		Anchored: len(anchors) > 0,
	}, err
}

// mostDescriptionBytes is more than the longest description needs; reading stops there.
const mostDescriptionBytes = 4*scan.MaxPoints + 4

// printScan prints a result for people.
func printScan(t terminal, r *scan.Result) error {
	p := &page{out: t.out}
	p.line("Score: %d of 100", r.Score)

	p.heading("dimensions")
	for _, d := range r.Dimensions {
		p.line("%d of 4  %s", d.Level, d.Name)
		for _, e := range d.Evidence {
			p.quote(e.Quote, e.Start, e.End)
		}
		for _, found := range d.Found {
			p.line("    %s", printable(found))
		}
	}

	p.heading("gaps")
	for i, g := range r.Gaps {
		p.line("%s: %s. %s", g.Severity, g.Dimension, g.Why)
		p.line("    %s (tool %s)", r.Fixes[i].Action, r.Fixes[i].Tool)
	}

	p.heading("next")
	for _, d := range r.Dimensions {
		if d.Next != "" {
			p.line("  %s: %s", d.Name, d.Next)
		}
	}
	return p.err
}
