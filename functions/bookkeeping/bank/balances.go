package bank

import (
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/dialect"
	"governance.internal/functions/bookkeeping/table"
)

// openings and closings begin the texts of rows that state a balance, without accents.
var (
	openings = []string{
		"beginning balance", "opening balance", "balance brought forward", "brought forward", "starting balance",
		"previous balance", "balance forward", "anfangssaldo", "alter kontostand", "alter saldo", "beginsaldo",
		"solde initial", "ancien solde", "saldo inicial", "saldo anterior", "saldo iniziale", "saldo poczatkowe", "ingaende saldo",
	}
	closings = []string{
		"ending balance", "closing balance", "balance carried forward", "carried forward", "new balance", "final balance",
		"endsaldo", "neuer kontostand", "kontostand am", "neuer saldo", "eindsaldo", "solde final", "nouveau solde",
		"saldo final", "saldo finale", "saldo koncowe", "utgaende saldo", "statement balance",
	}
	totals = []string{
		"total", "subtotal", "sub-total", "sub total", "grand total", "summe", "gesamt", "zwischensumme", "totaal",
		"totale", "suma", "somme", "net change", "net movement", "end of report", "end of statement",
	}
)

// notedBalance is a balance that stands apart from the rows.
type notedBalance struct {
	cell    amount.Cell
	opening bool
}

func beginsWithAny(text string, beginnings []string) bool {
	normal := dialect.Normal(text)
	for _, beginning := range beginnings {
		if normal == beginning || strings.HasPrefix(normal, beginning+" ") {
			return true
		}
	}
	return false
}

// isBalanceLine reports whether a record states a balance or a total. A record with a date counts only
// if its text is a phrase for balances, because merchants are called Total, too.
func isBalanceLine(cells []string, l *layout) bool {
	_, isDated := day.Read(cellAt(cells, l.date))

	candidates := make([]string, 0, len(l.texts)+2)
	for _, at := range l.texts {
		candidates = append(candidates, cellAt(cells, at))
	}
	if !isDated {
		candidates = append(candidates, cellAt(cells, l.date), cellAt(cells, 0))
	}

	for _, text := range candidates {
		if text == "" {
			continue
		}
		if beginsWithAny(text, openings) || beginsWithAny(text, closings) {
			return true
		}
		if !isDated && beginsWithAny(text, totals) {
			return true
		}
	}
	return false
}

func cellAt(cells []string, at int) string {
	if at < 0 || at >= len(cells) {
		return ""
	}
	return cells[at]
}

func isOpening(cell string) bool { return beginsWithAny(cell, openings) }

func isClosing(cell string) bool { return beginsWithAny(cell, closings) }

// noteBalance keeps the balance that a record states, for the reconciliation.
func (r *csvReader) noteBalance(record table.Record) {
	opening := slices.ContainsFunc(record.Cells, isOpening)
	if !opening && !slices.ContainsFunc(record.Cells, isClosing) {
		return
	}

	for i := len(record.Cells) - 1; i > 0; i-- {
		cell, ok := amount.Read(record.Cells[i])
		if ok && !cell.Empty && strings.ContainsAny(cell.Body, ".,") {
			r.noted = append(r.noted, notedBalance{cell, opening})
			return
		}
	}
}

// dropTotals leaves out dated rows that are called total and hold the sum of the rows before them.
func (r *csvReader) dropTotals() error {
	var kept []draft
	sum := int64(0)
	for i, d := range r.drafts {
		code, _, err := r.currencyOf(&d)
		if err != nil {
			return err
		}

		minor := r.signed(i, code)
		isSum := len(kept) > 1 && (minor == sum || minor == -sum)
		if isSum && isTotalWord(r.describe(d.record)) {
			r.skip(d.record.Line, "a total of the rows above")
			continue
		}
		sum += minor
		kept = append(kept, d)
	}
	r.drafts = kept
	return nil
}

func isTotalWord(text string) bool { return slices.Contains(totals, dialect.Normal(text)) }

// takeNotedBalances sets the balances of the file from its header and footer.
func (r *csvReader) takeNotedBalances() {
	for _, record := range r.preamble {
		r.noteBalance(record)
	}

	for _, noted := range r.noted {
		code, _, err := r.currencyOf(&draft{amount: noted.cell})
		if err != nil {
			continue
		}
		minor, err := r.minor(noted.cell, code)
		if err != nil {
			continue
		}

		balance := &Balance{minor, code}
		if noted.opening && r.Opening == nil {
			r.Opening = balance
		}
		if !noted.opening {
			r.Closing = balance
		}
	}
}
