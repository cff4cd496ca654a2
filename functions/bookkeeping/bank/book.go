package bank

import (
	"strings"
	"unicode/utf8"

	"governance.internal/functions/bookkeeping/dialect"
	"governance.internal/functions/bookkeeping/table"
)

// book turns the drafts into rows.
func (r *csvReader) book() error {
	r.noteAssumption()
	r.Rows = make([]Row, 0, len(r.drafts))

	for i := range r.drafts {
		if err := r.bookDraft(&r.drafts[i]); err != nil {
			return err
		}
	}

	r.turnDebts()
	r.Rising = isRising(r.Rows)
	return nil
}

// noteAssumption says which currency was assumed.
func (r *csvReader) noteAssumption() {
	code, certain, err := r.currencyOf(&r.drafts[0])
	if err != nil || certain {
		return
	}
	r.Assumed = append(r.Assumed, "no currency is named, so "+code+" is taken; the option currency says another")
}

func (r *csvReader) bookDraft(d *draft) error {
	code, _, err := r.currencyOf(d)
	if err != nil {
		return err
	}

	row, err := r.rowOf(d, code)
	if err != nil {
		return err
	}
	if d.amount.Body == "0" && row.Minor == 0 {
		r.skip(row.Line, "the amount is zero")
		return nil
	}

	fee, err := r.minor(d.fee, code)
	if err != nil {
		return r.refuse(d.record.Line, "What is the fee?", "%v", err)
	}

	if !d.amount.Empty {
		r.Rows = append(r.Rows, row)
	}
	if fee = r.feeOf(fee); fee != 0 {
		r.addFee(row, fee)
	}
	return nil
}

// rowOf is the row of a record without its fee.
func (r *csvReader) rowOf(d *draft, code string) (Row, error) {
	line := d.record.Line
	minor, err := r.minor(d.amount, code)
	if err != nil {
		return Row{}, r.refuse(line, "What is the amount?", "%v", err)
	}
	if minor < 0 {
		minor = -minor
	}
	if d.negative {
		minor = -minor
	}

	date, _ := d.date.In(r.order)
	row := Row{
		File:        r.Name,
		Line:        line,
		Raw:         d.record.Raw,
		Day:         date,
		Minor:       minor,
		Currency:    code,
		Description: r.describe(d.record),
		Type:        d.record.Cell(r.layout.kind),
		Group:       d.record.Cell(r.layout.group),
		MCC:         mccOf(d.record.Cell(r.layout.mcc)),
		ID:          d.record.Cell(r.layout.id),
		Account:     d.record.Cell(r.layout.account),
	}

	if !d.balance.Empty {
		row.Balance, err = r.minor(d.balance, code)
		if err != nil {
			return Row{}, r.refuse(line, "What is the balance?", "%v", err)
		}
		row.HasBalance = true
	}
	return row, nil
}

func mccOf(cell string) string {
	for _, digit := range cell {
		if digit < '0' || digit > '9' {
			return ""
		}
	}
	if len(cell) != 4 {
		return ""
	}
	return cell
}

// feeOf is the fee as a movement of money: negative where it was paid.
func (r *csvReader) feeOf(fee int64) int64 {
	switch r.fees {
	case dialect.FeesOnTop, dialect.FeesInNet:
		return -fee
	case dialect.FeesNegative:
		return fee
	}
	return 0
}

// addFee books the fee of the last row as a row of its own, which bears the balance.
func (r *csvReader) addFee(row Row, fee int64) {
	part := row
	part.Minor = fee
	part.Fee = true
	part.Description = "Fee: " + row.Description
	part.MCC = ""

	if last := len(r.Rows) - 1; last >= 0 && r.Rows[last].Line == row.Line {
		r.Rows[last].HasBalance = false
	}
	r.Rows = append(r.Rows, part)
}

// longestDescription is in characters.
const longestDescription = 400

// describe joins the texts of a record; a text that another one holds already is left out.
func (r *csvReader) describe(record table.Record) string {
	description := ""
	for _, at := range r.layout.texts {
		text := strings.Join(strings.Fields(record.Cell(at)), " ")
		if text == "" || containsFold(description, text) {
			continue
		}
		if description != "" {
			description += " "
		}
		description += text
	}

	if description == "" {
		description = record.Cell(r.layout.kind)
	}
	return shortened(description)
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= longestDescription {
		return text
	}
	return string([]rune(text)[:longestDescription])
}

// turnDebts turns the balances of a card round if they state what is owed.
func (r *csvReader) turnDebts() {
	same, opposite := 0, 0
	for i := 1; i < len(r.Rows); i++ {
		switch balanceStep(r.Rows[i-1], r.Rows[i]) {
		case 1:
			same++
		case -1:
			opposite++
		}
	}

	if opposite <= 2*same || opposite == 0 {
		return
	}
	for i := range r.Rows {
		r.Rows[i].Balance = -r.Rows[i].Balance
	}
	r.flipped = true
}

// balanceStep is 1 where the balance between two rows moves as an account does, -1 where it moves as a
// debt, and 0 where neither is certain.
func balanceStep(one, two Row) int {
	if !one.HasBalance || !two.HasBalance || one.Currency != two.Currency {
		return 0
	}

	step := two.Balance - one.Balance
	switch step {
	case two.Minor, -one.Minor:
		return 1
	case -two.Minor, one.Minor:
		return -1
	}
	return 0
}

// isRising reports whether rows run from old to new.
func isRising(rows []Row) bool {
	rises, falls := 0, 0
	for i := 1; i < len(rows); i++ {
		switch {
		case rows[i-1].Day.Before(rows[i].Day):
			rises++
		case rows[i].Day.Before(rows[i-1].Day):
			falls++
		}
	}

	if rises == falls {
		return balanceRises(rows)
	}
	return rises > falls
}

// balanceRises asks the balances of rows of one day for their order.
func balanceRises(rows []Row) bool {
	for i := 1; i < len(rows); i++ {
		one, two := rows[i-1], rows[i]
		if !one.HasBalance || !two.HasBalance {
			continue
		}
		forward := two.Balance-one.Balance == two.Minor
		backward := one.Balance-two.Balance == one.Minor
		if forward != backward {
			return forward
		}
	}
	return true
}
