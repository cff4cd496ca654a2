package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	legalprep "governance.internal/functions/legal-prep"
	"governance.internal/functions/legal-prep/risks"
	"governance.internal/shared/config"
)

const legalAbout = `Prepares a conversation with a lawyer: reviews a legal text, explains it section by section,
lists questions to ask, or drafts a document from a few words. It runs on this machine alone
and sends nothing. It is assistance and not advice.

The text is plain text of up to 20,000 characters; - reads standard input.`

const legalStatus = `  0  the text was answered
  2  wrong usage, or a text that is empty, too long or not UTF-8
`

// legalOptions are the flags of legal.
type legalOptions struct {
	form *form
	mode string
}

func legalCommand(t terminal) *cobra.Command {
	o := legalOptions{}
	c := command("legal FILE", "Review, explain or draft a legal text",
		examples(
			"governance legal lease.txt", "review it; the quotes are marked",
			"governance legal --mode explain lease.txt", "what each section asks of whom, and by when",
			"governance legal --mode questions --format json -", "for programs, from standard input",
			"governance legal --mode draft request.txt", "a draft with visible blanks",
		),
		func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return usage("legal takes one file, or - for standard input, not %d", len(args))
			}
			return o.run(t, args[0])
		})
	c.Long = legalAbout
	c.Annotations = map[string]string{exitStatusOf: legalStatus}
	o.form = addForm(c)
	c.Flags().StringVar(&o.mode, "mode", legalprep.DocReview, "`mode`: "+strings.Join(legalprep.Modes, ", "))

	modes := cobra.FixedCompletions(legalprep.Modes, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("mode", modes) // fails only for an unknown flag
	return c
}

func (o *legalOptions) run(t terminal, name string) error {
	source, err := readText(t, name, mostLegalBytes)
	if err != nil {
		return exit{2, err}
	}

	answer, err := legalprep.Prepare(o.mode, source)
	var refused *legalprep.InputError
	if errors.As(err, &refused) && refused.Field == "mode" {
		return usage("--mode %s", refused.Detail)
	}
	if err != nil {
		return exit{2, err}
	}

	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return exit{2, err}
	}
	answer.CertificationID = c.CertificationID

	if o.form.isJSON() {
		return printJSON(t, answer)
	}
	return printLegalPage(t, answer)
}

// mostLegalBytes is more than the longest text needs; reading stops there.
const mostLegalBytes = 4*legalprep.MaxPoints + 4

// readText reads a file, or standard input for -. Of one that is too long it reads no more than
// most bytes, which must be enough for it to be refused.
func readText(t terminal, name string, most int64) (string, error) {
	in := t.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}

	text, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return string(text), nil
}

// page writes lines for a person and keeps the first error.
type page struct {
	out io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// heading starts a part of the page.
func (p *page) heading(text string) {
	p.line("")
	p.line("%s", strings.ToUpper(text))
}

// quote writes words of the text, marked, with their place.
func (p *page) quote(words string, start, end int) {
	p.line("    > %s  [%d-%d]", printable(shortened(words)), start, end)
}

// longestQuote is how much of a quote a page shows, in characters.
const longestQuote = 240

func shortened(words string) string {
	words = strings.Join(strings.Fields(words), " ")
	points := []rune(words)
	if len(points) <= longestQuote {
		return words
	}
	return string(points[:longestQuote]) + "..."
}

// printLegalPage prints an answer for people; the disclaimer is its last line.
func printLegalPage(t terminal, a *legalprep.Answer) error {
	p := &page{out: t.out}
	for _, sentence := range a.Summary {
		p.line("%s", printable(sentence))
	}

	switch a.Mode {
	case legalprep.Draft:
		printDraft(p, a)
	case legalprep.Questions:
		printLegalQuestions(p, a)
	case legalprep.Explain:
		printSections(p, a)
		printWords(p, a)
	default:
		printLegalFindings(p, a.Findings)
		printKeyTerms(p, a)
		printUnseen(p, a)
	}

	p.line("")
	p.line("%s", a.Disclaimer)
	return p.err
}

func printDraft(p *page, a *legalprep.Answer) {
	body := strings.TrimSuffix(a.Draft.Markdown, a.Disclaimer+"\n")
	p.line("")
	p.line("%s", strings.TrimSpace(body))
	p.heading("to fill in")
	for _, blank := range a.Draft.Blanks {
		p.line("  - %s", blank)
	}
}

func printLegalQuestions(p *page, a *legalprep.Answer) {
	p.heading("questions")
	for i, q := range a.Questions {
		p.line("%2d. %s", i+1, q.Text)
		p.quote(q.Quote.Quote, q.Start, q.End)
	}
}

func printSections(p *page, a *legalprep.Answer) {
	for _, s := range a.Sections {
		p.line("")
		p.quote(s.Quote.Quote, s.Start, s.End)
		for _, ask := range s.Asks {
			p.line("  %s: %s  %s", ask.Kind, printable(ask.Who), printable(ask.When))
		}
	}
}

func printWords(p *page, a *legalprep.Answer) {
	if len(a.Glossary) == 0 {
		return
	}
	p.heading("words")
	for _, entry := range a.Glossary {
		p.line("  %s: %s", entry.Term, entry.Plain)
	}
}

func printLegalFindings(p *page, findings []risks.Finding) {
	p.heading("findings")
	for _, severity := range []string{risks.High, risks.Medium, risks.Low, risks.Info} {
		for _, f := range findings {
			if f.Severity != severity {
				continue
			}
			p.line("%s: %s. %s", f.Severity, f.Title, f.Why)
			p.quote(f.Quote.Quote, f.Start, f.End)
		}
	}
}

func printKeyTerms(p *page, a *legalprep.Answer) {
	terms := a.KeyTerms
	p.heading("key terms")
	for _, d := range terms.Dates {
		p.line("date, %s", d.Role)
		p.quote(d.Quote.Quote, d.Start, d.End)
	}
	for _, m := range terms.Money {
		p.line("sum, %s", m.Currency)
		p.quote(m.Quote.Quote, m.Start, m.End)
	}
	for _, n := range terms.NoticePeriods {
		p.line("notice")
		p.quote(n.Quote.Quote, n.Start, n.End)
	}
}

func printUnseen(p *page, a *legalprep.Answer) {
	if len(a.Missing) == 0 {
		return
	}
	p.heading("not seen")
	for _, m := range a.Missing {
		p.line("  %s: %s", m.Clause, m.Question)
	}
}
