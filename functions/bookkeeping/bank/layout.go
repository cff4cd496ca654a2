package bank

import (
	"strings"

	"governance.internal/functions/bookkeeping/dialect"
)

// layout says in which column of a table each thing stands; -1 means nowhere.
type layout struct {
	columns               []dialect.Column
	format                *dialect.Format
	date                  int
	datesBeside           []int
	amount, debit, credit int
	direction, balance    int
	currency, fee, net    int
	status, id, kind      int
	group, mcc, account   int
	texts                 []int // columns of the description, in the order of reading
	language              string
	width                 int // of the header
	lastNeeded            int // the last column without which a row is cut
}

// layoutOf gives the columns of a header their places.
func layoutOf(f *File, header []string) (*layout, error) {
	columns := dialect.ColumnsOf(header)
	format := dialect.Recognise(header)
	format.Apply(columns)

	l := &layout{
		columns:   columns,
		format:    format,
		date:      bestOf(columns, dialect.Date),
		amount:    bestOf(columns, dialect.Amount),
		debit:     bestOf(columns, dialect.Debit),
		credit:    bestOf(columns, dialect.Credit),
		direction: bestOf(columns, dialect.Direction),
		balance:   bestOf(columns, dialect.Balance),
		currency:  bestOf(columns, dialect.Currency),
		fee:       bestOf(columns, dialect.Fee),
		net:       bestOf(columns, dialect.Net),
		status:    bestOf(columns, dialect.Status),
		id:        bestOf(columns, dialect.ID),
		kind:      bestOf(columns, dialect.Type),
		group:     bestOf(columns, dialect.BankGroup),
		mcc:       bestOf(columns, dialect.MCC),
		account:   bestOf(columns, dialect.Account),
		width:     len(header),
	}

	l.language = languageOf(columns)
	l.texts = textsOf(columns, l.language)
	l.takeTotals()
	if err := l.checkAmounts(f); err != nil {
		return nil, err
	}

	for i, column := range columns {
		if column.Role == dialect.Date && i != l.date {
			l.datesBeside = append(l.datesBeside, i)
		}
	}
	l.lastNeeded = max(l.date, l.amount, l.debit, l.credit, l.direction)
	return l, nil
}

// bestOf is the column of a role with the smallest rank, the first of several.
func bestOf(columns []dialect.Column, role dialect.Role) int {
	best := -1
	for i, column := range columns {
		if column.Role == role && (best < 0 || column.Rank < columns[best].Rank) {
			best = i
		}
	}
	return best
}

// languageOf is the language in which most of the words of a header are written, empty for English.
func languageOf(columns []dialect.Column) string {
	votes := map[string]int{}
	best := ""
	for _, column := range columns {
		language := column.Language
		if language == "" {
			continue
		}
		votes[language]++
		if best == "" || votes[language] > votes[best] {
			best = language
		}
	}
	return best
}

// textsOf orders the columns of the description. English exports describe best in the description; the
// others in the name of the other side.
func textsOf(columns []dialect.Column, language string) []int {
	order := []dialect.Role{dialect.Description, dialect.Payee, dialect.Memo}
	if language != "" && !strings.HasPrefix(language, "en") {
		order = []dialect.Role{dialect.Payee, dialect.Description, dialect.Memo}
	}

	var texts []int
	for _, role := range order {
		for rank := 0; rank <= 4; rank++ {
			for i, column := range columns {
				if column.Role == role && column.Rank == rank {
					texts = append(texts, i)
				}
			}
		}
	}
	return texts
}

// takeTotals uses a column named total or net where no other holds the amount.
func (l *layout) takeTotals() {
	if l.amount >= 0 || l.debit >= 0 || l.credit >= 0 {
		return
	}

	for _, role := range []dialect.Role{dialect.Total, dialect.Net} {
		if at := bestOf(l.columns, role); at >= 0 {
			l.amount = at
			return
		}
	}
}

// checkAmounts refuses a header with several columns that could be the amount.
func (l *layout) checkAmounts(f *File) error {
	var rivals []string
	for i, column := range l.columns {
		if column.Role == dialect.Amount && i != l.amount && column.Rank == l.columns[l.amount].Rank {
			rivals = append(rivals, column.Name)
		}
	}

	hasTwoColumns := l.debit >= 0 && l.credit >= 0
	if hasTwoColumns {
		l.amount = -1
		return nil
	}
	if len(rivals) == 0 {
		return nil
	}
	return f.refuse(f.HeaderRow,
		"Which column holds the amounts of the account?",
		"several columns could be the amount: %s", strings.Join(append([]string{l.columns[l.amount].Name}, rivals...), ", "))
}

// isHeaderAgain reports whether a record repeats the header.
func (l *layout) isHeaderAgain(cells []string) bool {
	return len(cells) > l.date && dialect.ColumnOf(cells[l.date]).Role == dialect.Date
}

// headerCurrency is the currency that the header names for the money.
func (l *layout) headerCurrency() string {
	for _, at := range []int{l.amount, l.debit, l.credit, l.balance} {
		if at >= 0 && l.columns[at].Currency != "" {
			return l.columns[at].Currency
		}
	}
	return ""
}
