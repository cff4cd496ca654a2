package bank

import (
	"errors"
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/dialect"
	"governance.internal/functions/bookkeeping/table"
)

// draft is a record whose cells are read and whose meaning is not yet decided.
type draft struct {
	record        table.Record
	date          day.Cell
	beside        []day.Cell
	amount        amount.Cell // where one column holds the amounts
	debit, credit amount.Cell // where two do
	balance, fee  amount.Cell
	net           amount.Cell
	currency      string
	negative      bool // decided by the sign step
}

// csvReader reads one table.
type csvReader struct {
	*File
	settings Settings
	table    *table.Table
	layout   *layout
	preamble []table.Record
	drafts   []draft
	style    amount.Style
	order    day.Order
	fees     dialect.FeeRule
	flipped  bool // the balances are those of a debt
	noted    []notedBalance
	stated   *string // the currency beside the table, once it was looked for
}

func readCSV(source Source, settings Settings) (*File, error) {
	f := &File{Name: source.Name}
	t, err := table.Read(source.Data, dialect.IsHeader)
	if err != nil {
		return nil, refusalOf(source.Name, err)
	}

	f.Encoding = t.Encoding
	f.Delimiter = t.Delimiter
	r := &csvReader{
		File:     f,
		settings: settings,
		table:    t,
	}

	steps := []func() error{
		r.findLayout,
		r.readRecords,
		r.decideNumbers,
		r.decideDates,
		r.decideSigns,
		r.decideFees,
		r.dropTotals,
		r.book,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func refusalOf(name string, err error) error {
	var quote *table.QuoteError
	if errors.As(err, &quote) {
		return &Refusal{File: name, Problem: err.Error(), Question: "Can you export the file again, or mend that line?"}
	}
	return &Refusal{File: name, Problem: err.Error()}
}

// deepestHeader is how many records may stand above a header.
const deepestHeader = 40

// findLayout finds the header, or tells the columns of a file without one by their content.
func (r *csvReader) findLayout() error {
	for i, record := range r.table.Records[:min(len(r.table.Records), deepestHeader)] {
		if !dialect.IsHeader(record.Cells) {
			continue
		}

		r.HeaderRow = record.Line
		r.preamble = r.table.Records[:i]
		r.table.Records = r.table.Records[i+1:]

		var err error
		r.layout, err = layoutOf(r.File, record.Cells)
		if err != nil {
			return err
		}
		r.takeFormat()
		return nil
	}
	return r.findBareLayout()
}

func (r *csvReader) takeFormat() {
	r.Format = "generic"
	if format := r.layout.format; format != nil {
		r.Format = format.Name
		r.Card = format.Card
	}
}

// readRecords parts the records into drafts and skipped ones.
func (r *csvReader) readRecords() error {
	for _, record := range r.table.Records {
		if record.IsBlank() {
			continue
		}

		d, reason, err := r.draftOf(record)
		if err != nil {
			return err
		}
		if reason != "" {
			r.skip(record.Line, reason)
			continue
		}
		r.drafts = append(r.drafts, d)
	}

	if len(r.drafts) == 0 {
		return r.refuse(0, "", "no transactions were found; check that the export covers the period you need")
	}
	return nil
}

// draftOf reads the cells of a record. A record that is not booked has a reason.
func (r *csvReader) draftOf(record table.Record) (d draft, skipped string, err error) {
	l := r.layout
	if l.isHeaderAgain(record.Cells) {
		return d, "a second header", r.checkHeader(record)
	}
	if isNote(record, l.lastNeeded) {
		return d, "a note", nil
	}

	date := record.Cell(l.date)
	if isBalanceLine(record.Cells, l) {
		r.noteBalance(record)
		return d, "a balance or a total and no transaction", nil
	}
	if err := r.checkWidth(record); err != nil {
		return d, "", err
	}

	hasMoney, err := r.readMoney(&d, record)
	if err != nil {
		return d, "", err
	}
	if !hasMoney {
		r.noteBalance(record)
		return d, "no amount", nil
	}
	if reason := r.statusReason(record); reason != "" {
		return d, reason, nil
	}

	cell, ok := day.Read(date)
	if !ok {
		return d, "", r.refuseDate(record, date)
	}
	d.date = cell
	d.record = record
	d.currency = record.Cell(l.currency)
	for _, at := range l.datesBeside {
		beside, _ := day.Read(record.Cell(at))
		d.beside = append(d.beside, beside)
	}
	return d, "", nil
}

// checkHeader refuses a header that gives the columns another order than the first one.
func (r *csvReader) checkHeader(record table.Record) error {
	for i, column := range r.layout.columns {
		if dialect.Normal(record.Cell(i)) != dialect.Normal(column.Name) {
			return r.refuse(record.Line, "Can you send the two tables as two files?", "the header changes within the file")
		}
	}
	return nil
}

// isNote reports whether a record is too short for a row and holds neither a date nor an amount.
func isNote(record table.Record, lastNeeded int) bool {
	if len(record.Cells) > lastNeeded {
		return false
	}
	text := strings.Join(record.Cells, " ")
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
}

func (r *csvReader) refuseDate(record table.Record, date string) error {
	if date == "" {
		return r.refuse(record.Line, "On which date was it booked?", "the row has an amount and no date")
	}
	return r.refuse(record.Line,
		"Can you export the file with dates such as 2025-03-31?",
		"%q is no date with a year", date)
}

// checkWidth refuses rows whose cells cannot be matched with the header.
func (r *csvReader) checkWidth(record table.Record) error {
	cells := record.Cells
	if len(cells) <= r.layout.lastNeeded && r.layout.width > 0 {
		return r.refuse(record.Line, "Is the row complete?",
			"the row has %d cells and the header %d", len(cells), r.layout.width)
	}

	isExtra := func(cell string) bool { return cell != "" }
	if len(cells) > r.layout.width && slices.ContainsFunc(cells[r.layout.width:], isExtra) {
		return r.refuse(record.Line, "Does a cell hold the separator without quotes around it?",
			"the row has %d cells and the header %d", len(cells), r.layout.width)
	}
	return nil
}

// readMoney reads the cells of money. It reports whether the record holds an amount.
func (r *csvReader) readMoney(d *draft, record table.Record) (bool, error) {
	l := r.layout
	cells := []struct {
		at   int
		into *amount.Cell
	}{
		{l.amount, &d.amount}, {l.debit, &d.debit}, {l.credit, &d.credit}, {l.balance, &d.balance}, {l.fee, &d.fee}, {l.net, &d.net},
	}

	for _, cell := range cells {
		cell.into.Empty = true
		if cell.at < 0 {
			continue
		}
		text := record.Cell(cell.at)
		read, ok := amount.Read(text)
		if !ok {
			return false, r.refuse(record.Line, "What is the amount?", "%q in the column %q is no amount", text, l.columns[cell.at].Name)
		}
		*cell.into = read
	}

	isFeeAlone := l.net >= 0 && !d.fee.Empty && !isZero(d.fee)
	isEmpty := d.amount.Empty && d.debit.Empty && d.credit.Empty && !isFeeAlone
	return !isEmpty, nil
}

// unbooked are words for states in which money has not moved.
var unbooked = []string{
	"pending", "reverted", "declined", "failed", "cancelled", "canceled", "blocked", "rejected", "vorgemerkt",
	"en attente", "pendiente", "in attesa", "reversed", "denied", "expired", "voided", "authorized", "authorised",
	"scheduled", "in progress", "unposted", "refused", "created",
}

// statusReason is why a record with this status is not booked, empty where it is.
func (r *csvReader) statusReason(record table.Record) string {
	status := strings.ToLower(record.Cell(r.layout.status))
	if status == "" {
		return ""
	}

	format := r.layout.format
	if format != nil && len(format.Booked) > 0 {
		if slices.Contains(format.Booked, status) {
			return ""
		}
		return "the status is " + status
	}

	for _, word := range unbooked {
		if strings.Contains(status, word) {
			return "the status is " + status
		}
	}
	return ""
}
