package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"governance.internal/functions/bookkeeping"
	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/profit"
)

const booksAbout = `Makes books of the exports of banks, cards and payment services: a categorised ledger, profit
and loss, anomalies, and the questions that only you can answer. It runs on this machine alone and
sends nothing.

Files are CSV as banks write it, OFX or QFX, and CAMT.053. A file that can be read in two ways is
refused with one question; a flag answers it.`

const booksStatus = `  0  the books were made
  2  wrong usage, or a file that cannot be read for certain
`

// booksOptions are the flags of books.
type booksOptions struct {
	form    *form
	out     string
	options bookkeeping.Options
}

func booksCommand(t terminal) *cobra.Command {
	o := booksOptions{}
	c := command("books FILE...", "Make books of bank exports",
		examples(
			"governance books checking.csv card.csv", "profit and loss, questions, anomalies",
			"governance books --out books/ *.csv", "and journals, a table, and a report to print",
			"governance books --business 'furniture maker' --locale en-GB bank.csv", "what the file does not tell",
			"governance books --format json bank.ofx", "for programs",
		),
		func(_ context.Context, args []string) error { return o.run(t, args) })
	c.Long = booksAbout
	c.Annotations = map[string]string{exitStatusOf: booksStatus}
	o.form = addForm(c)

	set := c.Flags()
	set.StringVar(&o.out, "out", "", "`folder` for journal.hledger, journal.beancount, ledger.csv, report.html and manifest.sha256")
	set.StringVar(&o.options.BusinessKind, "business", "", "`kind` of business, for example furniture maker")
	set.StringVar(&o.options.Currency, "currency", "", "`code` of the currency of files that name none")
	set.StringVar(&o.options.Locale, "locale", "", "`locale` of the files, for example en-GB")
	set.StringVar(&o.options.Sign, "sign", "", "`meaning` of amounts without a sign: as_written or charges_positive")
	set.IntVar(&o.options.FormYear, "form-year", 0, "`year` of Schedule C")
	set.StringSliceVar(&o.options.OwnAccounts, "own-account", nil, "`words` that name another account of yours in descriptions")
	return c
}

func (o *booksOptions) run(t terminal, names []string) error {
	if len(names) == 0 {
		return usage("books takes the files of your banks")
	}

	// The collector works harder near this many bytes, which keeps the largest books below 256 MB.
	debug.SetMemoryLimit(180 << 20)
	sources, err := readSources(names)
	if err != nil {
		return exit{2, err}
	}
	books, err := bookkeeping.Keep(sources, o.options)
	if err != nil {
		return exit{2, err}
	}

	if o.out != "" {
		if err := writeExports(o.out, books); err != nil {
			return err
		}
	}
	if o.form.isJSON() {
		return books.Answer.WriteJSON(t.out)
	}
	return printBooks(t, books.Answer, o.out)
}

// readSources reads files. Of one that is too large it reads enough to be refused.
func readSources(names []string) ([]bank.Source, error) {
	var sources []bank.Source
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(file, bookkeeping.MaxBytes+1))
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", name, err)
		}
		sources = append(sources, bank.Source{
			Name: name,
			Data: data,
		})
	}
	return sources, nil
}

func writeExports(folder string, books *bookkeeping.Books) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return books.EachExport(func(e bookkeeping.Export) error {
		return os.WriteFile(filepath.Join(folder, e.Name), e.Data, 0o600)
	})
}

// printBooks prints books for people.
func printBooks(t terminal, a *bookkeeping.Answer, folder string) error {
	p := &page{out: t.out}
	for _, file := range a.Input.Files {
		p.line("%s: %d rows, %s, dates %s", printable(file.Name), file.Rows, file.Format, file.Dates)
	}

	for _, s := range a.ProfitAndLoss {
		printStatement(p, s)
	}

	if len(a.Questions) > 0 {
		p.heading("questions")
		for i, q := range a.Questions {
			p.line("%3d. %s", i+1, printable(q.Text))
		}
	}
	if len(a.Anomalies) > 0 {
		p.heading("to look at")
		for _, found := range a.Anomalies {
			p.line("  %s: %s", found.Severity, printable(found.Why))
			for _, row := range found.Rows {
				p.line("      %s:%d", printable(row.File), row.Line)
			}
		}
	}

	p.heading("verification")
	p.line("  input  %s", a.Verification.InputSHA256)
	p.line("  ledger %s", a.Verification.LedgerRoot)
	if folder != "" {
		p.line("  the exports are in %s", printable(folder))
	}
	p.line("")
	p.line("%s", a.Disclaimer)
	return p.err
}

func printStatement(p *page, s profit.Statement) {
	p.heading("profit and loss " + s.Period + " in " + s.Currency)
	part := func(title string, lines []profit.Line, total int64) {
		for _, line := range lines {
			p.line("  %-42s %14s", line.Category, currency.Units(line.Minor, s.Currency))
		}
		if len(lines) > 0 {
			p.line("  %-42s %14s", strings.ToUpper(title), currency.Units(total, s.Currency))
		}
	}

	part("income", s.Income, s.IncomeMinor)
	part("returns", s.Returns, s.ReturnMinor)
	part("cost of goods", s.CostOfGoods, s.GoodsMinor)
	part("expenses", s.Expenses, s.CostMinor)
	p.line("  %-42s %14s", "NET", currency.Units(s.NetMinor, s.Currency))
}
