package export

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"governance.internal/functions/bookkeeping/anomalies"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/profit"
	"governance.internal/functions/bookkeeping/reconcile"
)

// Report is what the page shows.
type Report struct {
	Files      []string
	Years      []profit.Statement
	Months     []profit.Statement
	Flows      []profit.Flow
	Accounts   []reconcile.Account
	Anomalies  []anomalies.Anomaly
	Questions  []string
	Entries    []*ledger.Entry
	Root       string
	Input      string
	Disclaimer string
}

// mostListed is how many rows of the ledger the page lists; ledger.csv holds all.
const mostListed = 2000

const reportStyle = `
:root { color-scheme: light; --ink: #1a1c1f; --soft: #5d6470; --line: #d9dde3; --in: #1f7a4d; --out: #b3472f; --net: #2c5aa0; }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
p.soft, caption, figcaption { color: var(--soft); font-size: .85rem; text-align: left; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.sum td { font-weight: 600; border-top: 2px solid var(--ink); }
figure { margin: 1rem 0; } svg { width: 100%; height: auto; }
code { overflow-wrap: anywhere; font-size: .8rem; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; } tr, figure { break-inside: avoid; } thead { display: table-header-group; } }
`

// page writes HTML.
type page struct {
	bytes.Buffer
}

func (p *page) put(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(p, format, args...)
}

// HTML writes the page. It holds no scripts and loads nothing.
func (r *Report) HTML() []byte {
	p := &page{}
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Books</title>\n")
	p.put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>")
	p.WriteString(reportStyle)
	p.put("</style>\n</head>\n<body>\n<h1>Books</h1>\n")
	p.Write(r.Body())
	p.put("</body>\n</html>\n")
	return p.Bytes()
}

// Body writes what stands on the page below its title.
func (r *Report) Body() []byte {
	p := &page{}
	p.put("<p class=\"soft\">Made of %s</p>\n", strings.Join(r.Files, ", "))

	for _, year := range r.Years {
		p.statement(year)
		p.monthsChart(year, r.Months)
		p.costsChart(year)
	}
	p.flows(r.Flows)
	p.accounts(r.Accounts)
	p.questions(r.Questions)
	p.anomalies(r.Anomalies)
	p.entries(r.Entries)

	p.put("<h2>Verification</h2>\n<p>Input <code>%s</code><br>Ledger <code>%s</code></p>\n", r.Input, r.Root)
	p.put("<p class=\"soft\">%s</p>\n", r.Disclaimer)
	return p.Bytes()
}

func (p *page) statement(s profit.Statement) {
	p.put("<h2>Profit and loss %s, %s</h2>\n<table>\n", s.Period, s.Currency)
	p.lines(s, s.Income, "Income", s.IncomeMinor)
	p.lines(s, s.Returns, "Returns", s.ReturnMinor)
	p.lines(s, s.CostOfGoods, "Cost of goods", s.GoodsMinor)
	p.sum(s, "Gross profit", s.GrossMinor)
	p.lines(s, s.Expenses, "Expenses", s.CostMinor)
	p.sum(s, "Net", s.NetMinor)
	p.put("</table>\n")
}

func (p *page) lines(s profit.Statement, lines []profit.Line, title string, total int64) {
	if len(lines) == 0 {
		return
	}
	for _, line := range lines {
		schedule := ""
		if line.ScheduleC != nil {
			schedule = "line " + *line.ScheduleC
		}
		p.put("<tr><td>%s</td><td>%s</td><td class=\"n\">%s</td></tr>\n",
			string(line.Category), schedule, currency.Units(line.Minor, s.Currency))
	}
	p.sum(s, title, total)
}

func (p *page) sum(s profit.Statement, title string, minor int64) {
	p.put("<tr class=\"sum\"><td>%s</td><td></td><td class=\"n\">%s</td></tr>\n", title, currency.Units(minor, s.Currency))
}

func (p *page) flows(flows []profit.Flow) {
	p.put("<h2>Cash flow</h2>\n<table><thead><tr><th>Period</th><th class=\"n\">Operating</th><th class=\"n\">Owner</th><th class=\"n\">Loans</th><th class=\"n\">Transfers</th><th class=\"n\">Change</th></tr></thead>\n")
	for _, f := range flows {
		p.put("<tr><td>%s %s</td>", f.Period, f.Currency)
		for _, minor := range []int64{f.Operating, f.Owner, f.Loans, f.Transfers, f.Change} {
			p.put("<td class=\"n\">%s</td>", currency.Units(minor, f.Currency))
		}
		p.put("</tr>\n")
	}
	p.put("</table>\n")
}

func (p *page) accounts(accounts []reconcile.Account) {
	p.put("<h2>Accounts</h2>\n<table><thead><tr><th>Account</th><th class=\"n\">Opening</th><th class=\"n\">Movement</th><th class=\"n\">Closing</th><th>Reconciliation</th></tr></thead>\n")
	for _, a := range accounts {
		p.put("<tr><td>%s (%s)</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
			a.Account, a.Currency, stated(a.Opening, a.Currency), currency.Units(a.Movement, a.Currency),
			stated(a.Closing, a.Currency), strings.ReplaceAll(a.Status, "_", " "))
	}
	p.put("</table>\n")
}

func stated(minor *int64, code string) string {
	if minor == nil {
		return "not stated"
	}
	return currency.Units(*minor, code)
}

func (p *page) questions(questions []string) {
	if len(questions) == 0 {
		return
	}
	p.put("<h2>Questions to answer</h2>\n<ol>\n")
	for _, question := range questions {
		p.put("<li>%s</li>\n", question)
	}
	p.put("</ol>\n")
}

func (p *page) anomalies(found []anomalies.Anomaly) {
	if len(found) == 0 {
		return
	}
	p.put("<h2>To look at</h2>\n<ul>\n")
	for _, a := range found {
		p.put("<li>%s", a.Why)
		for _, row := range a.Rows {
			p.put(" [%s:%d]", row.File, row.Line)
		}
		p.put("</li>\n")
	}
	p.put("</ul>\n")
}

func (p *page) entries(entries []*ledger.Entry) {
	p.put("<h2>Ledger</h2>\n<table><thead><tr><th>Date</th><th>Description</th><th>Category</th><th class=\"n\">Amount</th></tr></thead>\n")
	for _, e := range entries[:min(len(entries), mostListed)] {
		p.put("<tr><td>%s</td><td>%s</td><td>%s</td><td class=\"n\">%s %s</td></tr>\n",
			e.Date, e.Description, string(e.Category), currency.Units(e.Minor, e.Currency), e.Currency)
	}
	p.put("</table>\n")
	if rest := len(entries) - mostListed; rest > 0 {
		p.put("<p class=\"soft\">%d more rows are in ledger.csv.</p>\n", rest)
	}
}
