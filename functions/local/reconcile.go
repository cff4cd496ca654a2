package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/reconcile"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/wiring"
)

// reconciliation are the flags of the command reconcile.
type reconciliation struct {
	folder string
	chain  string
	since  string
	form   *form
}

func reconcileCommand(t terminal) *cobra.Command {
	o := reconciliation{}
	c := command("reconcile", "Find changes of governed files that are not on the record",
		examples(
			"governance reconcile --workspace ~/project", "compare since the baseline was taken",
			"governance reconcile --since 24h --format json", "the last day, for a program",
			"governance reconcile --chain http://localhost:8402/audit/export", "compare with the audit trail of a service, too",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("reconcile", args); err != nil {
				return err
			}
			return o.run(ctx, t)
		})
	c.Long = `Compares the governed files, the last commit and what the watcher saw with the outcomes that the
hooks wrote down, and the journal of the hooks with the audit trail. A change without an entry
is an unexplained_change.`
	c.Annotations = map[string]string{exitStatusOf: reconcileStatus}
	set := c.Flags()
	set.StringVar(&o.folder, "workspace", "", "`directory` of the project")
	set.StringVar(&o.since, "since", "", "only changes after this `time`: a date, a time as in RFC 3339, or an age such as 24h or 30d")
	set.StringVar(&o.chain, "chain", "", "`file` or address of the audit trail; default: the one in "+workspace.DataDir+" of the project, if there is one")
	o.form = addForm(c)
	return c
}

const reconcileStatus = `  0  every change that was found has an entry
  1  changes or records are missing, or nothing can be said; the claim says which
`

func (o reconciliation) run(ctx context.Context, t terminal) error {
	since, err := momentOf(o.since, time.Now())
	if err != nil {
		return usage("--since: %w", err)
	}

	folder := cmp.Or(o.folder, preflight.Governed())
	gate, err := preflight.Open(folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	comparison := reconcile.Comparison{
		Net:     netOf(gate),
		Journal: outcome.Journal{Workspace: gate.Workspace},
		Since:   since,
	}
	if source := o.source(folder); source != "" {
		if comparison.Entries, err = hookEntries(ctx, source); err != nil {
			return fmt.Errorf("--chain: %w", err)
		}
	}

	report, err := comparison.Run(ctx)
	if err != nil {
		return err
	}

	if o.form.isJSON() {
		err = printJSON(t, report)
	} else {
		printReconciliation(t, report)
	}
	if err == nil && !report.Complete {
		return exit{1, nil}
	}
	return err
}

// source is where the audit trail is, "" if there is none.
func (o reconciliation) source(folder string) string {
	if o.chain != "" {
		return o.chain
	}
	file := auditfile.Path(filepath.Join(folder, workspace.DataDir), wiring.ChainName)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

func hookEntries(ctx context.Context, source string) (*reconcile.Entries, error) {
	chain, _, err := openChain(ctx, source)
	if err != nil {
		return nil, err
	}
	entries, err := reconcile.ReadEntries(chain)
	return entries, errors.Join(err, chain.Close())
}

func printReconciliation(t terminal, r reconcile.Report) {
	for _, c := range r.Changes {
		fmt.Fprintf(t.out, "%s\t%s\t%s -> %s\tbetween %s and %s, seen by %s\n",
			c.Kind, printable(c.Path), shortState(c.From), shortState(c.To),
			c.After.Format(time.RFC3339), c.Before.Format(time.RFC3339), c.Seen)
		for _, call := range c.During {
			fmt.Fprintf(t.out, "\twhile %s ran\n", printable(call))
		}
	}

	printRecord(t, r)
	fmt.Fprintln(t.out, r.Claim)
	fmt.Fprintln(t.out, "Not covered:")
	for _, text := range r.NotCovered {
		fmt.Fprintf(t.out, "- %s\n", text)
	}
}

// printRecord prints what is wrong with the record itself, and its counts.
func printRecord(t terminal, r reconcile.Report) {
	for _, d := range r.Damages {
		fmt.Fprintf(t.out, "journal\t%s line %d: %s\n", d.Segment, d.Line, d.Why)
	}

	for _, b := range r.Counts {
		fmt.Fprintf(t.out, "%s: %d intents, %d outcomes in the journal", b.Name, b.Journal.Intents, b.Journal.Outcomes)
		if r.Chain != nil {
			fmt.Fprintf(t.out, "; %d and %d in the audit trail", b.Chain.Intents, b.Chain.Outcomes)
		}
		fmt.Fprintln(t.out)
	}

	if r.Chain == nil {
		return
	}
	for what, records := range map[string][]string{
		"not in the audit trail":            r.Chain.Missing,
		"not as in the audit trail":         r.Chain.Changed,
		"only in the audit trail, cut here": r.Chain.Cut,
		"its refusal is nowhere":            r.Chain.Unrecorded,
		"not as many as were counted":       r.Chain.Miscounted,
	} {
		for _, record := range records {
			fmt.Fprintf(t.out, "record\t%s: %s\n", printable(record), what)
		}
	}
}

func shortState(state string) string {
	if state == "" {
		return "?"
	}
	return state[:min(len(state), 12)]
}
