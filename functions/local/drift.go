package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/bots"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/shared/sarif"
)

const driftAbout = `Finds where a project disagrees with itself: versions and counts that pages repeat wrongly,
dead links, commands and paths in documents, members and roles, the sitemap, what documents
say about ports, processes and schedules.

governance.yaml describes the facts. Without it the links, paths, scripts and targets of
README.md, CLAUDE.md and AGENTS.md are checked.`

const driftStatus = `  0  everything that was checked agrees
  1  something disagrees
  2  wrong usage, or a project that cannot be read, or nothing that could be checked
`

// driftOptions are the flags of drift.
type driftOptions struct {
	form  *form
	scope string
	fix   bool
}

var driftScopes = []string{
	drift.Full, drift.Roles, drift.Versions, drift.Files, drift.Processes, drift.Website,
	drift.Platforms, drift.Docs, drift.Bots, drift.Members, drift.SessionFacts,
}

func driftCommand(t terminal) *cobra.Command {
	o := driftOptions{}
	c := command("drift [FOLDER]", "Find where a project disagrees with itself",
		examples(
			"governance drift", "the project in this folder",
			"governance drift --scope files ~/project", "only links, paths, scripts and targets",
			"governance drift --fix", "write what has one right answer, then look again",
			"governance drift --format sarif", "for code scanning",
		),
		func(ctx context.Context, args []string) error {
			if len(args) > 1 {
				return usage("drift takes one folder, not %d", len(args))
			}
			return o.run(ctx, t, cmp.Or(strings.Join(args, ""), "."))
		})
	c.Long = driftAbout
	c.Annotations = map[string]string{exitStatusOf: driftStatus}
	o.form = addForm(c, formSARIF)
	c.Flags().StringVar(&o.scope, "scope", drift.Full, "`scope`: "+strings.Join(driftScopes, ", "))
	c.Flags().BoolVar(&o.fix, "fix", false, "write what has one right answer, then look again")

	names := cobra.FixedCompletions(driftScopes, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("scope", names) // fails only for an unknown flag
	return c
}

func (o *driftOptions) run(ctx context.Context, t terminal, folder string) error {
	if !slices.Contains(driftScopes, o.scope) {
		return usage("--scope is one of %s, not %q", strings.Join(driftScopes, ", "), o.scope)
	}
	if err := needFolder(folder); err != nil {
		return err
	}
	gate, err := preflight.Open(folder, "")
	if err != nil {
		return exit{2, err}
	}
	defer gate.Workspace.Close()

	a := driftAuditOf(gate)
	if o.fix {
		if err := fixDrift(ctx, t, gate, a); err != nil {
			return exit{2, err}
		}
	}

	answer, err := audit.RunDrift(ctx, a, o.scope, maxListedDrifts, progressTo(t))
	if err != nil {
		return exit{2, err}
	}
	if err := o.print(t, answer); err != nil {
		return err
	}

	switch answer.Status {
	case "drift_detected":
		return exit{1, nil}
	case "not_checked":
		return exit{2, errors.New("nothing was checked; the skipped checks say what to describe")}
	}
	return nil
}

// maxListedDrifts is what the command lists at most.
const maxListedDrifts = 10_000

// driftAuditOf is an audit without a server: nothing tells what runs, and the baseline is
// compared only where there is one.
func driftAuditOf(gate *preflight.Gate) *drift.Audit {
	a := &drift.Audit{
		Workspace: gate.Workspace,
		Builtins:  fact.Builtins{"mcp_tools": tools.Count},
		Now:       time.Now,
		Facts:     audit.SessionFacts(gate.Workspace),
		Bots:      bots.Drifts,
	}
	if f, err := gate.Workspace.Open(workspace.StateDir + "/baseline.json"); err == nil {
		_ = f.Close()
		a.Net = netOf(gate)
	}
	return a
}

// progressTo tells a person each second how many files were looked at.
func progressTo(t terminal) func(int) {
	if !t.person {
		return nil
	}
	told := time.Now()
	return func(done int) {
		if time.Since(told) < time.Second {
			return
		}
		told = time.Now()
		fmt.Fprintf(t.err, "%d files looked at\n", done)
	}
}

// fixDrift writes facts, members and documents, and says which files changed.
func fixDrift(ctx context.Context, t terminal, gate *preflight.Gate, a *drift.Audit) error {
	d := ops.PropagateDeps{
		Propagator: &propagate.Propagator{
			Audit: a,
			Writer: &edit.Writer{
				Workspace: gate.Workspace,
				Gate:      gate,
				Log:       gate.Log,
				Now:       time.Now,
			},
		},
		Workspace: gate.Workspace,
		Now:       time.Now,
	}

	facts, err := ops.RunPropagators(ctx, d, "governance drift", false, nil)
	if err != nil {
		return err
	}
	for _, r := range facts.Results {
		for _, f := range r.Files {
			fmt.Fprintf(t.err, "%s: %s %s\n", f.Path, f.Status, f.Reason)
		}
	}

	members, err := ops.RunMembers(ctx, d, "governance drift", false, "")
	if err != nil {
		return err
	}
	for _, f := range members.AutoFixed {
		fmt.Fprintf(t.err, "%s: added %s\n", f.File, strings.Join(f.Members, ", "))
	}

	docs, err := d.Propagator.Docs(ctx, "governance drift", facts.Mode != "apply", nil)
	if err != nil {
		return err
	}
	for _, e := range docs.Edits {
		if e.Applied {
			fmt.Fprintf(t.err, "%s:%d: %s is now %s\n", e.File, e.Line, e.From, e.To)
		}
	}
	return nil
}

func (o *driftOptions) print(t terminal, answer audit.Drift) error {
	switch o.form.name {
	case formJSON:
		return printJSON(t, answer)
	case formSARIF:
		return printDriftSARIF(t, answer)
	}
	return printDriftTable(t, answer)
}

// printDriftTable prints the drifts by file, then what was checked and what was not.
func printDriftTable(t terminal, answer audit.Drift) error {
	table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
	for _, d := range answer.Drifts {
		place := d.Target
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d", d.Target, d.Line)
		}
		fix := ""
		if d.Fixable {
			fix = " (--fix)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s%s\n", d.Severity, printable(place), d.Type, printable(d.Message), fix)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	printSkipped(t, answer)
	fmt.Fprintf(t.err, "%s: %d places checked, %d drifts\n", answer.Status, answer.Checked, answer.Count)
	return nil
}

// printSkipped says what was not checked: in one line after a full audit, and with the reason
// where a scope was asked for.
func printSkipped(t terminal, answer audit.Drift) {
	var names []string
	for _, s := range answer.Skipped {
		names = append(names, s.Check)
		if answer.Scope != drift.Full {
			fmt.Fprintf(t.err, "skipped %s: %s. %s\n", s.Check, s.Reason, s.Enable)
		}
	}
	if answer.Scope == drift.Full && len(names) > 0 {
		fmt.Fprintf(t.err, "not checked: %s (--format json says why)\n", strings.Join(names, ", "))
	}
}

func printDriftSARIF(t terminal, answer audit.Drift) error {
	var report sarif.Report
	for _, d := range answer.Drifts {
		rule := sarif.Rule{
			ID:      d.Type,
			Name:    d.Type,
			Short:   sarif.Text{Text: strings.ReplaceAll(d.Type, "_", " ")},
			Help:    sarif.Text{Text: "Make the place agree with its source, or correct the source."},
			Default: sarif.Level{Level: sarifLevel(d.Severity)},
		}
		report.Add(rule, sarif.Result{
			Level:        sarifLevel(d.Severity),
			Message:      sarif.Text{Text: d.Message},
			Locations:    []sarif.Location{sarif.At(d.Target, d.Line, 1)},
			Fingerprints: map[string]string{"drift/v1": driftFingerprint(d)},
		})
	}
	return printSARIF(t, "governance drift", report)
}

// driftFingerprint stays the same when lines move.
func driftFingerprint(d drift.Drift) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Type, d.Source, d.Target, d.Field, d.Found}, "\x00")))
	return hex.EncodeToString(sum[:10])
}
