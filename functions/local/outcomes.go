package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
)

// outcomesFlags are the flags of the command outcomes.
type outcomesFlags struct {
	folder  string
	session string
	state   string
	last    int
	form    *form
}

func outcomesCommand(t terminal) *cobra.Command {
	o := outcomesFlags{}
	c := command("outcomes", "Show what agents wanted to do and what then happened",
		examples(
			"governance outcomes --workspace ~/project", "the last calls of tools",
			"governance outcomes --session ID --format json", "one session, for a program",
			"governance outcomes --state unknown", "the calls of which nobody knows how they ended",
		),
		func(_ context.Context, args []string) error {
			if err := noArguments("outcomes", args); err != nil {
				return err
			}
			return o.run(t)
		})
	c.Long = `Joins the calls that the hook judged with the reports of the agents. A call without a report
is running while its session may still tell, and unknown from then on.`
	set := c.Flags()
	set.StringVar(&o.folder, "workspace", "", "`directory` of the project")
	set.StringVar(&o.session, "session", "", "`id` of a session of an agent, or its beginning")
	set.StringVar(&o.state, "state", "", "only calls in this `state`, such as unknown, failed or not_run")
	set.IntVar(&o.last, "last", 50, "at most so many calls, the newest; 0 for all")
	o.form = addForm(c)
	return c
}

// outcomesReport is the answer of outcomes for programs.
type outcomesReport struct {
	Pairs   []outcome.Pair   `json:"pairs"` // oldest first
	Records int              `json:"records"`
	Damages []outcome.Damage `json:"damages"` // of the journal
}

func (o outcomesFlags) run(t terminal) error {
	gate, err := preflight.Open(o.folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	reading, err := outcome.Journal{Workspace: gate.Workspace}.Read()
	if err != nil {
		return err
	}

	report := outcomesReport{
		Pairs:   o.choose(outcome.Join(reading.Records, time.Now())),
		Records: len(reading.Records),
		Damages: append([]outcome.Damage{}, reading.Damages...),
	}
	if o.form.isJSON() {
		err = printJSON(t, report)
	} else {
		err = printPairs(t, report)
	}

	if err == nil && len(report.Damages) > 0 {
		return exit{1, nil}
	}
	return err
}

// choose leaves out what was not asked for.
func (o outcomesFlags) choose(pairs []outcome.Pair) []outcome.Pair {
	chosen := []outcome.Pair{}
	for _, p := range pairs {
		session := strings.HasPrefix(p.Session(), o.session)
		state := o.state == "" || p.State == o.state
		if session && state {
			chosen = append(chosen, p)
		}
	}
	if o.last > 0 && len(chosen) > o.last {
		chosen = chosen[len(chosen)-o.last:]
	}
	return chosen
}

func printPairs(t terminal, report outcomesReport) error {
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WHEN\tWHO\tTOOL\tWHAT\tALLOWED\tOUTCOME")
	for _, p := range report.Pairs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n",
			p.At().UTC().Format("2006-01-02 15:04:05"),
			printable(whoOf(p)),
			printable(p.Tool()),
			printable(whatOf(p)),
			allowedOf(p),
			outcomeOf(p))
	}
	if err := table.Flush(); err != nil {
		return err
	}

	for _, d := range report.Damages {
		fmt.Fprintf(t.err, "the journal is damaged: %s line %d: %s\n", d.Segment, d.Line, d.Why)
	}
	fmt.Fprintf(t.err, "%d calls shown, %d records in the journal\n", len(report.Pairs), report.Records)
	return nil
}

// whoOf names the actor of a call.
func whoOf(p outcome.Pair) string {
	actor := p.Actor()
	who := p.Boundary()
	if actor.Type != "" {
		who += "/" + actor.Type
	}
	if actor.ID != "" {
		who += " " + actor.ID
	}
	return who
}

// whatOf says in short what a call was about.
func whatOf(p outcome.Pair) string {
	var what []string
	if program := p.Program(); program != "" {
		what = append(what, program)
	}

	files := p.Files()
	for _, file := range files[:min(len(files), 3)] {
		what = append(what, file.Path)
	}
	if len(files) > 3 {
		what = append(what, fmt.Sprintf("and %d more", len(files)-3))
	}
	return strings.Join(what, " ")
}

func allowedOf(p outcome.Pair) string {
	switch {
	case p.Intent == nil:
		return "-"
	case p.Intent.Rehearsed:
		return "rehearsed: " + p.Intent.Decision
	case len(p.Intent.Approvals) > 0:
		return "approved by a person"
	}
	return p.Intent.Decision
}

func outcomeOf(p outcome.Pair) string {
	text := strings.ReplaceAll(p.State, "_", " ")
	if p.Outcome == nil {
		return text
	}
	if p.Outcome.Exit != nil {
		text += fmt.Sprintf(", exit %d", *p.Outcome.Exit)
	}
	if p.Outcome.Tests != nil {
		text += fmt.Sprintf(", %d tests", *p.Outcome.Tests)
	}
	if p.Outcome.Settled {
		text += ", by the transcript"
	}
	if took, known := p.Took(); known {
		text += ", " + took.Round(time.Millisecond).String()
	}
	return text
}
