// Package dialect knows how banks name and mean the columns of their exports: formats of single banks,
// and words for columns in many languages.
package dialect

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"governance.internal/functions/bookkeeping/currency"
)

// Role is what a column means.
type Role string

// The roles.
const (
	None        Role = ""
	Date        Role = "date"
	Description Role = "description"
	Payee       Role = "payee"
	Memo        Role = "memo"
	Amount      Role = "amount"
	Debit       Role = "debit"  // money out
	Credit      Role = "credit" // money in
	Direction   Role = "direction"
	Balance     Role = "balance"
	Currency    Role = "currency"
	Fee         Role = "fee"
	Net         Role = "net"
	Total       Role = "total"
	Status      Role = "status"
	ID          Role = "id"
	Type        Role = "type"
	BankGroup   Role = "category" // the bank's own category
	MCC         Role = "mcc"
	Account     Role = "account"
	Check       Role = "check"
	Ignored     Role = "ignored"
)

// Column is one column of a header.
type Column struct {
	Name     string // as the file writes it
	Role     Role
	Rank     int    // which of several dates or texts is preferred; the smallest wins
	Currency string // where the header names one
	Language string // of the word, where it belongs to one
}

// word is what a header's word means.
type word struct {
	role     Role
	rank     int
	language string
}

// ColumnOf reads a word of a header.
func ColumnOf(name string) Column {
	c := Column{Name: name}
	normal := Normal(name)

	if w, ok := lexicon()[normal]; ok {
		c.Role, c.Rank, c.Language = w.role, w.rank, w.language
		return c
	}

	rest, code := withoutCurrency(normal)
	if w, ok := lexicon()[rest]; ok {
		c.Role, c.Rank, c.Language, c.Currency = w.role, w.rank, w.language, code
		return c
	}

	rest = withoutParentheses(normal)
	if w, ok := lexicon()[rest]; ok {
		c.Role, c.Rank, c.Language = w.role, w.rank+1, w.language
	}
	return c
}

// Normal is a header's word without case, accents and punctuation at its ends.
func Normal(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.Map(withoutAccent, norm.NFD.String(name))
	name = letters.Replace(name)

	name = strings.Join(strings.Fields(name), " ")
	return strings.Trim(name, " .:*#\"'\ufeff")
}

func withoutAccent(r rune) rune {
	if r >= 0x300 && r < 0x370 {
		return -1
	}
	return r
}

// letters that do not decompose, and other spaces.
var letters = strings.NewReplacer("ł", "l", "ø", "o", "ß", "s", "_", " ", "\u00a0", " ")

// withoutCurrency takes "(eur)", "eur" or "in eur" off the end of a header's word.
func withoutCurrency(normal string) (rest, code string) {
	words := strings.FieldsFunc(normal, func(r rune) bool { return strings.ContainsRune(" ()[]/", r) })
	if len(words) < 2 {
		return normal, ""
	}

	last := words[len(words)-1]
	code, ok := currency.Of(last)
	if !ok {
		return normal, ""
	}

	words = words[:len(words)-1]
	if tail := words[len(words)-1]; len(words) > 1 && (tail == "in" || tail == "en") {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " "), code
}

func withoutParentheses(normal string) string {
	before, _, found := strings.Cut(normal, "(")
	if !found {
		return normal
	}
	return strings.TrimSpace(before)
}

// ColumnsOf reads all words of a header.
func ColumnsOf(cells []string) []Column {
	columns := make([]Column, len(cells))
	for i, cell := range cells {
		columns[i] = ColumnOf(cell)
	}
	return columns
}

// IsHeader reports whether a row names a date and an amount.
func IsHeader(cells []string) bool {
	hasDate, hasMoney := false, false
	for _, cell := range cells {
		if len(cell) > 60 {
			continue
		}
		switch ColumnOf(cell).Role {
		case Date:
			hasDate = true
		case Amount, Debit, Credit, Net, Total:
			hasMoney = true
		}
	}
	return hasDate && hasMoney
}
