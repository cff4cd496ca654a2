package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/policydiff"
)

func policyCommands(t terminal) *cobra.Command {
	return parent("policy", "Try rules on what agents did",
		examples("governance policy diff governance.yaml new.yaml --since 30d", "which calls of the last month the new rules answer otherwise"),
		policyDiffCommand(t))
}

// policyComparison are the flags of the command policy diff.
type policyComparison struct {
	folder string
	since  string
	form   *form
}

func policyDiffCommand(t terminal) *cobra.Command {
	o := policyComparison{}
	c := command("diff OLD NEW", "Replay the recorded calls against two workspace files",
		examples(
			"governance policy diff governance.yaml new.yaml", "all recorded calls",
			"governance policy diff governance.yaml new.yaml --since 30d --format json", "the last month, for a program",
		),
		func(_ context.Context, files []string) error { return o.run(t, files) })
	c.Annotations = map[string]string{exitStatusOf: policyDiffStatus}
	set := c.Flags()
	set.StringVar(&o.folder, "workspace", "", "`directory` of the project whose record is replayed")
	set.StringVar(&o.since, "since", "", "only calls after this `time`: a date, a time as in RFC 3339, or an age such as 24h or 30d")
	o.form = addForm(c)
	return c
}

const policyDiffStatus = `  0  both files give the same answers
  1  some answers differ
  2  wrong usage, or a file cannot be read
`

func (o policyComparison) run(t terminal, files []string) error {
	if len(files) != 2 {
		return usage("policy diff needs two workspace files, the old one and the new one")
	}
	since, err := momentOf(o.since, time.Now())
	if err != nil {
		return usage("--since: %w", err)
	}

	gate, err := preflight.Open(o.folder, "")
	if err != nil {
		return exit{2, err}
	}
	defer gate.Workspace.Close()

	before, err := rulesIn(gate.Workspace, files[0])
	if err != nil {
		return exit{2, err}
	}
	after, err := rulesIn(gate.Workspace, files[1])
	if err != nil {
		return exit{2, err}
	}

	reading, err := outcome.Journal{Workspace: gate.Workspace}.Read()
	if err != nil {
		return exit{2, err}
	}

	report := policydiff.Replay(before, after, reading.Records, since)
	if o.form.isJSON() {
		err = printJSON(t, report)
	} else {
		err = printPolicyChanges(t, report)
	}
	if err == nil && len(report.Changes) > 0 {
		return exit{1, nil}
	}
	return err
}

// rulesIn reads a workspace file that stands anywhere.
func rulesIn(w *workspace.Workspace, file string) (workspace.State, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return workspace.State{}, err
	}
	state, err := w.With(text)
	if err != nil {
		return workspace.State{}, fmt.Errorf("%s: %w", file, err)
	}
	return state, nil
}

func printPolicyChanges(t terminal, r policydiff.Report) error {
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, c := range r.Changes {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s -> %s\n",
			c.At.UTC().Format("2006-01-02 15:04:05"),
			printable(c.Agent),
			printable(c.Tool),
			printable(c.Path),
			c.Before,
			c.After)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(t.out, "%d calls replayed: %d would be answered more strictly, %d more mildly; of %d the record does not hold enough to tell\n",
		r.Calls, r.Stricter, r.Milder, r.CannotTell)
	if r.Rehearses {
		fmt.Fprintln(t.out, "the new file only rehearses (mode: observe): it refuses nothing")
	}
	return nil
}
