package bank

import (
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/amount"
)

// decideSigns finds for every record whether money went out.
func (r *csvReader) decideSigns() error {
	l := r.layout
	switch {
	case l.debit >= 0 || l.credit >= 0:
		return r.signsByColumns()
	case l.direction >= 0:
		return r.signsByWords(l.direction)
	}

	if mark, ok := r.onlyMark(); ok {
		r.signsByMark(mark)
		return nil
	}
	for i := range r.drafts {
		r.drafts[i].negative = r.drafts[i].amount.Negative
	}
	if r.isWrittenWithSigns() {
		return r.checkPolarity()
	}
	if l.format == nil && l.kind >= 0 && r.allAreDirections(l.kind) {
		return r.signsByWords(l.kind)
	}
	return r.signsWithoutMarks()
}

// onlyMark is the mark, credit or debit, of a column in which some amounts bear it and the others bear
// neither a mark nor a sign.
func (r *csvReader) onlyMark() (mark string, ok bool) {
	plain := 0
	for _, d := range r.drafts {
		switch {
		case d.amount.Mark == "" && d.amount.Signed:
			return "", false
		case d.amount.Mark == "":
			plain++
		case mark != "" && mark != d.amount.Mark:
			return "", false
		default:
			mark = d.amount.Mark
		}
	}
	return mark, mark != "" && plain > 0
}

// signsByMark reads amounts without the mark as the opposite of those with it.
func (r *csvReader) signsByMark(mark string) {
	for i := range r.drafts {
		isMarked := r.drafts[i].amount.Mark == mark
		r.drafts[i].negative = isMarked == (mark == "debit")
	}
}

func (r *csvReader) isWrittenWithSigns() bool {
	return slices.ContainsFunc(r.drafts, func(d draft) bool { return d.amount.Negative })
}

// signsByColumns reads a column for money out and one for money in. Where a column writes all its
// amounts with a minus, the minus says nothing.
func (r *csvReader) signsByColumns() error {
	debits := r.allNegative(func(d *draft) amount.Cell { return d.debit })
	credits := r.allNegative(func(d *draft) amount.Cell { return d.credit })

	for i := range r.drafts {
		d := &r.drafts[i]
		hasDebit := !d.debit.Empty && !isZero(d.debit)
		hasCredit := !d.credit.Empty && !isZero(d.credit)

		switch {
		case hasDebit && hasCredit:
			return r.refuse(d.record.Line, "Did money go out or come in?", "both columns hold an amount")
		case hasDebit:
			d.amount = d.debit
			d.negative = debits || !d.debit.Negative
		case hasCredit:
			d.amount = d.credit
			d.negative = !credits && d.credit.Negative
		default:
			d.amount = amount.Cell{Body: "0"}
		}
	}
	return nil
}

func isZero(cell amount.Cell) bool { return strings.Trim(cell.Body, "0.,' ") == "" }

// allNegative reports whether every amount of a column is negative.
func (r *csvReader) allNegative(cellOf func(*draft) amount.Cell) bool {
	for i := range r.drafts {
		cell := cellOf(&r.drafts[i])
		if !cell.Empty && !isZero(cell) && !cell.Negative {
			return false
		}
	}
	return true
}

// outWords and inWords say in which direction money went.
var (
	outWords = words("debit|dr|d|out|af|soll|s|debet|debito|-|withdrawal|purchase|payment out|money out|outgoing|cargo|debe|dare|expense|db|debit card|belastung|lastschrift|ausgang|spent|sent|outflow|dbit|uit|obciążenie|paid out|d.")
	inWords  = words("credit|cr|c|in|bij|haben|h|credito|+|deposit|money in|incoming|abono|haber|avere|income|k|gutschrift|eingang|received|inflow|crdt|kredit|uznanie|paid in|c.|crédit|crédito")
)

func words(barred string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.SplitSeq(barred, "|") {
		set[word] = true
	}
	return set
}

func directionOf(word string) (out, known bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	return outWords[word], outWords[word] || inWords[word]
}

func (r *csvReader) allAreDirections(column int) bool {
	for _, d := range r.drafts {
		if _, known := directionOf(d.record.Cell(column)); !known {
			return false
		}
	}
	return true
}

// signsByWords reads a column such as Debit/Credit.
func (r *csvReader) signsByWords(column int) error {
	for i := range r.drafts {
		d := &r.drafts[i]
		word := d.record.Cell(column)
		out, known := directionOf(word)
		if !known {
			return r.refuse(d.record.Line, "Does it mean that money went out or came in?",
				"%q in the column %q is no direction", word, r.layout.columns[column].Name)
		}

		if d.amount.Negative && !out {
			return r.refuse(d.record.Line, "Did money go out or come in?", "the amount is negative and the direction is %q", word)
		}
		d.negative = out
	}
	return nil
}

// signsWithoutMarks reads a column in which no amount has a minus: by the format, the customer's word,
// or other columns.
func (r *csvReader) signsWithoutMarks() error {
	if out, known := r.signsBeforehand(); known {
		r.setAll(out)
		return nil
	}

	isUnsigned := func(d draft) bool { return !d.amount.Signed }
	if !slices.ContainsFunc(r.drafts, isUnsigned) {
		return nil // plus signs and words such as CR
	}
	for _, witness := range []func() bool{r.netTellsIncome, r.signsByBalance, r.sameSignByBalance, r.allEarn} {
		if witness() {
			return nil
		}
	}

	first := r.drafts[0]
	return r.refuse(first.record.Line,
		"Did the money go out? Set the option sign to charges_positive if it did, to as_written if it came in",
		"every amount is written without a sign, for example %s", first.amount.Body)
}

// signsBeforehand is what the format of the bank or the customer says about amounts without a sign.
func (r *csvReader) signsBeforehand() (out, known bool) {
	format := r.layout.format
	isFormat := format != nil && format.Name != ""

	if r.settings.Sign == SignChargesPositive || isFormat && format.Flipped {
		return true, true
	}
	return false, isFormat || r.settings.Sign == SignAsWritten
}

func (r *csvReader) setAll(negative bool) {
	for i := range r.drafts {
		r.drafts[i].negative = negative != r.drafts[i].amount.Negative
	}
}

// signsByBalance sets the sign of each record from the balances before and after it. Every record must
// fit.
func (r *csvReader) signsByBalance() bool {
	balances, ok := r.balances()
	if !ok {
		return false
	}
	return r.signRising(balances) || r.signFalling(balances)
}

// netTellsIncome reports whether a column of net amounts shows that fees lessen the amounts, which then
// came in.
func (r *csvReader) netTellsIncome() bool {
	l := r.layout
	if l.fee < 0 || l.net < 0 || l.net == l.amount {
		return false
	}

	less, more, err := r.fitNet()
	hasFee := slices.ContainsFunc(r.drafts, func(d draft) bool { return !d.fee.Empty && !isZero(d.fee) })
	return err == nil && hasFee && (less || more)
}

// sameSignByBalance decides a file in which every balance moves the same way.
func (r *csvReader) sameSignByBalance() bool {
	balances, ok := r.balances()
	if !ok || len(balances) < 2 {
		return false
	}

	for _, by := range []int{1, 0} { // from old to new, and from new to old
		rises, falls := true, true
		for i := 1; i < len(balances); i++ {
			step := balances[i-1+by] - balances[i-by]
			minor := r.unsigned(i - 1 + by)
			rises = rises && step == minor
			falls = falls && step == -minor
		}
		if rises != falls {
			r.setAll(falls)
			return true
		}
	}
	return false
}

// unsigned is the amount of a record in minor units of the currency of the file.
func (r *csvReader) unsigned(at int) int64 {
	code, _, err := r.fileCurrency()
	if err != nil {
		return 0
	}
	minor, err := r.minor(r.drafts[at].amount, code)
	if err != nil {
		return 0
	}
	return minor
}

// allEarn reports whether every description speaks of money that came in.
func (r *csvReader) allEarn() bool {
	p := r.polarity()
	return p.earnPositive == len(r.drafts)
}

// balances are the balances after each record in minor units of the currency of the file.
func (r *csvReader) balances() ([]int64, bool) {
	code, _, err := r.fileCurrency()
	if err != nil {
		return nil, false
	}

	balances := make([]int64, len(r.drafts))
	for i, d := range r.drafts {
		if d.balance.Empty || d.currency != r.drafts[0].currency {
			return nil, false
		}
		balances[i], err = r.minor(d.balance, code)
		if err != nil {
			return nil, false
		}
	}
	return balances, true
}

// signRising signs a file that runs from old to new. It needs the balance before the first record.
func (r *csvReader) signRising(balances []int64) bool {
	if r.Opening == nil {
		return false
	}

	before := r.Opening.Minor
	signs := make([]bool, len(balances))
	for i, balance := range balances {
		if !r.fitsStep(i, balance-before) {
			return false
		}
		signs[i] = balance < before
		before = balance
	}
	r.setSigns(signs)
	return true
}

// signFalling signs a file that runs from new to old.
func (r *csvReader) signFalling(balances []int64) bool {
	if r.Opening == nil {
		return false
	}

	signs := make([]bool, len(balances))
	for i := range balances {
		before := r.Opening.Minor
		if i+1 < len(balances) {
			before = balances[i+1]
		}
		if !r.fitsStep(i, balances[i]-before) {
			return false
		}
		signs[i] = balances[i] < before
	}
	r.setSigns(signs)
	return true
}

// fitsStep reports whether a record moves the balance by its amount.
func (r *csvReader) fitsStep(at int, step int64) bool {
	code, _, err := r.fileCurrency()
	if err != nil {
		return false
	}
	minor, err := r.minor(r.drafts[at].amount, code)
	return err == nil && (step == minor || step == -minor)
}

func (r *csvReader) setSigns(negative []bool) {
	for i := range r.drafts {
		r.drafts[i].negative = negative[i]
	}
}
