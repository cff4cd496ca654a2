package bank

import (
	"strings"

	"governance.internal/functions/bookkeeping/amount"
	"governance.internal/functions/bookkeeping/day"
	"governance.internal/functions/bookkeeping/dialect"
	"governance.internal/functions/bookkeeping/table"
)

// content is what the cells of a column without a name look like.
type content struct {
	dates, moneys, decimals, texts, empties, letters int
}

// findBareLayout tells the columns of a file without a header by what they hold.
func (r *csvReader) findBareLayout() error {
	records := dataRecords(r.table.Records)
	if len(records) == 0 {
		return r.refuse(0, "Which columns hold the date, the description and the amount?",
			"no header with a date and an amount was found")
	}

	width := len(records[0].Cells)
	contents := make([]content, width)
	for _, record := range records {
		for i := range contents {
			contents[i].add(record.Cell(i))
		}
	}

	dates, moneys := columnsOf(contents, len(records))
	if len(dates) == 0 || len(moneys) == 0 {
		return r.refuse(0, "Which columns hold the date, the description and the amount?",
			"the file has no header, and its columns cannot be told by what they hold")
	}

	r.layout = bareLayout(width, dates, describing(contents))
	if err := r.placeMoney(records, moneys); err != nil {
		return err
	}

	r.table.Records = records
	r.layout.lastNeeded = max(dates[0], r.layout.amount)
	r.takeFormat()
	r.Format = "no header"
	if isWellsFargo(records) {
		r.Format = "wells-fargo"
		r.layout.format = &wellsFargo
	}
	return nil
}

// wellsFargo writes date, amount, an asterisk, the number of a check and the description.
var wellsFargo = dialect.Format{Order: day.MDY, Currency: "USD"}

func isWellsFargo(records []table.Record) bool {
	for _, record := range records {
		if len(record.Cells) != 5 || record.Cells[2] != "*" {
			return false
		}
	}
	return true
}

// dataRecords are the records with the most frequent number of cells, from the first to the last.
func dataRecords(records []table.Record) []table.Record {
	counts := map[int]int{}
	width := 0
	for _, record := range records {
		n := len(record.Cells)
		counts[n]++
		if counts[n] > counts[width] || counts[n] == counts[width] && n > width {
			width = n
		}
	}
	if width < 3 {
		return nil
	}

	for len(records) > 0 && len(records[0].Cells) != width {
		records = records[1:]
	}
	return records
}

func (c *content) add(cell string) {
	if cell == "" {
		c.empties++
		return
	}
	if strings.ContainsFunc(cell, isLetter) {
		c.letters++
	}

	if _, ok := day.Read(cell); ok {
		c.dates++
		return
	}

	money, ok := amount.Read(cell)
	if !ok || money.Empty {
		c.texts++
		return
	}
	c.moneys++
	if money.Signed || strings.ContainsAny(money.Body, ".,") {
		c.decimals++
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f }

// columnsOf are the columns of dates and of money. Numbers without decimals or signs are no money.
func columnsOf(contents []content, rows int) (dates, moneys []int) {
	for i, c := range contents {
		if c.dates == rows {
			dates = append(dates, i)
		}
		isMoney := c.moneys+c.empties == rows && c.decimals > 0 && 2*c.decimals >= c.moneys
		if isMoney {
			moneys = append(moneys, i)
		}
	}
	return dates, moneys
}

// describing are the columns of words, the one with the most first.
func describing(contents []content) []int {
	best := mostWords(contents)
	if best < 0 {
		return nil
	}

	texts := []int{best}
	for i, c := range contents {
		hasWords := c.dates == 0 && 2*c.letters > contents[best].letters
		if i != best && hasWords {
			texts = append(texts, i)
		}
	}
	return texts
}

// mostWords is the column with the most words, -1 where no column has any.
func mostWords(contents []content) int {
	best := -1
	for i, c := range contents {
		if c.texts == 0 || c.letters == 0 {
			continue
		}
		if best < 0 || c.letters > contents[best].letters {
			best = i
		}
	}
	return best
}

// placeMoney finds the columns of amounts and balances among columns of money.
func (r *csvReader) placeMoney(records []table.Record, moneys []int) error {
	if len(moneys) == 3 {
		if out, in, balance, ok := debitAndCredit(records, moneys); ok {
			r.layout.debit, r.layout.credit, r.layout.balance = out, in, balance
			return nil
		}
	}

	var err error
	r.layout.amount, r.layout.balance, err = r.amountAmong(records, moneys)
	return err
}

// debitAndCredit finds two columns of which every row fills one, and a balance that falls by the first
// and rises by the second.
func debitAndCredit(records []table.Record, moneys []int) (out, in, balance int, ok bool) {
	orders := [][3]int{
		{moneys[0], moneys[1], moneys[2]}, {moneys[1], moneys[0], moneys[2]},
		{moneys[1], moneys[2], moneys[0]}, {moneys[2], moneys[1], moneys[0]},
	}
	for _, order := range orders {
		if movesByBoth(records, order[0], order[1], order[2]) {
			return order[0], order[1], order[2], true
		}
	}
	return 0, 0, 0, false
}

func movesByBoth(records []table.Record, out, in, balance int) bool {
	rising, falling := len(records) > 2, len(records) > 2
	moved := func(record table.Record) int64 { return plain(record.Cell(in)) - plain(record.Cell(out)) }
	for i, record := range records {
		if (record.Cell(out) == "") == (record.Cell(in) == "") {
			return false
		}
		if i == 0 {
			continue
		}
		step := plain(record.Cell(balance)) - plain(records[i-1].Cell(balance))
		rising = rising && step == moved(record)
		falling = falling && -step == moved(records[i-1])
	}
	return rising || falling
}

// amountAmong chooses the amount among columns of money. Of two, the balance is the one that moves by
// the other.
func (r *csvReader) amountAmong(records []table.Record, moneys []int) (money, balance int, err error) {
	if len(moneys) == 1 {
		return moneys[0], -1, nil
	}

	if len(moneys) == 2 {
		one, two := moneys[0], moneys[1]
		oneMoves := movesBy(records, two, one)
		twoMoves := movesBy(records, one, two)
		if oneMoves != twoMoves && oneMoves {
			return one, two, nil
		}
		if oneMoves != twoMoves {
			return two, one, nil
		}
	}
	return 0, 0, r.refuse(records[0].Line, "Which column holds the amounts?",
		"the file has no header and %d columns that could be the amount", len(moneys))
}

// movesBy reports whether a column of balances moves by a column of amounts, in either order of time.
func movesBy(records []table.Record, balance, money int) bool {
	if len(records) < 3 {
		return false
	}

	rising, falling := true, true
	for i := 1; i < len(records); i++ {
		step := plain(records[i].Cell(balance)) - plain(records[i-1].Cell(balance))
		rising = rising && step == plain(records[i].Cell(money))
		falling = falling && -step == plain(records[i-1].Cell(money))
	}
	return rising || falling
}

// plain reads a number of two decimals whatever its separators, which suffices to compare columns.
func plain(text string) int64 {
	cell, ok := amount.Read(text)
	if !ok || cell.Empty {
		return 0
	}

	value := int64(0)
	for _, digit := range cell.Body {
		if digit >= '0' && digit <= '9' && value < 1<<58 {
			value = value*10 + int64(digit-'0')
		}
	}
	if cell.Negative {
		return -value
	}
	return value
}

func bareLayout(width int, dates []int, texts []int) *layout {
	return &layout{
		columns:     make([]dialect.Column, width),
		date:        dates[0],
		datesBeside: dates[1:],
		amount:      -1,
		debit:       -1,
		credit:      -1,
		direction:   -1,
		balance:     -1,
		currency:    -1,
		fee:         -1,
		net:         -1,
		status:      -1,
		id:          -1,
		kind:        -1,
		group:       -1,
		mcc:         -1,
		account:     -1,
		texts:       texts,
		width:       width,
	}
}
