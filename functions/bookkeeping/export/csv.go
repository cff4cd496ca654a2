package export

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
)

// columns of the table. The last two are for the verification.
var columns = []string{
	"date", "account", "description", "amount", "currency", "category", "kind", "schedule_c", "confidence",
	"reason", "merchant", "id", "file", "line", "canonical", "chain",
}

// Columns are the words of the header.
func Columns() []string { return slices.Clone(columns) }

// CSV writes the ledger as a table. A cell that a spreadsheet would take for a formula begins with an
// apostrophe.
func CSV(entries []*ledger.Entry) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(columns) // a buffer takes everything
	for _, e := range entries {
		_ = w.Write(Cells(e))
	}
	w.Flush()
	return b.Bytes()
}

// Cells are the cells of one row.
func Cells(e *ledger.Entry) []string {
	schedule := ""
	if e.ScheduleC != nil {
		schedule = *e.ScheduleC
	}
	return []string{
		e.Date,
		e.Account,
		harmless(e.Description),
		currency.Units(e.Minor, e.Currency),
		e.Currency,
		string(e.Category),
		string(e.Kind),
		schedule,
		strconv.FormatFloat(e.Confidence, 'f', -1, 64),
		harmless(ledger.OneLine(e.Reason)),
		harmless(ledger.OneLine(e.Merchant)),
		e.ID,
		harmless(ledger.OneLine(e.File)),
		strconv.Itoa(e.Line),
		harmless(e.Canonical),
		e.Chain,
	}
}

// harmless keeps a spreadsheet from running a text.
func harmless(cell string) string {
	trimmed := strings.TrimLeft(cell, " \t\r\n")
	if trimmed != "" && strings.ContainsRune("=+-@", rune(trimmed[0])) || strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") {
		return "'" + cell
	}
	return cell
}
