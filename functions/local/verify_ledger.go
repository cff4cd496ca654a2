package main

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"governance.internal/functions/bookkeeping"
)

const ledgerStatus = `  0  the ledger is as it was made
  1  something differs; the rows are named
  2  wrong usage, or a file that is no ledger
`

// ledgerCheck are the flags of verify ledger.
type ledgerCheck struct {
	form  *form
	input string
}

func verifyLedgerCommand(t terminal) *cobra.Command {
	o := ledgerCheck{}
	c := command("ledger FILE [INPUT...]", "Verify books that books or the endpoint made",
		examples(
			"governance verify ledger answer.json", "rows, chain and statements",
			"governance verify ledger answer.json bank.csv", "and the file of the bank, to the record that changed",
			"governance verify ledger ledger.csv --input-sha256 HASH", "the table of --out",
		),
		func(_ context.Context, args []string) error { return o.run(t, args) })
	c.Annotations = map[string]string{exitStatusOf: ledgerStatus}
	c.Flags().StringVar(&o.input, "input-sha256", "", "`digest` of the input, with which the chain of a table begins")
	o.form = addForm(c)
	return c
}

func (o *ledgerCheck) run(t terminal, args []string) error {
	if len(args) == 0 {
		return usage("verify ledger takes an answer as JSON or a ledger.csv")
	}

	text, err := os.ReadFile(args[0])
	if err != nil {
		return exit{2, err}
	}
	check, err := o.check(text, args[1:])
	if err != nil {
		return exit{2, err}
	}

	if o.form.isJSON() {
		err = printJSON(t, check)
	} else {
		err = printLedgerCheck(t.out, args[0], check)
	}
	if err == nil && !check.Valid() {
		return exit{1, nil}
	}
	return err
}

func (o *ledgerCheck) check(text []byte, inputs []string) (*bookkeeping.Check, error) {
	isJSON := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	if !isJSON {
		return bookkeeping.VerifyTable(text, o.input)
	}

	sources, err := readSources(inputs)
	if err != nil {
		return nil, err
	}
	return bookkeeping.VerifyAnswer(text, sources)
}

func printLedgerCheck(out io.Writer, name string, c *bookkeeping.Check) error {
	p := &page{out: out}
	verdict := "valid"
	if !c.Valid() {
		verdict = "CHANGED"
	}

	p.line("%s: %s, %d rows", printable(name), verdict, c.Rows)
	for _, f := range c.Faults {
		switch {
		case f.Row > 0 && f.File != "":
			p.line("  row %d (%s:%d): %s", f.Row, printable(f.File), f.Line, f.What)
		case f.Row > 0:
			p.line("  row %d: %s", f.Row, f.What)
		default:
			p.line("  %s %s", printable(f.File), f.What)
		}
	}
	p.line("  root %s", c.LedgerRoot)
	return p.err
}
